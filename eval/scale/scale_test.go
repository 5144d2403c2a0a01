package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"crscore"
	"crscore/change"
	"crscore/eval/evidence"
	"crscore/internal/dataset"
	"crscore/internal/syntax"
)

// TestGeneratorIsDeterministic: a change is the same in every dataset of its seed.
func TestGeneratorIsDeterministic(t *testing.T) {
	g := generator{seed: 7}
	var small, large bytes.Buffer
	if err := errors.Join(g.write(&small, 20*systems), g.write(&large, 30*systems+4)); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(large.Bytes(), small.Bytes()) {
		t.Error("a larger dataset does not begin with a smaller one")
	}
	lines := strings.Split(strings.TrimSuffix(large.String(), "\n"), "\n")
	if last, err := dataset.NewReader(strings.NewReader(lines[30])).Next(); err != nil || len(lines) != 31 || len(last.Reviews) != 4 {
		t.Errorf("%d lines, the last one with %d reviews: %v", len(lines), len(last.Reviews), err)
	}
	if other := (generator{seed: 8}).change(0); *other.New == *g.change(0).New {
		t.Error("another seed makes the same change")
	}
}

// TestGeneratedChanges: texts are distinct, programs have no syntax errors, and diffs
// lead from the old file to the new one.
func TestGeneratedChanges(t *testing.T) {
	seen, changes := map[string]bool{}, 300
	if testing.Short() {
		changes = 30
	}
	for i := range changes {
		rec := (generator{seed: 1, fileMedian: 1500}).change(i)
		texts := []string{*rec.Old, *rec.New, rec.Diff}
		for _, r := range rec.Reviews {
			if r.Text != "" {
				texts = append(texts, r.Text)
			}
		}
		for _, s := range texts {
			if seen[s] {
				t.Errorf("change %d: a text that was there before: %.200q", i, s)
			}
			seen[s] = true
		}
		in, err := evidence.Input(rec)
		if err != nil || len(in.Change.Warnings) > 0 || len(in.Change.Files) != 1 || len(in.Change.Files[0].Hunks) != 1 {
			t.Fatalf("change %d: %v, %q\n%s", i, err, in.Change.Warnings, rec.Diff)
		}
		for side, want := range map[change.Side]string{change.Old: *rec.Old, change.New: *rec.New} {
			if got, ok := in.Change.Files[0].Whole(side); !ok || got != want {
				t.Errorf("change %d: the %s file is not what the diff says", i, side)
			}
		}
		trees, err := syntax.Parse(t.Context(), in.Change)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range trees.Files {
			for _, side := range []change.Side{change.Old, change.New} {
				for _, fr := range f.Fragments(side) {
					if !fr.Whole || fr.Root().HasError() {
						t.Errorf("change %d, %s: a syntax error in the %s file:\n%s", i, rec.Lang, side, fr.Source)
					}
				}
			}
		}
	}
}

// TestDistributions holds what is made against what generate.go says of the data.
func TestDistributions(t *testing.T) {
	var files, added, removed, reviews []int
	empty := 0
	for i := range 1000 {
		rec := generator{seed: 1}.change(i)
		files = append(files, len(*rec.New))
		lines := strings.Split(rec.Diff, "\n")
		signs := map[bool]int{}
		for _, l := range lines {
			if l != "" && l[0] != ' ' && l[0] != '@' {
				signs[l[0] == '+']++
			}
		}
		added, removed = append(added, signs[true]), append(removed, signs[false])
		for _, r := range rec.Reviews {
			reviews = append(reviews, len(r.Text))
			if r.Text == "" {
				empty++
			}
		}
	}
	for _, tt := range []struct {
		name              string
		values            []int
		median, mean, p90 float64
		off               float64 // as a share
	}{
		{"bytes of new files", files, 7636, 19716, 47095, 0.15},
		{"added lines", added, 2, 3.7, 8, 0.15},
		{"removed lines", removed, 0, 0.8, 2, 0.15},
		{"characters of reviews", reviews, 102, 161, 352, 0.15},
	} {
		slices.Sort(tt.values)
		sum := 0
		for _, v := range tt.values {
			sum += v
		}
		n := len(tt.values)
		for _, x := range []struct {
			what      string
			got, want float64
		}{
			{"median", float64(tt.values[n/2]), tt.median},
			{"mean", float64(sum) / float64(n), tt.mean},
			{"90th percentile", float64(tt.values[n*9/10]), tt.p90},
		} {
			if math.Abs(x.got-x.want) > max(tt.off*x.want, 0) && !(x.want < 10 && math.Abs(x.got-x.want) <= 1) {
				t.Errorf("%s: the %s is %v, and that of the data %v", tt.name, x.what, x.got, x.want)
			}
		}
	}
	if share := float64(empty) / float64(len(reviews)); math.Abs(share-emptyReviews) > 0.01 {
		t.Errorf("%.3f of the reviews are empty, not %v", share, emptyReviews)
	}
}

