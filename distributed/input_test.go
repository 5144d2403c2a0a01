package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"crscore/internal/limits"
)

// jsonLines decodes lines.
func jsonLines[T any](t *testing.T, text string) (out []T) {
	t.Helper()
	for d := json.NewDecoder(strings.NewReader(text)); d.More(); {
		var v T
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// countsOf are the counts of an output.
func countsOf(t *testing.T, out string) map[string]int64 {
	t.Helper()
	counts := map[string]int64{}
	for _, n := range jsonLines[counted](t, joined(t, out, countsFile+ending)) {
		counts[n.Count] = n.N
	}
	return counts
}

// packed is a text as a member of a gzip file.
func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// raw writes a file as it stands.
func raw(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestPackedFileIsReadWhole: textio.Read would end at the packed size, and lose most of these
// lines without an error.
func TestPackedFileIsReadWhole(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	text := changes(0, 600)
	raw(t, dir, "whole.jsonl.gz", packed(t, text))
	raw(t, dir, "members.jsonl.gz", packed(t, text[:1000])+packed(t, text[1000:]))
	if code, errs := beamed(t, "--data", dir+"/*.gz", "--out", out); code != exitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	if n := countsOf(t, out)[changesScored]; n != 1200 {
		t.Errorf("%d of 1200 lines were read", n)
	}
}

// TestTextioLosesLines: the trap is there still, for which we have a reader of our own.
func TestTextioLosesLines(t *testing.T) {
	dir := t.TempDir()
	raw(t, dir, "a.jsonl.gz", packed(t, changes(0, 600)))
	p, s := beam.NewPipelineWithRoot()
	passert.Count(s, textio.Read(s, dir+"/*.gz"), "lines", 600)
	if err := ptest.Run(p); err == nil || !regexp.MustCompile(`passert.Count\(lines\) = [1-9]\d*, want 600`).MatchString(err.Error()) {
		t.Errorf("textio.Read reads packed files whole now, or fails otherwise: %v", err)
	}
}

// TestBadInputIsKept: what cannot be scored is told with its place, and everything else scored.
func TestBadInputIsKept(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	long := `{"id":"` + strings.Repeat("x", limits.LineBytes) + `"}`
	write(t, dir, "a.jsonl", change(1)+"\nnot JSON\n\n"+change(2)+"\n"+long+"\n"+change(3))
	write(t, dir, "b-empty.jsonl", "")
	whole := packed(t, changes(10, 40))
	raw(t, dir, "c-torn.jsonl.gz", whole[:len(whole)-20])
	raw(t, dir, "d-rot.jsonl.gz", "\x1f\x8b\x08\x00 this is no gzip")
	raw(t, dir, "e.parquet", "PAR1....PAR1")
	write(t, dir, "f.jsonl", `{"id":"f","diff":"@@ -1 +1 @@\n-a\n+b\n","lang":"go","reviews":[{"id":"alpha"},{"id":"beta","text":"b replaces a."}]}`)
	if err := os.Symlink(filepath.Join(dir, "gone"), filepath.Join(dir, "g.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "h.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "i.jsonl", change(4))
	if err := os.Symlink("j.jsonl", filepath.Join(dir, "j.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command("mkfifo", filepath.Join(dir, "k.jsonl")).Run(); err != nil { // who reads it waits
		t.Fatal(err)
	}

	code, errs := beamed(t, "--data", dir+"/*", "--out", out)
	if code != exitIncomplete || !strings.Contains(errs, "malformed lines: 2, unreadable files: 5") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	var got []string
	for _, d := range jsonLines[deadLetter](t, joined(t, out, deadDir)) {
		got = append(got, strings.TrimPrefix(d.File, dir+"/")+" "+string(rune('0'+d.Line))+" "+d.Review+": "+d.Reason)
	}
	for i, want := range []string{
		"a.jsonl 2 : ", "a.jsonl 5 : longer than the limit of 64 MiB", "c-torn.jsonl.gz 0 : reading behind line ",
		"d-rot.jsonl.gz 0 : ", "e.parquet 0 : this is Parquet", `f.jsonl 1 alpha: the review has no "text"`, "g.jsonl 0 : open ", "j.jsonl 0 : open ",
	} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Errorf("dead letter %d of %d is not %q:\n%s", i+1, len(got), want, strings.Join(got, "\n"))
		}
	}
	scores := joined(t, out, scoresDir)
	torn := strings.Count(scores, `"id":"1`) + strings.Count(scores, `"id":"2`) + strings.Count(scores, `"id":"3`) + strings.Count(scores, `"id":"4`)
	if n := strings.Count(scores, "\n"); n != torn+2 {
		t.Errorf("%d rows, %d of them of known changes", n, torn)
	}
	if torn < 2*(4+5) {
		t.Errorf("%d rows of what stands before the tear and in good files", torn)
	}
}

// TestLongLine: a line near the limit goes through the pipeline.
func TestLongLine(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	text := strings.Replace(change(1), `"lang"`, `"unknown":"`+strings.Repeat("x", 20<<20)+`","lang"`, 1)
	write(t, dir, "a.jsonl", text)
	if code, errs := beamed(t, "--data", dir+"/a.jsonl", "--out", out); code != exitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	same(t, "scores", joined(t, out, scoresDir), scoreOf(t, text))
}

// TestUsage: what cannot become a job is refused before it is one.
func TestUsage(t *testing.T) {
	dir, full := t.TempDir(), t.TempDir()
	in := write(t, dir, "a.jsonl", changes(0, 2))
	write(t, full, "old.jsonl", "")
	empty := write(t, dir, "empty", "\n\n")
	words := write(t, dir, "words", "hello\nworld\n")
	brackets := write(t, dir, "a[1]", change(1))
	out := filepath.Join(t.TempDir(), "out")
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "nothing to score: give --data PATTERN"},
		{[]string{"--data", in}, "give --out FOLDER"},
		{[]string{"--data", dir + "/none*", "--out", out}, "there is no such file"},
		{[]string{"--data", dir, "--out", out}, "is a folder: give a pattern"},
		{[]string{"--data", "hdfs://b/x", "--out", out}, "there is no file system for hdfs://: give a path"},
		{[]string{"--data", in, "--out", "azure://b/x"}, "gs://BUCKET/NAME or s3://BUCKET/NAME"},
		{[]string{"--data", in, "--out", full}, "is not empty (old.jsonl is in it)"},
		{[]string{"--data", in, "--out", in}, "not a directory"},
		{[]string{"--data", in, "--out", out + "*"}, "cannot have one of"},
		{[]string{"--data", in, "--out", out + "\xff"}, "is not UTF-8"},
		{[]string{"--data", in, "--out", out, "--shard-lines=0"}, "--shard-lines is 0"},
		{[]string{"--data", in, "--out", out, "--tau=2"}, "2"},
		{[]string{"--data", in, "--out", out, "--findings=x"}, "--findings is for one change"},
		{[]string{"--data", in, "--out", out, "--claims=data:nobody"}, "the first change has no set of claims \"nobody\""},
		{[]string{"--data", in, "--out", out, "--profile", dir + "/none.json"}, "--profile: "},
		{[]string{"--data", in, "--out", out, "--encoder=nobody/nothing", "--mode=soft"}, "--encoder: "},
		{[]string{"--data", in, "--out", out, "--shard-line=3"}, "did you mean --shard-lines?"},
		{[]string{"--data", empty, "--out", out + "1"}, "no review was found"},
		{[]string{"--data", words, "--out", out + "2"}, "no line could be read as a change (malformed lines: 2)"},
	} {
		if code, errs := beamed(t, test.args...); code != exitUsage || !strings.Contains(errs, test.want) {
			t.Errorf("%v: exit code %d, and not %q: %s", test.args, code, test.want, errs)
		}
	}
	if _, err := os.Stat(out); !os.IsNotExist(err) {
		t.Error("a refused job wrote something")
	}
	if code, errs := beamed(t, "--data", brackets, "--out", out); code != exitDone {
		t.Errorf("a name with brackets: exit code %d: %s", code, errs)
	}
}

// TestPaths: a file is read once, whatever it is called, and workers in other folders find it.
func TestPaths(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.jsonl", change(1))
	t.Chdir(dir)
	files, err := listFiles(t.Context(), []string{"a.jsonl", "./a.jsonl", dir + "/*"})
	if err != nil || len(files) != 1 || files[0].Path != "a.jsonl" {
		t.Errorf("%v (%v)", files, err)
	}
	defer keepFlags(t)()
	if err := flag.Set("environment_type", "EXTERNAL"); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if j := jobOf(t, "--data", "a.jsonl", "--out", "out"); j.files[0].Path != filepath.Join(here, "a.jsonl") || j.out != filepath.Join(here, "out") {
		t.Errorf("%v, %s", j.files, j.out)
	}
}

// TestOtherFileSystems reads and writes on a file system that is none of the machine.
func TestOtherFileSystems(t *testing.T) {
	text := changes(0, 5)
	memfs.Write("memfs://in/a.jsonl", []byte(text))
	for _, folder := range []string{"memfs://in/", "memfs://out/"} {
		memfs.Write(folder, nil) // as those who make a folder in a bucket by hand leave it
	}
	if code, errs := beamed(t, "--data", "memfs://in/*", "--out", "memfs://out/"); code != exitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	ctx := context.Background()
	fs := memfs.New(ctx)
	names, err := outputFiles(ctx, fs, "memfs://out")
	if err != nil || len(names) != 4 {
		t.Fatalf("%v, and not 4 files (%v)", names, err)
	}
	b, err := filesystem.Read(ctx, fs, "memfs://out/scores/000000-000000000001.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "scores", string(b), scoreOf(t, text))
	if code, errs := beamed(t, "--data", "memfs://in/*", "--out", "memfs://out"); code != exitUsage || !strings.Contains(errs, "is not empty") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

// TestInterruptedBeforeTheJob: a server of models that does not answer does not hold the command.
func TestInterruptedBeforeTheJob(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		interrupt()
		<-r.Context().Done()
	}))
	defer server.Close()
	t.Setenv("OPENAI_BASE_URL", server.URL)
	c := command{stderr: io.Discard}
	cmd := c.cobra()
	cmd.SetContext(ctx)
	in := write(t, t.TempDir(), "a.jsonl", change(1))
	if err := cmd.ParseFlags(configured([]string{"--data", in, "--out", filepath.Join(t.TempDir(), "out"), "--claims=openai:m", "--no-cache"})); err != nil {
		t.Fatal(err)
	}
	if _, err := c.job(cmd); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
