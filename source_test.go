package crscore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"crscore"
	"crscore/change"
	"crscore/pseudoref"
	"crscore/score"
	"crscore/sts"
)

// loops is a source of smells: endless loops that the change adds.
type loops struct{}

func (loops) Signature() string { return "loops/1" }

func (loops) Refs(ctx context.Context, run *crscore.ChangeRun) (crscore.Found, error) {
	trees, err := run.Trees(ctx) // parsed once for all sources
	if err != nil {
		return crscore.Found{}, err
	}
	var found crscore.Found
	for _, file := range trees.Files {
		added := file.ChangedLines(change.New)
		for _, part := range file.New {
			for node := range part.Nodes.All() {
				if node.Type() != "while_statement" || part.Text(node.ChildByFieldName("condition")) != "True" {
					continue
				}
				first, last := part.Lines(node)
				if !slices.Contains(added, first) {
					continue
				}
				found.Refs = append(found.Refs, pseudoref.Ref{
					Kind: pseudoref.Smell, Text: fmt.Sprintf("The loop at line %d never ends by itself.", first),
					Source: "loops", Path: file.Path(), Side: "new", StartLine: first, EndLine: last,
				})
			}
		}
	}
	return found, nil
}

// Gives makes the engine accept the weight smell@loops and warn of any other name.
func (loops) Gives(name string) bool { return name == "loops" }