// stream judges changes, and has seen look after each.
func stream(ctx context.Context, e *crscore.Engine, g generator, changes int, seen func(n int, o crscore.Outcome)) error {
	n, judged := 0, 0
	return e.Stream(ctx, func() (crscore.Job, error) {
		if n == changes {
			return crscore.Job{}, io.EOF
		}
		n++
		return evidence.Job(g.change(n - 1)), nil
	}, func(o crscore.Outcome) error {
		judged++
		seen(judged, o)
		return nil
	})
}

// TestMemoryIsFlat: what is in use after a garbage collection is as much late in a
// stream as early, in Go's heap, and where trees are, outside of it.
func TestMemoryIsFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector keeps much more")
	}
	e, err := crscore.New(t.Context(), crscore.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	const warm, end = 60, 460
	// Kept outcomes would be 9 MB, and kept trees 100 MB on either side.
	const mayGrowHeap, mayGrowAll = 4 << 20, 48 << 20
	heap, all := map[int]int{}, map[int]int{}
	err = stream(t.Context(), e, generator{seed: 3, fileMedian: 3000, fileSpread: 0.3}, end, func(n int, o crscore.Outcome) {
		if n != warm && n != end {
			return
		}
		runtime.GC()
		runtime.GC() // what has a finalizer goes in the second one
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		heap[n], all[n] = int(m.HeapAlloc), resident(t)-int(m.HeapSys-m.HeapReleased)
	})
	if err != nil {
		t.Fatal(err)
	}
	if grown := heap[end] - heap[warm]; grown > mayGrowHeap {
		t.Errorf("the heap has grown by %d bytes from %d changes to %d", grown, warm, end)
	}
	if grown := all[end] - all[warm]; grown > mayGrowAll {
		t.Errorf("memory outside of Go's heap has grown by %d bytes from %d changes to %d", grown, warm, end)
	}
}

// TestIDsAreBounded: to find ids that are used twice takes little memory for a million
// of them, and no more for more.
func TestIDsAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("two million ids")
	}
	r := dataset.NewReader(strings.NewReader(""))
	heap := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	const million, most = 1 << 20, 48 << 20
	before, n := heap(), 0
	var grown [2]int
	for i := range grown {
		for range million {
			n++
			r.FirstUse(&dataset.Record{ID: strconv.Itoa(n), Line: n})
		}
		grown[i] = heap() - before
	}
	if grown[0] > most || grown[1] > grown[0]+1<<20 {
		t.Errorf("%d ids take %d bytes, twice as many %d", million, grown[0], grown[1])
	}
	if _, twice := r.FirstUse(&dataset.Record{ID: "1"}); !twice {
		t.Error("the first id is forgotten")
	}
}

// resident is how much memory the process has, 0 where that cannot be known.
func resident(t *testing.T) int {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b))
	var pages int
	if err := json.Unmarshal([]byte(fields[1]), &pages); err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

