package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/eval/evidence"
	"crscore/internal/dataset"
	"crscore/internal/limits"
	"crscore/internal/matrices"
	"crscore/internal/report"
	"crscore/internal/run"
	"crscore/internal/terminal"
	"crscore/score"
)

// TestMatrices scores a dataset, and then what the matrix file of that run holds by
// several rules: the numbers are those that the command prints for each of them.
func TestMatrices(t *testing.T) {
	data, file := "testdata/labelled.jsonl", filepath.Join(t.TempDir(), "m.crsm")
	scores := func(args ...string) (rows []dataset.Row) {
		t.Helper()
		var out, complaints bytes.Buffer
		if code := Main(append([]string{"score", "--data", data}, args...), strings.NewReader(""), &out, &complaints); code != 0 {
			t.Fatalf("exit code %d: %s", code, complaints.String())
		}
		for line := range bytes.Lines(out.Bytes()) {
			var r dataset.Row
			if err := json.Unmarshal(line, &r); err != nil {
				t.Fatal(err)
			}
			rows = append(rows, r)
		}
		return rows
	}
	plain, kept := scores(), scores("--matrices", file)
	if a, b := asJSON(t, plain), asJSON(t, kept); a != b {
		t.Errorf("with --matrices\n%s\nwithout\n%s", b, a)
	}
	stem, blocks := readMatrices(t, file, nil)
	made, err := crscore.ParseProvenance(stem)
	if err != nil || !strings.HasPrefix(plain[0].Signature, "crscore/"+made.Version+" "+made.Similarity.String()+" splitter="+made.Splitter+" mode=") {
		t.Errorf("the stem is %s, %v", stem, err)
	}
	for _, tt := range []struct {
		rule score.Rule
		args []string
	}{
		{score.Rule{Mode: score.Hard, Tau: 0.3}, []string{"--mode", "hard", "--tau", "0.3"}},
		{score.Rule{Mode: score.Soft, Comp: score.CoverNoisyOr}, []string{"--mode", "soft"}},
		{score.Rule{Mode: score.Ramp, Tau: 0.5, Low: 0.1}, []string{"--mode", "ramp", "--tau", "0.5", "--low", "0.1", "--comp", "best"}},
		{score.Rule{Mode: score.Ramp, Tau: 0.5, Low: 0.1, Comp: score.CoverNoisyOr}, []string{"--mode", "ramp", "--tau", "0.5", "--low", "0.1", "--comp", "noisy-or"}},
		{score.Rule{Mode: score.Calibrated, Tau: 0.3, Slope: 15, Weights: score.Weights{"claim": 2}}, []string{"--mode", "calibrated", "--tau", "0.3", "--slope", "15", "--weights", "claim=2"}},
	} {
		rows := scores(tt.args...)
		for _, b := range blocks {
			refs := make([]score.Ref, len(b.Refs))
			for j, r := range b.Refs {
				refs[j] = score.Ref{Kind: r.Kind, Source: r.Source}
			}
			for i, review := range b.Reviews {
				r := rows[0]
				rows = rows[1:]
				sim, _ := b.Rows(i)
				got, err := score.ScoreRefs(sim, refs, tt.rule)
				if err != nil || r.ID != b.ID || r.Review != review.ID || *r.Con != got.Con || *r.Comp != got.Comp || *r.Rel != got.Rel || *r.Refs != len(refs) || *r.Sentences != review.Sentences {
					t.Errorf("%s, change %s, review %s: %+v, %v; printed is %s", tt.rule.Signature(), b.ID, review.ID, got, err, asJSON(t, r))
				}
				if r.Human != nil && (review.Human == nil || *review.Human != *r.Human) {
					t.Errorf("change %s, review %s: labels %+v", b.ID, review.ID, review.Human)
				}
			}
		}
		if len(rows) > 0 {
			t.Errorf("%s: %d reviews are not in the file", tt.rule.Signature(), len(rows))
		}
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// readMatrices reads a file whose end is that.
func readMatrices(t *testing.T, name string, end error) (stem string, blocks []*matrices.Block) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := matrices.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for {
		b, err := r.Next()
		if errors.Is(err, io.EOF) && end == nil || end != nil && errors.Is(err, end) {
			return r.Stem(), blocks
		}
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, b)
	}
}

