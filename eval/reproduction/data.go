package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"crscore/eval/agreement"
	"crscore/internal/dataset"
	"crscore/internal/limits"
)

// labelled is the data: the records, and the scores that the authors released.
type labelled struct {
	name, sum string
	records   []dataset.Record
	released  map[string]map[agreement.ReviewID]agreement.Scores // by τ, as the data writes it
}

// The paper's languages, as the data and the paper name them.
var languages = []struct{ id, name string }{{"py", "Python"}, {"java", "Java"}, {"js", "JavaScript"}}

// releasedTaus are the thresholds that the data has released scores for.
var releasedTaus = []string{"0.7", "0.7314"}

func readData(file string) (labelled, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return labelled{}, err
	}
	set := labelled{name: filepath.Base(file), sum: fmt.Sprintf("%x", sha256.Sum256(raw)), released: map[string]map[agreement.ReviewID]agreement.Scores{}}
	for r := dataset.NewReader(bytes.NewReader(raw)); ; {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return labelled{}, err
		}
		if line, twice := r.FirstUse(&rec); twice {
			return labelled{}, fmt.Errorf("line %d: id %q is that of line %d too", rec.Line, rec.ID, line)
		}
		set.records = append(set.records, rec)
	}
	return set, set.readReleased(raw)
}

// readReleased reads the scores that stand beside the reviews, which no other
// program needs.
func (set *labelled) readReleased(raw []byte) error {
	in := bufio.NewScanner(bytes.NewReader(raw))
	in.Buffer(nil, limits.LineBytes)
	for line := 1; in.Scan(); line++ {
		if len(bytes.TrimSpace(in.Bytes())) == 0 {
			continue
		}
		var rec struct {
			ID      string
			Reviews []struct {
				ID        string
				Published map[string]struct{ Con, Comp, Rel *float64 }
			}
		}
		if err := json.Unmarshal(in.Bytes(), &rec); err != nil {
			return fmt.Errorf("line %d: the released scores: %w", line, err)
		}
		for _, review := range rec.Reviews {
			for tau, s := range review.Published {
				if s.Con == nil || s.Comp == nil || s.Rel == nil {
					return fmt.Errorf("line %d: review %q: a released score of τ %s is missing", line, review.ID, tau)
				}
				if set.released[tau] == nil {
					set.released[tau] = map[agreement.ReviewID]agreement.Scores{}
				}
				set.released[tau][agreement.ReviewID{Change: rec.ID, Review: review.ID}] = agreement.Scores{Con: *s.Con, Comp: *s.Comp, Rel: *s.Rel}
			}
		}
	}
	return in.Err()
}

// releasedRows are the rows of the released scores at a τ.
func (set *labelled) releasedRows(tau string) []agreement.Row {
	return set.rows(func(id agreement.ReviewID) *agreement.Scores {
		if s, ok := set.released[tau][id]; ok {
			return &s
		}
		return nil
	})
}

// shareOf reports whether every released comp of a change is k/n for a whole k.
func (set *labelled) shareOf(rec *dataset.Record, n int) bool {
	found := false
	for _, scores := range set.released {
		for _, review := range rec.Reviews {
			s, ok := scores[agreement.ReviewID{Change: rec.ID, Review: review.ID}]
			k := s.Comp * float64(n)
			if ok && math.Abs(k-math.Round(k)) > 1e-4 { // they were computed as float32
				return false
			}
			found = found || ok
		}
	}
	return found && n > 0
}

// rows are all reviews with their labels and a metric's scores.
func (set *labelled) rows(metric func(agreement.ReviewID) *agreement.Scores) []agreement.Row {
	var rows []agreement.Row
	for i := range set.records {
		rec := &set.records[i]
		for j := range rec.Reviews {
			review := &rec.Reviews[j]
			row := agreement.Row{Change: rec.ID, Review: review.ID, Language: rec.Lang, Human: (*agreement.Scores)(review.Human)}
			row.Metric = metric(agreement.ReviewID{Change: rec.ID, Review: review.ID})
			rows = append(rows, row)
		}
	}
	return rows
}

// edits says what became of the model's claims in the annotators' list.
type edits struct{ changes, claims, kept, other int }

func (set *labelled) edits(language string) (e edits) {
	for i := range set.records {
		rec := &set.records[i]
		if rec.Lang != language {
			continue
		}
		e.changes++
		claims := rec.Claims["magicoder"]
		e.claims += len(claims)
		for _, c := range claims {
			if slices.ContainsFunc(rec.RefsEdited, func(r dataset.EditedRef) bool { return r.Text == c }) {
				e.kept++
			}
		}
		for _, r := range rec.RefsEdited {
			if r.Kind == "claim" && !slices.Contains(claims, r.Text) {
				e.other++
			}
		}
	}
	return e
}

// rating counts the codes that readers gave claims.
type rating struct{ claims, correct, incorrect, unverifiable, missing int }

// readRating reads a sheet of eval/rating, by language.
func readRating(file string) (map[string]rating, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	out := map[string]rating{}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		f := strings.Split(strings.TrimRight(line, "\r"), "\t")
		if i == 0 {
			continue // the header
		}
		if len(f) != 6 {
			return nil, fmt.Errorf("%s: line %d: %d fields, not 6", file, i+1, len(f))
		}
		r := out[f[1]]
		switch f[5] {
		case "+":
			r.missing++
		case "1", "t":
			r.correct++
		case "0":
			r.incorrect++
		case "-1":
			r.unverifiable++
		default:
			return nil, fmt.Errorf("%s: line %d: unknown code %q", file, i+1, f[5])
		}
		r.claims = r.correct + r.incorrect + r.unverifiable
		out[f[1]] = r
	}
	return out, nil
}
