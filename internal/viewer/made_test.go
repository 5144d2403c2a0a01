package viewer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"crscore/internal/dataset"
	"crscore/internal/matrices"
	"crscore/internal/present"
	"crscore/score"
)

// made is a run that tests made up, without an engine.
type made struct {
	data, rows, kept string // names of files
	rule             score.Rule
	blocks           []*matrices.Block
}

// sizes of a made run.
type sizes struct {
	changes, systems int
	rule             score.Rule
	explain          bool
}

func signatureOf(r score.Rule) string {
	return "crscore/0 encoder=test splitter=test " + r.Signature() + " claims=test smells=none"
}

// make1 writes the files of a run: every seventh review has labels, some are unscored, one
// change in a hundred has no references, some systems lack a review.
func make1(t testing.TB, s sizes) made {
	t.Helper()
	if s.rule.Mode == "" {
		s.rule = score.Rule{Mode: score.Hard, Tau: 0.3}
	}
	dir := t.TempDir()
	m := made{data: filepath.Join(dir, "data.jsonl"), rows: filepath.Join(dir, "rows.jsonl"), kept: filepath.Join(dir, "kept.crsm"), rule: s.rule}
	data, rows, kept := create(t, m.data), create(t, m.rows), create(t, m.kept)
	w, err := matrices.NewWriter(kept, "crscore/0 encoder=test splitter=test claims=test smells=none")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	langs := []string{"py", "go", "java", "js", ""}
	var dataText, rowsText bytes.Buffer
	for i := range s.changes {
		rec := dataset.Record{ID: fmt.Sprint(i + 1), Lang: langs[i%5], Path: fmt.Sprintf("src/part%d/file%d.py", i%7, i), Diff: fmt.Sprintf("@@ -1,2 +1,2 @@\n-old = %d\n+new = %d\n rest\n", i, i)}
		b := &matrices.Block{ID: rec.ID}
		refs := r.IntN(12) + 1
		if i%100 == 99 {
			refs = 0
		}
		for k := range refs {
			b.Refs = append(b.Refs, matrices.Ref{Kind: []string{"claim", "smell"}[k%2], Source: []string{"symbolic", "builtin"}[k%2]})
		}
		for k := range s.systems {
			if (i+k)%37 == 5 {
				continue // has no review of the change
			}
			one := dataset.Review{ID: fmt.Sprintf("system%02d", k+1), Text: fmt.Sprintf("The value of change %d is said by %d.", i, k)}
			if k == s.systems-1 {
				one.ID = dataset.HumanReference
			}
			if (i+k)%7 == 0 {
				one.Human = &dataset.Human{Con: float64(1 + r.IntN(5)), Comp: float64(1 + r.IntN(5)), Rel: float64(1 + r.IntN(5))}
			}
			rec.Reviews = append(rec.Reviews, one)
			kept := matrices.Review{ID: one.ID, Sentences: r.IntN(5)}
			if refs == 0 {
				kept.Sentences, kept.Unscored = 0, "the change has no pseudo-references"
			}
			for range kept.Sentences * refs {
				kept.Sim = append(kept.Sim, r.Float32()*r.Float32())
			}
			b.Reviews = append(b.Reviews, kept)
			line(t, &rowsText, rowOfBlock(t, b, len(b.Reviews)-1, s.rule, s.explain))
		}
		line(t, &dataText, rec.Written(nil))
		if err := w.Write(b); err != nil {
			t.Fatal(err)
		}
		m.blocks = append(m.blocks, b)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, f := range []struct {
		to   *os.File
		text *bytes.Buffer
	}{{data, &dataText}, {rows, &rowsText}} {
		if _, err := f.to.Write(f.text.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// rowOfBlock is the row of a review, as crscore score prints it.
func rowOfBlock(t testing.TB, b *matrices.Block, i int, rule score.Rule, explain bool) dataset.Row {
	review := &b.Reviews[i]
	out := dataset.Row{ID: b.ID, Review: review.ID, Status: "scored", Mode: string(rule.Mode), Signature: signatureOf(rule)}
	out.CompBy = present.CompBy(rule)
	out.Tau, out.Low, out.Slope = rule.Parameters()
	if review.Unscored != "" {
		out.Status, out.Reason = "unscored", review.Unscored
		return out
	}
	sim, _ := b.Rows(i)
	res, err := score.ScoreRefs(sim, refsOf(b), rule)
	if err != nil {
		t.Fatal(err)
	}
	out.Con, out.Comp, out.Rel, out.Sentences, out.Refs = &res.Con, &res.Comp, &res.Rel, new(len(sim)), new(len(b.Refs))
	if !explain {
		return out
	}
	out.Explain = &dataset.Explain{Sentences: []dataset.Sentence{}}
	for k, best := range res.Sentences {
		out.Explain.Sentences = append(out.Explain.Sentences, dataset.Sentence{
			Text: fmt.Sprintf("Sentence %d of %s.", k+1, review.ID), Ref: best.Index + 1, Similarity: best.Similarity, Credit: best.Credit,
		})
	}
	for k, best := range res.Refs {
		ref := dataset.Ref{
			Kind: b.Refs[k].Kind, Source: b.Refs[k].Source, Text: fmt.Sprintf("Reference %d of %s.", k+1, b.ID),
			Sentence: new(best.Index + 1), Similarity: new(best.Similarity), Credit: new(best.Credit),
		}
		if w := rule.Weights.Of(ref.Kind, ref.Source); w != 1 {
			ref.Weight = &w
		}
		out.Explain.Refs = append(out.Explain.Refs, ref)
	}
	return out
}

func refsOf(b *matrices.Block) []score.Ref {
	refs := make([]score.Ref, len(b.Refs))
	for k, ref := range b.Refs {
		refs[k] = score.Ref{Kind: ref.Kind, Source: ref.Source}
	}
	return refs
}

func create(t testing.TB, name string) *os.File {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func line(t testing.TB, to *bytes.Buffer, v any) {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	to.Write(append(b, '\n'))
}

// options are the options to view a made run.
func (m made) options() Options {
	return Options{Data: m.data, Runs: []string{m.rows}, Matrices: []string{m.kept}, Open: osOpen, IsDir: func(string) bool { return false }}
}

func osOpen(name string) (io.ReadCloser, error) { return os.Open(name) }

func view(t testing.TB, o Options) *Viewer {
	t.Helper()
	v, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}
