package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crscore/sts"
)

// write makes a labelled dataset in which reviews of what the change does have
// high labels and others low ones.
func write(t *testing.T, changes int) string {
	t.Helper()
	var b strings.Builder
	for i := range changes {
		name := fmt.Sprintf("load%c", 'A'+i)
		fmt.Fprintf(&b, `{"id":"%d","lang":"py","path":"a.py","diff":"@@ -1 +1 @@\n-def %[2]s():\n+def %[2]s(path):\n","claims":{"m":["The parameter path was added to %[2]s.","Callers of %[2]s must pass a path."]},`+
			`"refs_edited":[{"text":"The parameter path was added to %[2]s.","kind":"claim","necessary":true},{"text":"Callers must pass a path.","kind":"claim","necessary":true}],"reviews":[`+
			`{"id":"good","text":"The new parameter path of %[2]s is needed by all callers.","human":{"con":5,"comp":5,"rel":5},"addressed":[1,2]},`+
			`{"id":"vague","text":"Is the parameter tested?","human":{"con":3,"comp":2,"rel":3},"addressed":[1,9]},`+
			`{"id":"empty","text":"","human":{"con":1,"comp":1,"rel":1},"addressed":[]},`+
			`{"id":"msg","text":"Left out.","human":{"con":1,"comp":1,"rel":1}}]}`+"\n", i, name)
	}
	file := filepath.Join(t.TempDir(), "labelled.jsonl")
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestTune(t *testing.T) {
	args := []string{"--data", write(t, 6), "--claims", "data:m", "--smells", "none", "--folds", "3"}
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := run(context.Background(), args, out); err != nil {
			t.Fatal(err)
		}
	}
	if first.String() != second.String() {
		t.Error("two runs differ")
	}
	for _, want := range []string{
		"dense 1.00 names 1.00 opposed 0.00 elsewhere 0.00: rel hard",
		"\n  fold 3: dense ",
		// The good review is first, the empty one last, in every change.
		"held out, the default weights: rel hard 0.8",
		", soft 0.9",
		", ROC-AUC 1.0000",
	} {
		if !strings.Contains(first.String(), want) {
			t.Errorf("%q is missing in\n%s", want, first.String())
		}
	}
}

func TestTuneBroken(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--data", "nowhere.jsonl"}, "nowhere.jsonl"},
		{[]string{"--data", write(t, 2), "--claims", "data:m", "--folds", "3"}, "--folds is 3, but must be from 2 to the number of changes, 2"},
		{[]string{"--data", write(t, 2), "--claims", "telepathy"}, "telepathy"},
		{[]string{"--data", write(t, 2), "--claims", "data:other", "--smells", "none"}, "line 1: "},
	} {
		err := run(context.Background(), tt.args, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: error %v, want %q", tt.args, err, tt.want)
		}
	}
}

// TestGrid holds the default weights among those that are tried.
func TestGrid(t *testing.T) {
	for _, w := range grid() {
		if w == sts.DefaultHybridWeights() {
			return
		}
	}
	t.Error("the default weights are not in the grid")
}
