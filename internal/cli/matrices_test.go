package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crscore"
	"crscore/internal/dataset"
	"crscore/internal/matrices"
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
	outcome := func(id string) (*dataset.Record, crscore.Outcome) {
		return &dataset.Record{Line: 7, ID: id, Reviews: []dataset.Review{{ID: "bot"}}}, crscore.Outcome{Results: []crscore.Result{{Status: crscore.Unscored, Reason: "none"}}}
	}
	long := strings.Repeat("x", matrices.MaxTextBytes+1)
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
		for _, id := range tt.ids {
			rec, o := outcome(id)
			if err := m.add(t.Context(), e, rec, o, streams{log: terminal.NewLog(&said)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.close(tt.whole); err != nil {
			said.WriteString(err.Error())
		}
		if !strings.Contains(said.String(), tt.said) || (said.Len() == 0) != (tt.said == "") {
			t.Errorf("%s: %.300s", tt.name, said.String())
		}
		if m.lost > 0 && !strings.Contains(said.String(), "line 7: the change is left out") {
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
	rec, o := outcome("1")
	rec.RefsEdited = []dataset.EditedRef{{Text: "x"}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.add(ctx, e, rec, o, streams{log: terminal.NewLog(io.Discard)}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	m.file.Close(false)
	if err := m.add(t.Context(), e, rec, o, streams{log: terminal.NewLog(io.Discard)}); err == nil {
		t.Error("no error for a file that cannot be written")
	}
	if err := m.close(true); err == nil {
		t.Error("a file that was not written is whole")
	}
	if left, err := os.ReadDir(filepath.Dir(name)); err != nil || len(left) > 0 {
		t.Errorf("%v is left of it: %v", left, err)
	}
}
