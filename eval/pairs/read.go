package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"crscore"
	"crscore/eval/evidence"
	"crscore/internal/dataset"
	"crscore/sts"
	"crscore/sts/builtin"
)

// labelled are the changes of a dataset with the evidence of all their pairs.
type labelled struct {
	models  sts.PairModels // without the models: what they are made with
	changes []labelledChange
	lost    int // links with claims that the engine does not make any more
}

// labelledChange is a change with its reviews, and with references from several sources.
type labelledChange struct {
	id        string
	reviews   []labelledReview
	sentences []sentence // of all reviews
	sources   map[string]*pairs
	necessary []bool // by reference of the source edited
	read      bool   // readers linked it
}

type labelledReview struct {
	system    string
	text      string
	human     *dataset.Human
	addressed []bool // by reference of the source edited; nil where nobody looked
}

type sentence struct {
	review int
	sts.Sentence
}

// pairs are all pairs of a sentence and a reference, one row a sentence.
type pairs struct {
	refs     []string
	evidence [][]sts.PairEvidence
	hybrid   [][]float32
	links    [][]link // nil where nobody read them
}

// link are the codes of two readers (docs/links.md); 0 for a pair that is not linked.
type link [2]byte

// sources are where references come from, with the flags of the command.
var sources = []struct{ name, title, claims, smells string }{
	{"own", "own claims", "symbolic", "builtin"},
	{"paper", "the paper's claims", "data:magicoder", "data"},
	{"both", "both", "symbolic,data:magicoder", "builtin,data"},
	{"edited", "the annotators' list", "", ""},
}

