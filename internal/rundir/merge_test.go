package rundir

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/score"
)

// of is the part of a dataset that is in a shard.
func (d data) of(s Shard) data {
	out := data{end: d.end}
	if out.end.Malformed = 0; s.Has(3) {
		out.end.Malformed = d.end.Malformed
	}
	for _, c := range d.changes {
		if s.Has(c.Line) {
			out.changes = append(out.changes, c)
		}
	}
	return out
}

// shards runs a dataset in parts, each in a directory named by its number, on one disk.
func shards(t *testing.T, m Manifest, in data, of int) *manyDisks {
	t.Helper()
	d := &manyDisks{}
	for i := range of {
		one := newDisk()
		m.Shard = Shard{i + 1, of}
		if o := start(one, m, in.of(m.Shard)); o.err != nil {
			t.Fatal(o.err)
		}
		d.add(fmt.Sprint(i+1), one)
	}
	return d
}

// manyDisks has the run directory of each disk under another name, to read.
type manyDisks struct {
	testDisk
}

func (d *manyDisks) add(dir string, one *testDisk) {
	if d.files == nil {
		d.testDisk = *newDisk()
	}
	for name, f := range one.files {
		d.files[dir+strings.TrimPrefix(name, "run")] = f
	}
}

// merge puts directories of a disk together into a new run.
func merge(d disk, dirs ...string) (*testDisk, error) {
	p, err := openParts(d, dirs)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	out := newDisk()
	r, err := open(out, "run", p.Manifest(), nil)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		c, err := p.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = r.Add(c)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, r.Finish(p.End())
}

// TestMerge has the files of a run that was not split, for every number of parts
// and in whatever order they are named.
func TestMerge(t *testing.T) {
	for name, c := range cases() {
		want := newDisk()
		if o := start(want, c.m, c.in); o.err != nil {
			t.Fatal(o.err)
		}
		for of := 1; of <= 8; of++ {
			d := shards(t, c.m, c.in, of)
			var dirs []string
			for i := of; i > 0; i-- {
				dirs = append(dirs, fmt.Sprint(i))
			}
			got, err := merge(d, dirs...)
			if err != nil {
				t.Fatalf("%s, %d shards: %v", name, of, err)
			}
			if diff := cmp.Diff(contents(want), contents(got)); diff != "" {
				t.Errorf("%s, %d shards: %s", name, of, diff)
			}
		}
		d := &manyDisks{}
		d.add("whole", want)
		if got, err := merge(d, "whole"); err != nil || cmp.Diff(contents(want), contents(got)) != "" {
			t.Errorf("%s: a whole run: %v", name, err)
		}
	}
}

// cutShards runs a dataset that was cut before lines, in a directory for each part on one disk.
func cutShards(t *testing.T, m Manifest, in data, before ...int) *manyDisks {
	t.Helper()
	d := &manyDisks{}
	first := 1
	for i, end := range append(before, in.end.Lines+1) {
		m.Shard, m.Lines = Shard{i + 1, len(before) + 1}, Lines{first, end - 1}
		part := data{end: in.end}
		if part.end.Malformed = 0; m.has(3) {
			part.end.Malformed = in.end.Malformed
		}
		for _, c := range in.changes {
			if m.has(c.Line) {
				part.changes = append(part.changes, c)
			}
		}
		one := newDisk()
		if o := start(one, m, part); o.err != nil {
			t.Fatal(o.err)
		}
		d.add(fmt.Sprint(i+1), one)
		first = end
	}
	return d
}

// TestMergeParts has the files of a run that was not split, wherever the dataset was cut.
func TestMergeParts(t *testing.T) {
	for name, c := range cases() {
		want := newDisk()
		if o := start(want, c.m, c.in); o.err != nil {
			t.Fatal(o.err)
		}
		lines := c.in.end.Lines
		for _, before := range [][]int{{}, {2}, {1, 1, 4}, {3, 4, lines + 1, lines + 1}} {
			if slices.Max(append(before, 0)) > lines+1 {
				continue
			}
			d := cutShards(t, c.m, c.in, before...)
			var dirs []string
			for i := len(before) + 1; i > 0; i-- {
				dirs = append(dirs, fmt.Sprint(i))
			}
			got, err := merge(d, dirs...)
			if err != nil {
				t.Fatalf("%s, %v: %v", name, before, err)
			}
			if diff := cmp.Diff(contents(want), contents(got)); diff != "" {
				t.Errorf("%s, %v: %s", name, before, diff)
			}
		}
	}

	m, in := withMatrices(), sample(9, false)
	d := cutShards(t, m, in, 3, 6)
	for name, f := range cutShards(t, m, in, 4, 6).files {
		d.files["other"+name] = f
	}
	for name, f := range shards(t, m, in, 3).files {
		d.files["apart"+name] = f
	}
	shorter := cutShards(t, m, sample(8, false), 3, 6)
	for dirs, want := range map[string]string{
		"1 3":             "missing: the run directory of shard 2/3",
		"1 2 2 3":         "shard 2/3 is there twice",
		"1 other2 3":      "other2 has the lines 4-5 of the dataset, and the shard before it ends with line 2: the dataset was cut in two ways",
		"other1 other2 3": "",
		"1 2 apart3":      "1 and apart3 do not go together: of one the dataset was cut by crscore split, of the other it was whole",
		"apart1 apart2 3": "apart1 and 3 do not go together",
	} {
		if _, err := merge(d, strings.Fields(dirs)...); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", dirs, err, want)
		}
	}
	for name, f := range shorter.files {
		d.files["less"+name] = f
	}
	if _, err := merge(d, "1", "2", "less3"); err == nil || !strings.Contains(err.Error(), "one has 9 lines, the other 8") {
		t.Error(err)
	}
}