// TestUnfinishedMatrices: a file that lacks a change has no end mark, and the command
// says so; the changes around it are there.
func TestUnfinishedMatrices(t *testing.T) {
	e, err := crscore.New(t.Context(), crscore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	begin := func(m *matrixFile, ended error, said io.Writer, ids ...string) run.Run {
		rows, err := report.NewWriter(io.Discard, jsonl, report.TextOptions{})
		if err != nil {
			t.Fatal(err)
		}
		quiet, log := &cobra.Command{}, terminal.NewLog(said)
		log.Add(quiet)
		if err := quiet.ParseFlags([]string{"--quiet"}); err != nil {
			t.Fatal(err)
		}
		return run.Run{
			Dataset: &run.Dataset{Terminal: streams{log: log}}, Rows: rows, Matrices: m,
			Scorer: records{&run.Engine{Engine: e}, ids, ended},
		}
	}
	long := strings.Repeat("x", limits.MatrixText+1)
	for _, tt := range []struct {
		name   string
		ids    []string
		whole  bool
		said   string
		blocks int // -1 for no file
	}{
		{"whole", []string{"1", "2"}, true, "", 2},
		{"of nothing", nil, true, "", 0},
		{"interrupted", []string{"1", "2"}, false, "unfinished: it has the matrices of 2 changes and no end mark", 2},
		{"interrupted at once", nil, false, "", -1},
		{"one is too large", []string{"1", long, "3"}, true, "unfinished: it has the matrices of 2 changes", 2},
		{"all are too large", []string{long}, true, "is not written: no change fits it", -1},
	} {
		name := filepath.Join(t.TempDir(), "m.crsm")
		to := terminal.NewOutFile("matrices", name)
		var said bytes.Buffer
		m, err := createMatrices(to, e)
		if err != nil {
			t.Fatal(err)
		}
		var ended error
		if !tt.whole {
			ended = context.Canceled
		}
		r := begin(m, ended, &said, tt.ids...)
		if err := r.Do(t.Context()); err != nil && tt.whole {
			said.WriteString(err.Error())
		}
		if !strings.Contains(said.String(), tt.said) || (said.Len() == 0) != (tt.said == "") {
			t.Errorf("%s: %.300s", tt.name, said.String())
		}
		if slices.Contains(tt.ids, long) && !strings.Contains(said.String(), "line 7: the change is left out") {
			t.Errorf("%s: nothing says what is missing: %.300s", tt.name, said.String())
		}
		if tt.blocks < 0 {
			if _, err := os.Lstat(name); err == nil {
				t.Errorf("%s: there is a file", tt.name)
			}
			continue
		}
		var end error
		if tt.said != "" {
			end = matrices.ErrTruncated
		}
		if _, blocks := readMatrices(t, name, end); len(blocks) != tt.blocks {
			t.Errorf("%s: %d blocks", tt.name, len(blocks))
		}
	}
	// A file that cannot be written ends the run, and so does Ctrl-C.
	name := filepath.Join(t.TempDir(), "m.crsm")
	m, err := createMatrices(terminal.NewOutFile("matrices", name), e)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := begin(m, nil, io.Discard, "1")
	if err := r.Do(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if m, err = createMatrices(terminal.NewOutFile("matrices", name), e); err != nil {
		t.Fatal(err)
	}
	m.file.Close(false)
	var said bytes.Buffer
	r = begin(m, nil, &said, "1")
	if err := r.Do(t.Context()); err == nil || !strings.Contains(said.String(), name) {
		t.Errorf("a file that was not written is whole: %v, %s", err, said.String())
	}
	_ = os.Remove(name)
	if left, err := os.ReadDir(filepath.Dir(name)); err != nil || len(left) > 0 {
		t.Errorf("%v is left of it: %v", left, err)
	}
}

// records is a scorer of changes with a review without a score, which ends with an error.
type records struct {
	*run.Engine
	ids   []string
	ended error
}

func (r records) Score(_ context.Context, _ *run.Dataset, emit func(run.Scored) error) error {
	for _, id := range r.ids {
		rec := &dataset.Record{Line: 7, ID: id, Reviews: []dataset.Review{{ID: "bot"}}, RefsEdited: []dataset.EditedRef{{Text: "x"}}}
		o := crscore.Outcome{Results: []crscore.Result{{Status: crscore.Unscored, Reason: "none"}}}
		block := func(ctx context.Context) (*matrices.Block, error) {
			return evidence.Block(ctx, r.Engine.Engine, rec, o)
		}
		if err := emit(run.Scored{Record: rec, Block: block}); err != nil {
			return err
		}
	}
	return r.ended
}