// A program adds a source of its own, which reads the syntax trees of the change.
func ExampleSource() {
	diff := `--- a/worker.py
+++ b/worker.py
@@ -1,2 +1,3 @@
 def work(queue):
-    queue.pop()()
+    while True:
+        queue.pop()()
`
	ch, err := change.Parse([]byte(diff), change.Options{})
	if err != nil {
		log.Fatal(err)
	}
	set, err := crscore.Refs(context.Background(), crscore.Input{Change: ch}, crscore.Options{
		Claims: []crscore.Source{}, Smells: []crscore.Source{loops{}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, ref := range set.Refs {
		fmt.Printf("%s:%d: %s\n", ref.Path, ref.StartLine, ref.Text)
	}
	fmt.Println(set.Sources)
	// Output:
	// worker.py:2: The loop at line 2 never ends by itself.
	// claims=none smells=loops/1
}

// spelling asks a program about the added lines of many changes. The program starts
// once for a batch.
type spelling struct {
	starts *atomic.Int32
}

func (spelling) Signature() string { return "spelling/1" }

// Prepare warns before the first change if the program is missing.
func (spelling) Prepare(context.Context) error {
	_, err := exec.LookPath("grep")
	return err
}

func (s spelling) Refs(ctx context.Context, run *crscore.ChangeRun) (crscore.Found, error) {
	answers, err := s.RefsBatch(ctx, []*crscore.ChangeRun{run})
	if err != nil {
		return crscore.Found{}, err
	}
	return answers[0].Found, answers[0].Err
}

func (s spelling) RefsBatch(ctx context.Context, runs []*crscore.ChangeRun) ([]crscore.Answer, error) {
	s.starts.Add(1)
	var text strings.Builder
	for i, run := range runs {
		for _, file := range run.Change.Files {
			for _, hunk := range file.Hunks {
				for _, line := range hunk.Lines {
					if line.Op == change.Add {
						fmt.Fprintf(&text, "%d %s\n", i, line.Text)
					}
				}
			}
		}
	}
	cmd := exec.CommandContext(ctx, "grep", "recieve")
	cmd.Stdin = strings.NewReader(text.String())
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) { // 1: no line
		return nil, err
	}
	answers := make([]crscore.Answer, len(runs))
	for line := range bytes.Lines(out) {
		var i int
		if _, err := fmt.Sscan(string(line), &i); err != nil {
			return nil, err
		}
		found := &answers[i].Found
		found.Refs = append(found.Refs, pseudoref.Ref{Kind: pseudoref.Smell, Text: "The word `recieve` is misspelt.", Source: "spelling"})
	}
	return answers, nil
}

// A source that runs a program answers for many changes at once: here the program
// starts once for three changes.
func ExampleBatchSource() {
	ctx := context.Background()
	starts := new(atomic.Int32)
	engine, err := crscore.New(ctx, crscore.Options{Claims: []crscore.Source{}, Smells: []crscore.Source{spelling{starts}}})
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()

	lines := []string{"def receive(): pass", "def recieve(): pass", "recieve()"}
	next := func() (crscore.Job, error) {
		if len(lines) == 0 {
			return crscore.Job{}, io.EOF
		}
		line := lines[0]
		lines = lines[1:]
		return crscore.Job{
			Tag: line, Reviews: []string{"There is a typo in the name."},
			Load: func() (crscore.Input, error) {
				ch, err := change.Parse([]byte("@@ -0,0 +1 @@\n+"+line+"\n"), change.Options{Path: "mail.py"})
				return crscore.Input{Change: ch}, err
			},
		}, nil
	}
	err = engine.Stream(ctx, next, func(o crscore.Outcome) error {
		fmt.Printf("%v: %d references, %s\n", o.Tag, len(o.Refs), o.Results[0].Status)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("starts:", starts.Load())
	// Output:
	// def receive(): pass: 0 references, unscored
	// def recieve(): pass: 1 references, scored
	// recieve(): 1 references, scored
	// starts: 1
}

const addedLine = "@@ -1 +1,2 @@\n a = 1\n+b = a\n"

func parsed(t *testing.T, diff string) *change.Change {
	t.Helper()
	ch, err := change.Parse([]byte(diff), change.Options{Path: "f.py"})
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

// sharing notes the trees that it gets.
type sharing struct{ got *[]*crscore.Trees }

func (sharing) Signature() string { return "sharing" }

func (s sharing) Refs(ctx context.Context, run *crscore.ChangeRun) (crscore.Found, error) {
	trees, err := run.Trees(ctx)
	*s.got = append(*s.got, trees)
	return crscore.Found{}, err
}

// TestTreesAreShared: all sources of a change get the same trees, and each call of
// Refs parses anew.
func TestTreesAreShared(t *testing.T) {
	var got []*crscore.Trees
	in := crscore.Input{Change: parsed(t, addedLine)}
	opts := crscore.Options{Claims: []crscore.Source{sharing{&got}}, Smells: []crscore.Source{sharing{&got}}}
	for range 2 {
		if _, err := crscore.Refs(t.Context(), in, opts); err != nil {
			t.Fatal(err)
		}
	}
	if len(got) != 4 || got[0] == nil || got[0] != got[1] || got[2] != got[3] || got[1] == got[2] {
		t.Errorf("%p", got)
	}
}

// TestSourceAlone: a source works without an engine.
func TestSourceAlone(t *testing.T) {
	run := &crscore.ChangeRun{Input: crscore.Input{Change: parsed(t, addedLine)}}
	found, err := crscore.SymbolicClaims().Refs(t.Context(), run)
	if err != nil || len(found.Refs) == 0 {
		t.Errorf("%+v, %v", found, err)
	}
	if _, err := crscore.SymbolicClaims().Refs(t.Context(), &crscore.ChangeRun{}); err == nil || err.Error() != "there is no change" {
		t.Errorf("without a change: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	late := &crscore.ChangeRun{Input: run.Input}
	if _, err := late.Trees(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if trees, err := late.Trees(t.Context()); err != nil || len(trees.Files) != 1 {
		t.Errorf("after a cancelled call: %v, %v", trees, err)
	}
}

// moody is a BatchSource whose batches fail; it answers for a change alone.
type moody struct {
	batch func(runs []*crscore.ChangeRun) ([]crscore.Answer, error)
	alone *atomic.Int32
}

func (moody) Signature() string { return "moody/1" }

func (m moody) Refs(context.Context, *crscore.ChangeRun) (crscore.Found, error) {
	m.alone.Add(1)
	return crscore.Found{Refs: []pseudoref.Ref{{Kind: pseudoref.Claim, Text: "b is a", Source: "moody"}}}, nil
}

func (m moody) RefsBatch(_ context.Context, runs []*crscore.ChangeRun) ([]crscore.Answer, error) {
	return m.batch(runs)
}

// same finds every pair of texts similar.
type same struct{}

func (same) Signature() sts.Signature { return sts.Signature{{Name: "sim", Value: "same"}} }

func (same) Matrix(_ context.Context, a, b []string) ([][]float32, error) {
	out := make([][]float32, len(a))
	for i := range out {
		out[i] = slices.Repeat([]float32{1}, len(b))
	}
	return out, nil
}

// TestBatchFails: a batch that fails, panics or gives the wrong number of answers makes
// the engine ask about each change alone; an answer's error costs its change only.
func TestBatchFails(t *testing.T) {
	in := crscore.Input{Change: parsed(t, addedLine)}
	const jobs = 3
	for name, tt := range map[string]struct {
		batch         func(runs []*crscore.ChangeRun) ([]crscore.Answer, error)
		alone, scored int
		panics        int
	}{
		"error":       {func([]*crscore.ChangeRun) ([]crscore.Answer, error) { return nil, errors.New("gone") }, jobs, jobs, 0},
		"panic":       {func([]*crscore.ChangeRun) ([]crscore.Answer, error) { panic("bug") }, jobs, jobs, 1},
		"too few":     {func([]*crscore.ChangeRun) ([]crscore.Answer, error) { return make([]crscore.Answer, 1), nil }, jobs, jobs, 0},
		"one refuses": {func(r []*crscore.ChangeRun) ([]crscore.Answer, error) { return refusing(r), nil }, 0, jobs - 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			tau, panics, alone := 0.5, 0, new(atomic.Int32)
			e, err := crscore.New(t.Context(), crscore.Options{
				Claims: []crscore.Source{moody{tt.batch, alone}}, Smells: []crscore.Source{}, Similarity: same{}, Mode: score.Hard, Tau: &tau,
				OnPanic: func(*pseudoref.Panic) { panics++ },
			})
			if err != nil {
				t.Fatal(err)
			}
			n, scored := 0, 0
			err = e.Stream(t.Context(), func() (crscore.Job, error) {
				if n++; n > jobs {
					return crscore.Job{}, io.EOF
				}
				return crscore.Job{Reviews: []string{"b is a"}, Load: func() (crscore.Input, error) { return in, nil }}, nil
			}, func(o crscore.Outcome) error {
				if r := o.Results[0]; r.Status == crscore.Scored {
					scored++
				} else if !strings.Contains(r.Reason, "moody/1: not this one") {
					t.Error(r.Reason)
				}
				return nil
			})
			if err != nil || scored != tt.scored || int(alone.Load()) != tt.alone || panics != tt.panics {
				t.Errorf("%d scored, %d asked alone, %d panics, %v", scored, alone.Load(), panics, err)
			}
		})
	}
}

// refusing has no answer for the second change.
func refusing(runs []*crscore.ChangeRun) []crscore.Answer {
	answers := make([]crscore.Answer, len(runs))
	for i := range answers {
		answers[i].Found.Refs = []pseudoref.Ref{{Kind: pseudoref.Claim, Text: "b is a", Source: "moody"}}
	}
	answers[1] = crscore.Answer{Err: errors.New("not this one")}
	return answers
}

// TestOptionalInterfaces: a source of another package can prepare itself and name its
// references, as the sources of this package do.
func TestOptionalInterfaces(t *testing.T) {
	for weights, want := range map[string]string{
		"smell@loops=2": "", "smell@loop=2": "the weight of smell@loop changes nothing: no smell here has this source (they are of loops/1,absent/1)",
	} {
		w, err := score.ParseWeights(weights)
		if err != nil {
			t.Fatal(err)
		}
		e, err := crscore.New(t.Context(), crscore.Options{
			Claims: []crscore.Source{}, Smells: []crscore.Source{loops{}, absent{}}, Similarity: same{}, Mode: score.Soft, Weights: w,
		})
		if err != nil {
			t.Fatal(err)
		}
		got := e.Warnings()
		if len(got) == 0 || got[0] != "absent/1: start the server" || strings.Join(got[1:], "\n") != want {
			t.Errorf("%s: %q", weights, got)
		}
	}
}

// absent is a source that cannot be reached.
type absent struct{ loops }

func (absent) Signature() string { return "absent/1" }

func (absent) Prepare(context.Context) error { return errors.New("start the server") }

// wordy says what the data says, in other words.
type wordy struct{ paraphrases bool }

func (wordy) Signature() string { return "wordy/1" }

func (wordy) Refs(context.Context, *crscore.ChangeRun) (crscore.Found, error) {
	return crscore.Found{Refs: []pseudoref.Ref{{Kind: pseudoref.Claim, Text: "The parameter `hash` was added to the `push` function.", Source: "wordy"}}}, nil
}

func (w wordy) Paraphrases() bool { return w.paraphrases }

// TestParaphraser: a claim in other words is dropped only from a source that
// paraphrases.
func TestParaphraser(t *testing.T) {
	in := crscore.Input{Change: parsed(t, addedLine), Claims: map[string][]string{"d": {"The parameter `hash` was added to the function `push`."}}}
	for _, paraphrases := range []bool{true, false} {
		e, err := crscore.New(t.Context(), crscore.Options{Claims: []crscore.Source{wordy{paraphrases}, crscore.DataClaims("d")}, Smells: []crscore.Source{}})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		set, err := e.Refs(t.Context(), in)
		if dropped := len(set.Dropped) == 1 && len(set.Refs) == 1; err != nil || dropped != paraphrases {
			t.Errorf("paraphrases %v: %+v, %v", paraphrases, set, err)
		}
	}
}