func TestMergeRefuses(t *testing.T) {
	m, in := withMatrices(), sample(9, false)
	d := shards(t, m, in, 3)
	for name, one := range map[string]struct {
		m  Manifest
		in data
	}{
		"soft":   {Manifest{Signature: score.ReadSignature("crscore/9 encoder=test mode=soft"), Shard: Shard{2, 3}}, in},
		"halves": {Manifest{Signature: m.Signature, Matrices: m.Matrices, Shard: Shard{1, 2}}, in},
		"short":  {Manifest{Signature: m.Signature, Matrices: m.Matrices, Shard: Shard{2, 3}}, sample(8, false)},
		"again":  {Manifest{Signature: m.Signature, Matrices: m.Matrices, Shard: Shard{2, 3}}, in},
		"whole":  {m, in},
	} {
		disk := newDisk()
		if o := start(disk, one.m, one.in.of(one.m.Shard)); o.err != nil {
			t.Fatal(o.err)
		}
		d.add(name, disk)
	}
	other := newDisk()
	changed := in.of(Shard{3, 3})
	changed.end.Text = strings.Repeat("0", 64)
	if o := start(other, Manifest{Signature: m.Signature, Matrices: m.Matrices, Shard: Shard{3, 3}}, changed); o.err != nil {
		t.Fatal(o.err)
	}
	d.add("other", other)
	unfinished := newDisk()
	r, err := open(unfinished, "run", m, nil)
	if err == nil {
		err = errors.Join(r.Add(in.changes[0]), r.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	d.add("unfinished", unfinished)
	wrong := newDisk()
	if o := start(wrong, Manifest{Signature: m.Signature, Matrices: m.Matrices, Shard: Shard{3, 3}}, in.of(Shard{2, 3})); o.err != nil {
		t.Fatal(o.err)
	}
	d.add("wrong", wrong)
	damaged := shards(t, m, in, 3)
	damaged.files["2/scores.jsonl"].now[5] ^= 1
	d.files["damaged/run.json"], d.files["damaged/journal"] = damaged.files["2/run.json"], damaged.files["2/journal"]
	d.files["damaged/scores.jsonl"], d.files["damaged/matrices.crsm"] = damaged.files["2/scores.jsonl"], damaged.files["2/matrices.crsm"]

	tests := []struct {
		dirs string
		want string
	}{
		{"", "no run directories"},
		{"1 3", "missing: the run directory of shard 2/3"},
		{"2", "missing: the run directory of shard 1/3, 3/3"},
		{"1 2 3 2", "shard 2/3 is there twice: 2 and 2"},
		{"1 2 3 again", "shard 2/3 is there twice: 2 and again"},
		{"1 soft 3", "1 and soft are not of one run: tau is 0.4 in 1 and none in soft; mode is none in 1 and soft in soft; keeping matrices is on in 1 and off in soft"},
		{"1 2 halves", "1 is one of 3 shards, and halves is one of 2"},
		{"1 2 whole", "1 is one of 3 shards, and whole is one of 1"},
		{"1 short 3", "1 and short are of other datasets: one has 9 lines, the other 8"},
		{"1 2 other", "1 and other are of other datasets: their checksums are"},
		{"1 nowhere 3", "the run directory nowhere: there is no run in it"},
		{"unfinished", "the run directory unfinished: the run is unfinished (1 change is finished): start it again first"},
		{"1 2 wrong", "the run directory wrong: line 2 of the dataset is in it, which is not in shard 3/3"},
		{"1 damaged 3", "the run directory damaged: scores.jsonl was changed or is damaged: the lines of the change of line"},
	}
	for _, tt := range tests {
		_, err := merge(d, strings.Fields(tt.dirs)...)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.dirs, err, tt.want)
		}
	}
}