func TestFit(t *testing.T) {
	x := []float64{10, 100, 1000, 10_000}
	square, about := make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		square[i] = 3 * x[i] * x[i]
		about[i] = x[i] * []float64{1.1, 0.9, 1.1, 0.9}[i]
	}
	if e, ok := fit(x, square); !ok || math.Abs(e.value-2) > 1e-9 || e.high-e.low > 1e-6 {
		t.Errorf("%+v", e)
	}
	// By hand: the slope is 1 - 0.2007/5/ln 10, with the standard error √(0.03222/2/5)/ln 10.
	if e, ok := fit(x, about); !ok || math.Abs(e.value-0.98257) > 1e-4 || math.Abs(e.high-e.low-2*4.303*0.02465) > 1e-3 {
		t.Errorf("%+v", e)
	}
	if e, ok := fit(x[:2], square); !ok || !math.IsInf(e.high, 1) || strings.Contains(e.String(), "interval") {
		t.Errorf("two points: %s", e)
	}
	if _, ok := fit(x[:1], square); ok {
		t.Error("a line through one point")
	}
}

// TestMeasure runs a program that answers as the command does.
func TestMeasure(t *testing.T) {
	dir := t.TempDir()
	script := func(text string) string {
		file := filepath.Join(dir, "command")
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
		return file
	}
	var out bytes.Buffer
	good := `sed 's/{"id":"system/\n&/g' | grep '^{"id":"system'` + "\n"
	if err := run(t.Context(), []string{"--bin", script(good), "--sizes", "22,44,100"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"reviews  changes", "  100       10 ", "CPU time grows with reviews to the power of", "interval", "To decode the JSON"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	for text, want := range map[string]string{
		"cat >/dev/null\necho":         "1 result lines",
		"echo broken pipe >&2\nexit 3": "exit status 3: broken pipe",
	} {
		err := run(t.Context(), []string{"--bin", script(text), "--sizes", "22"}, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestApart runs programs that make files as the commands do.
func TestApart(t *testing.T) {
	dir := t.TempDir()
	// split: a folder with the dataset. score, Beam: rows of each third line or of all, in a file. merge: all rows.
	command := `rows() { sed 's/{"id":"system/\n&/g' | grep '^{"id":"system'; }
case $1 in
split) mkdir "$7" && cp "$3" "$7/data" ;;
score) [ "$3" = - ] && rows && exit
	in=$3; [ -d "$in" ] && in=$in/data
	mkdir "$5" && awk "NR % 3 == ${7%/3} - 1" "$in" | rows >"$5/scores.jsonl"; exit 0 ;;
merge) shift; for run; do cat "$run/scores.jsonl"; done ;;
--data) mkdir -p "$4/scores" && rows <"$2" >"$4/scores/1.jsonl" ;;
esac
`
	file := filepath.Join(dir, "command")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+command), 0o755); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"--bin", file, "--beam", file, "--sizes", "44", "--shards", "3"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"3 shards of the file, a machine each:\n", "3 parts of the file, a machine each:\n", "Beam in one process:\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	broken := strings.Replace(command, "- 1", "- 2", 1)
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+broken), 0o755); err != nil {
		t.Fatal(err)
	}
	err := run(t.Context(), []string{"--bin", file, "--sizes", "44", "--shards", "3"}, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "result lines") {
		t.Errorf("a shard without its lines: %v", err)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"--max", "10"}, {"--sizes", "0"}, {"--sizes", "x"}, {"x"}} {
		if err := run(t.Context(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"--generate", "12"}, &out, io.Discard); err != nil || bytes.Count(out.Bytes(), []byte("\n")) != 2 {
		t.Errorf("%v, %d bytes", err, out.Len())
	}
}

// BenchmarkStream judges datasets as the command does, without their JSON. Time per
// change does not depend on their number.
func BenchmarkStream(b *testing.B) {
	e, err := crscore.New(b.Context(), crscore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	for _, changes := range []int{50, 200} {
		b.Run(fmt.Sprint(changes), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := stream(b.Context(), e, generator{seed: 1}, changes, func(int, crscore.Outcome) {}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*changes), "µs/change")
		})
	}
}
