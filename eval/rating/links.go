package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"crscore"
	"crscore/internal/dataset"
	"crscore/internal/limits"
	"crscore/sts"
)

// linkHeader begins a sheet of links: a line for each pair of a sentence and a reference
// that a reader links. The sentence and the reference are numbers, counted from 1. A code is
// 2 where the sentence says what the reference says, 1 where it only points at it, x where it
// says the opposite, and 0 where that reader links nothing (docs/links.md).
const linkHeader = "change\treview\tsentence\treference\tchecksum\tfirst\tsecond\n"

// linked is a change as readers of links see it: its references, and its reviews by letter,
// in an order that says nothing about their systems.
type linked struct {
	rec     *dataset.Record
	refs    []string
	reviews []linkedReview
}

type linkedReview struct {
	id        string
	sentences []string
}

// linkedChange is the view of a record with the references of the default engine.
func linkedChange(ctx context.Context, rec *dataset.Record, seed uint64) (linked, error) {
	out := linked{rec: rec}
	ch, err := parse(rec)
	if err != nil {
		return out, err
	}
	set, err := crscore.Refs(ctx, crscore.Input{Change: ch}, crscore.Options{})
	if err != nil {
		return out, fmt.Errorf("line %d: %w", rec.Line, err)
	}
	for _, r := range set.Refs {
		out.refs = append(out.refs, r.Text)
	}
	for _, review := range rec.Reviews {
		var sentences []string
		for _, s := range (sts.Markdown{}).Split(review.Text) {
			sentences = append(sentences, s.Text)
		}
		if len(sentences) > 0 {
			out.reviews = append(out.reviews, linkedReview{review.ID, sentences})
		}
	}
	if len(out.reviews) > limits.RatedReviews {
		return out, fmt.Errorf("line %d: %d reviews, but there are letters for %d", rec.Line, len(out.reviews), limits.RatedReviews)
	}
	rnd := rand.New(rand.NewPCG(seed, uint64(rec.Line)))
	rnd.Shuffle(len(out.reviews), func(i, j int) { out.reviews[i], out.reviews[j] = out.reviews[j], out.reviews[i] })
	return out, nil
}

// letter names the i-th review of a change for readers.
func letter(i int) string { return string(rune('a' + i)) }

// drawLinks writes a file for each change: the diff, the references, and the sentences of all
// reviews, without scores or the systems' names.
func drawLinks(ctx context.Context, recs []dataset.Record, seed uint64, out string) error {
	for i := range recs {
		l, err := linkedChange(ctx, &recs[i], seed)
		if err != nil {
			return err
		}
		var b strings.Builder
		fmt.Fprintf(&b, "change %s (%s)\n\n%s\n\nReferences:\n", l.rec.ID, l.rec.Lang, l.rec.Diff)
		for j, r := range l.refs {
			fmt.Fprintf(&b, "%d. %s\n", j+1, r)
		}
		b.WriteString("\nReviews:\n")
		for k, review := range l.reviews {
			for n, s := range review.sentences {
				fmt.Fprintf(&b, "%s%d. %s\n", letter(k), n+1, s)
			}
		}
		if err := os.WriteFile(filepath.Join(out, fileName(l.rec.ID)+".txt"), []byte(b.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// pair is a place in a sheet of links.
type pair struct {
	change              string
	review              int // by letter
	sentence, reference int // from 1
}

// readLinks reads what a reader wrote: lines of a change's id, a sentence as "b2", and the
// references that it is about with their codes, as "1:2,3:x". A line without references says that the reader
// links nothing.
func readLinks(file string) (map[pair]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	out := map[pair]byte{}
	for i, line := range strings.Split(string(text), "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := addLinks(out, strings.Split(strings.TrimRight(line, "\r"), "\t")); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", file, i+1, err)
		}
	}
	return out, nil
}

func addLinks(out map[pair]byte, f []string) error {
	if len(f) != 3 {
		return fmt.Errorf("%d fields, not 3", len(f))
	}
	if len(f[1]) < 2 || f[1][0] < 'a' || f[1][0] > 'z' {
		return fmt.Errorf("%q is no sentence such as b2", f[1])
	}
	n, err := strconv.Atoi(f[1][1:])
	if err != nil || n < 1 {
		return fmt.Errorf("%q is no sentence such as b2", f[1])
	}
	for _, ref := range strings.FieldsFunc(f[2], func(r rune) bool { return r == ',' || r == ' ' }) {
		number, code, _ := strings.Cut(ref, ":")
		r, err := strconv.Atoi(number)
		if err != nil || r < 1 || code != "1" && code != "2" && code != "x" {
			return fmt.Errorf("%q is no reference with a code, such as 3:2", ref)
		}
		p := pair{f[0], int(f[1][0] - 'a'), n, r}
		if _, twice := out[p]; twice {
			return fmt.Errorf("reference %d of %s occurs twice", r, f[1])
		}
		out[p] = code[0]
	}
	return nil
}

// joinLinks prints the sheet of two readers' links of all changes of a dataset.
func joinLinks(ctx context.Context, w io.Writer, recs []dataset.Record, seed uint64, files []string) error {
	if len(files) != 2 {
		return errors.New("give the files of two readers")
	}
	var readers [2]map[pair]byte
	for i, file := range files {
		var err error
		if readers[i], err = readLinks(file); err != nil {
			return err
		}
	}
	var sheet bytes.Buffer
	sheet.WriteString(linkHeader)
	for i := range recs {
		l, err := linkedChange(ctx, &recs[i], seed)
		if err != nil {
			return err
		}
		for _, id := range sortedReviews(l) {
			for n := range l.reviews[id].sentences {
				for j, ref := range l.refs {
					p := pair{l.rec.ID, id, n + 1, j + 1}
					codes := [2]byte{'0', '0'}
					for k := range readers {
						if c, ok := readers[k][p]; ok {
							codes[k] = c
							delete(readers[k], p)
						}
					}
					if codes != [2]byte{'0', '0'} {
						fmt.Fprintf(&sheet, "%s\t%s\t%d\t%d\t%s\t%c\t%c\n", p.change, l.reviews[id].id, p.sentence, p.reference, sum(ref), codes[0], codes[1])
					}
				}
			}
		}
	}
	for k, file := range files {
		left := slices.SortedFunc(maps.Keys(readers[k]), func(a, b pair) int {
			return cmp.Or(cmp.Compare(a.change, b.change), a.review-b.review, a.sentence-b.sentence, a.reference-b.reference)
		})
		if len(left) > 0 {
			p := left[0]
			return fmt.Errorf("%s: change %s has no sentence %s%d or no reference %d", file, p.change, letter(p.review), p.sentence, p.reference)
		}
	}
	_, err := w.Write(sheet.Bytes())
	return err
}

// sortedReviews are the places of a change's reviews, by id.
func sortedReviews(l linked) []int {
	places := make([]int, len(l.reviews))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(a, b int) int { return strings.Compare(l.reviews[a].id, l.reviews[b].id) })
	return places
}
