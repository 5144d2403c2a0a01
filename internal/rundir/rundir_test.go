package rundir

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/matrices"
	"crscore/score"
)

// data is a dataset as a run sees it: changes at their places, and its end.
type data struct {
	changes []Change
	end     End
}

// sample is a dataset of so many lines. Line 3 is malformed; some changes have no
// reviews, one has many; with leftOut one has no matrices, and one such that may not
// stand in a file.
func sample(lines int, leftOut bool) data {
	var d data
	h := sha256.New()
	d.end.Text = hex.EncodeToString(h.Sum(nil))
	for i := 1; i <= lines; i++ {
		fmt.Fprintf(h, "line %d\n", i)
		text := hex.EncodeToString(h.Sum(nil))
		d.end = End{Lines: i, Malformed: d.end.Malformed, Text: text}
		if i == 3 {
			d.end.Malformed++
			continue
		}
		reviews := []int{1, 0, 2, 9}[i%4]
		b := &matrices.Block{ID: fmt.Sprint(i), Refs: make([]matrices.Ref, 2)}
		var rows []byte
		for j := range reviews {
			rows = fmt.Appendf(rows, `{"id":"%d","review":"%d","rel":%d}`+"\n", i, j, i*j)
			b.Reviews = append(b.Reviews, matrices.Review{ID: fmt.Sprint(j), Sentences: 1, Sim: []float32{float32(i) / 1000, 0.5}})
		}
		if leftOut && i == 4 {
			b = nil
		}
		if leftOut && i == 5 {
			b.Reviews = append(b.Reviews, matrices.Review{Sentences: -1})
		}
		d.changes = append(d.changes, Change{Place{i, text}, rows, b})
	}
	return d
}

var plain = Manifest{Kind: score.KindScore, Signature: score.ReadSignature("crscore/9 encoder=test tau=0.4")}

func withMatrices() Manifest {
	m := plain
	m.Matrices = "crscore/9 encoder=test"
	return m
}

// outcome is what became of one start of a run.
type outcome struct {
	kept     []byte // result lines that were there
	opened   bool
	found    int  // finished changes that were there
	added    int  // changes that were added without an error
	cut, now int  // lines that were cut off at the start, and finished changes at the end
	finished bool // Finish said so
	err      error
}

// start runs a dataset through a directory, as the command does.
func start(d *testDisk, m Manifest, in data) (o outcome) {
	r, err := open(d, "run", m, func(rows []byte) error { o.kept = append(o.kept, rows...); return nil })
	if err != nil {
		o.err = err
		return o
	}
	defer func() { o.err, o.now = errors.Join(o.err, r.Close()), r.Kept() }()
	o.opened, o.found, o.cut = true, r.Changes(), r.Cut()
	for _, c := range in.changes {
		done, err := r.Done(c.Place)
		if err != nil {
			o.err = err
			return o
		}
		if done {
			continue
		}
		if m.Matrices == "" {
			c.Block = nil
		}
		if d.pause != nil {
			d.pause()
		}
		if err := r.Add(c); err != nil && !errors.As(err, new(*matrices.Refused)) {
			o.err = err
			return o
		}
		o.added++
	}
	o.err = r.Finish(in.end)
	o.finished = o.err == nil
	return o
}

// contents are the files of a disk.
func contents(d *testDisk) map[string]string {
	out := map[string]string{}
	for name, f := range d.files {
		out[name] = string(f.now)
	}
	return out
}

// cases are runs to disturb.
func cases() map[string]struct {
	m  Manifest
	in data
} {
	type c = struct {
		m  Manifest
		in data
	}
	return map[string]c{
		"scores":   {plain, sample(6, false)},
		"matrices": {withMatrices(), sample(6, false)},
		"left out": {withMatrices(), sample(6, true)},
		"empty":    {withMatrices(), sample(0, false)},
	}
}

func TestUndisturbed(t *testing.T) {
	for name, c := range cases() {
		d := newDisk()
		if o := start(d, c.m, c.in); o.err != nil || !o.finished || o.added != len(c.in.changes) || o.found != 0 {
			t.Fatalf("%s: %+v", name, o)
		}
		var want bytes.Buffer
		for _, c := range c.in.changes {
			want.Write(c.Rows)
		}
		if got := d.files["run/scores.jsonl"].now; !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s: %q", name, got)
		}
		before := contents(d)
		calls := d.killed()
		o := start(calls, c.m, c.in)
		if o.err != nil || !o.finished || o.added != 0 || o.found != len(c.in.changes) || !bytes.Equal(o.kept, want.Bytes()) {
			t.Errorf("%s, again: %+v", name, o)
		}
		if diff := cmp.Diff(before, contents(calls)); diff != "" {
			t.Errorf("%s: a finished run was changed: %s", name, diff)
		}
		if name == "matrices" {
			r, err := matrices.NewReader(bytes.NewReader(d.files["run/matrices.crsm"].now))
			for err == nil {
				_, err = r.Next()
			}
			if err.Error() != "EOF" || r.Stem() != c.m.Matrices {
				t.Error(err)
			}
		}
	}
}