// read reads a dataset, and a sheet of links if there is one.
func read(ctx context.Context, data, sheet string) (*labelled, error) {
	encoder, err := sts.NewBuiltin(ctx, sts.EncoderOptions{})
	if err != nil {
		return nil, err
	}
	defer encoder.Close()
	lexicon, err := sts.ParseLexicon(builtin.Words())
	if err != nil {
		return nil, err
	}
	pair, err := sts.NewPairEvidence(encoder, lexicon)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(data)
	if err != nil {
		return nil, err
	}
	records, err := dataset.ReadAll(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", data, err)
	}
	set := &labelled{
		models:  sts.PairModels{Encoder: sts.PairEncoder(encoder), Words: lexicon.Signature(), Data: []string{source(data, text)}},
		changes: make([]labelledChange, len(records)),
	}
	var g errgroup.Group
	g.SetLimit(2)
	for i := range records {
		g.Go(func() (err error) {
			if set.changes[i], err = readChange(ctx, &records[i], pair); err != nil {
				err = fmt.Errorf("%s: line %d: %w", data, records[i].Line, err)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if sheet == "" {
		return set, nil
	}
	if text, err = os.ReadFile(sheet); err != nil {
		return nil, err
	}
	set.models.Data = append(set.models.Data, source(sheet, text))
	if err := set.addLinks(string(text)); err != nil {
		return nil, fmt.Errorf("%s: %w", sheet, err)
	}
	return set, nil
}

// source names a file with its checksum.
func source(file string, text []byte) string {
	return fmt.Sprintf("%s sha256:%x", filepath.Base(file), sha256.Sum256(text))
}

func readChange(ctx context.Context, rec *dataset.Record, pair *sts.Pair) (labelledChange, error) {
	c := labelledChange{id: rec.ID, sources: map[string]*pairs{}}
	in, err := evidence.Input(rec)
	if err != nil {
		return c, err
	}
	var texts []string
	for k, review := range rec.Reviews {
		r := labelledReview{system: review.ID, text: review.Text, human: review.Human}
		if review.Addressed != nil {
			r.addressed = make([]bool, len(rec.RefsEdited))
			for _, n := range review.Addressed {
				if n >= 1 && n <= len(r.addressed) {
					r.addressed[n-1] = true
				}
			}
		}
		c.reviews = append(c.reviews, r)
		for _, s := range (sts.Markdown{}).Split(review.Text) {
			c.sentences, texts = append(c.sentences, sentence{k, s}), append(texts, s.Text)
		}
	}
	code := crscore.CodeOf(in.Change)
	for _, source := range sources {
		p := &pairs{}
		if source.claims == "" {
			for _, ref := range rec.RefsEdited {
				p.refs = append(p.refs, ref.Text)
				c.necessary = append(c.necessary, ref.Necessary)
			}
		} else if p.refs, err = refsOf(ctx, in, source.claims, source.smells); err != nil {
			return c, err
		}
		if p.evidence, err = pair.Evidence(ctx, code, texts, p.refs); err != nil {
			return c, err
		}
		if p.hybrid, err = pair.Hybrid().Matrix(ctx, texts, p.refs); err != nil {
			return c, err
		}
		c.sources[source.name] = p
	}
	return c, nil
}

func refsOf(ctx context.Context, in crscore.Input, claims, smells string) (out []string, err error) {
	var opts crscore.Options
	if opts.Claims, err = crscore.ParseClaims(claims, crscore.ClaimOptions{}); err != nil {
		return nil, err
	}
	if opts.Smells, err = crscore.ParseSmells(smells, crscore.SmellOptions{}); err != nil {
		return nil, err
	}
	set, err := crscore.Refs(ctx, in, opts)
	for _, r := range set.Refs {
		out = append(out, r.Text)
	}
	return out, err
}

// addLinks reads a sheet of readers' links, as command rating writes it. A link with a claim
// that the engine does not make any more is counted and left out.
func (set *labelled) addLinks(sheet string) error {
	changes := map[string]*labelledChange{}
	for i := range set.changes {
		changes[set.changes[i].id] = &set.changes[i]
	}
	for i, line := range strings.Split(strings.TrimSpace(sheet), "\n") {
		if i == 0 {
			if !strings.HasPrefix(line, "change\treview\tsentence\treference\tchecksum\t") {
				return fmt.Errorf("line 1: %.80q is no header of a sheet of links", line)
			}
			continue
		}
		f := strings.Split(strings.TrimRight(line, "\r"), "\t")
		if len(f) != 7 {
			return fmt.Errorf("line %d: %d fields, not 7", i+1, len(f))
		}
		c := changes[f[0]]
		if c == nil {
			return fmt.Errorf("line %d: the data have no change %q", i+1, f[0])
		}
		number, err := strconv.Atoi(f[2])
		at := c.sentence(f[1], number)
		if err != nil || at < 0 {
			return fmt.Errorf("line %d: change %s has no review %q with a sentence %s", i+1, f[0], f[1], f[2])
		}
		codes := link{}
		for k, code := range f[5:7] {
			if !slices.Contains([]string{"0", "1", "2", "x"}, code) {
				return fmt.Errorf("line %d: %q is none of the codes 0, 1, 2 and x", i+1, code)
			}
			if code != "0" {
				codes[k] = code[0]
			}
		}
		c.read = true
		own := c.sources["own"]
		if own.links == nil {
			own.links = make([][]link, len(c.sentences))
			for k := range own.links {
				own.links[k] = make([]link, len(own.refs))
			}
		}
		if len(f[4]) != checksumLength {
			return fmt.Errorf("line %d: the checksum %q has %d characters, not %d", i+1, f[4], len(f[4]), checksumLength)
		}
		ref := slices.IndexFunc(own.refs, func(text string) bool { return checksum(text) == f[4] })
		if ref < 0 {
			set.lost++
			continue
		}
		if own.links[at][ref] != (link{}) {
			return fmt.Errorf("line %d: this pair occurs twice", i+1)
		}
		own.links[at][ref] = codes
	}
	return nil
}

// checksum names a reference in a sheet of links.
func checksum(text string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:checksumLength]
}

const checksumLength = 12

// sentence is the place of the n-th sentence of a system's review, counted from 1; -1 if
// there is none.
func (c *labelledChange) sentence(system string, n int) int {
	for i, s := range c.sentences {
		if c.reviews[s.review].system == system {
			if n--; n == 0 {
				return i
			}
		}
	}
	return -1
}