// TestForm holds the bytes of a run directory against those that were written once:
// another form needs another version.
func TestForm(t *testing.T) {
	d := newDisk()
	if o := start(d, plain, sample(4, false)); o.err != nil {
		t.Fatal(o.err)
	}
	want := map[string]string{
		"run/run.json": `{
  "crscore_run": 1,
  "kind": "score",
  "signature": "crscore/9 encoder=test tau=0.4",
  "explain": false,
  "fields": {
    "crscore": "9",
    "encoder": "test",
    "tau": "0.4"
  },
  "data": {
    "sha256": "699793afbd9212c9a54989c189010f21d15273f850ed91de9fae78018393987f",
    "lines": 4,
    "malformed": 1
  }
}
`,
		"run/journal": `1 39d031a6c1c19635 0 - 00000000 afb3172a
2 9060554863a62b9d 64 - 48b0a8d8 a421dbe1
4 699793afbd9212c9 96 - c001fc18 2051a5fb
end 4 1 699793afbd9212c9a54989c189010f21d15273f850ed91de9fae78018393987f 96 0 8e3422b1
`,
	}
	for name, text := range want {
		if got := string(d.files[name].now); got != text {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestOldManifest reads run.json as earlier versions wrote it.
func TestOldManifest(t *testing.T) {
	for text, kind := range map[string]string{
		"crscore/9 encoder=test tau=0.4":                                            "",
		"crscore/9 encoder=a mode=hard tau=0.4 claims=data:gpt judge=1 smells=none": score.KindScore,
		"crscore/9 judge=grade/2 model=ollama:m":                                    score.KindJudge,
		"crscore/9 references=msg written=forms/1 chrf=chrf|case:yes":               score.KindMetrics,
	} {
		m, _, err := parseManifest([]byte(`{"crscore_run":1,"signature":"` + text + `"}`))
		if err != nil || m.Kind != kind || m.Signature.String() != text {
			t.Errorf("%q: %+v, %v", text, m, err)
		}
	}
	m, _, err := parseManifest([]byte(`{"crscore_run":1,"signature":"crscore/9 tau=0.4","fields":{"crscore":"9","tau":"0.3"}}`))
	if err == nil || !strings.Contains(err.Error(), `its fields are those of another signature, "crscore/9 tau=0.3"`) {
		t.Errorf("%+v, %v", m, err)
	}
	// What a name of the dataset has in it is no field.
	typed := Manifest{Signature: score.Signature{{Name: "crscore", Value: "9"}, {Name: "mode", Value: "soft"}, {Name: "claims", Value: "data:gpt smells=4"}}}
	old := Manifest{Signature: score.ReadSignature(typed.Signature.String())}
	if diff := old.Differences(typed, "there", "here"); diff != nil || len(old.Signature) == 3 {
		t.Errorf("an old run differs from itself: %q", diff)
	}
}

func TestAnotherRun(t *testing.T) {
	d := newDisk()
	if o := start(d, withMatrices(), sample(5, false)); o.err != nil {
		t.Fatal(o.err)
	}
	other := withMatrices()
	other.Signature = score.ReadSignature("crscore/10 encoder=test mode=soft")
	other.Explain, other.Shard = true, Shard{1, 2}
	changed := sample(5, false)
	changed.changes[3].Text = strings.Repeat("0", 64)
	fewer := sample(4, false)
	malformed := sample(5, false)
	malformed.changes = append(malformed.changes[:1:1], malformed.changes[2:]...)
	isChange := sample(5, false)
	isChange.changes[2].Line = 3
	tail := sample(5, false)
	tail.end.Text = strings.Repeat("0", 64)
	tests := []struct {
		name string
		m    Manifest
		in   data
		want string
	}{
		{"options", other, sample(5, false), "its run is another one: crscore is 9 there and 10 here; tau is 0.4 there and none here; mode is none there and soft here; --explain is off there and on here; the shard is none there and 1/2 here; name another directory"},
		{"no matrices", plain, sample(5, false), "keeping matrices is on there and off here"},
		{"line", withMatrices(), changed, "the dataset is not the one that the run began with: line 5 differs"},
		{"fewer", withMatrices(), fewer, "it ends before line 5, which is finished"},
		{"more", withMatrices(), sample(6, false), "the run is finished, but the dataset is not the one that it read: line 6 is behind its last change"},
		{"malformed", withMatrices(), malformed, "line 2 was a change, and is none"},
		{"a change", withMatrices(), isChange, "line 3 is a change, and was none"},
		{"tail", withMatrices(), tail, "the difference is behind the last change"},
	}
	before := contents(d)
	for _, tt := range tests {
		o := start(d, tt.m, tt.in)
		if o.err == nil || !strings.Contains(o.err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, o.err, tt.want)
		}
		if diff := cmp.Diff(before, contents(d)); diff != "" {
			t.Fatalf("%s: the run was changed: %s", tt.name, diff)
		}
	}
}
