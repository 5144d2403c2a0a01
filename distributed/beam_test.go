package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"crscore/internal/cli"
)

// commandEnv makes a process of the tests the command: a test need not link another.
const commandEnv = "CRSCORE_BEAM_COMMAND"

// TestMain runs Prism in the process of the tests.
func TestMain(m *testing.M) {
	if os.Getenv(commandEnv) != "" {
		main()
	}
	log.LogLevel = "error"
	ptest.Main(m)
}

// change is a line of a dataset with two reviews.
func change(i int) string {
	reviews := []string{
		fmt.Sprintf("push%d now panics for a negative x.", i),
		"The product takes the place of the sum. Callers must be told.",
		"Looks good to me.", "",
	}
	return fmt.Sprintf(`{"id":"%d","lang":"go","path":"p.go","diff":"@@ -1,3 +1,4 @@\n func push%[1]d(x int) int {\n-\treturn x + %[1]d\n+\tif x < 0 { panic(\"bad\") }\n+\treturn x * %[1]d\n }\n",`+
		`"reviews":[{"id":"alpha","text":%q},{"id":"beta","text":%q}]}`, i, reviews[i%4], reviews[(i/4+1)%4])
}

// changes are lines with the changes from first on.
func changes(first, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(change(first+i) + "\n")
	}
	return b.String()
}

// write writes a file of the test, packed where its name says so.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	var b bytes.Buffer
	if strings.HasSuffix(name, ".gz") {
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	} else {
		b.WriteString(text)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// configured adds to arguments that they have no configuration, but their own.
func configured(args []string) []string {
	if slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--config") }) {
		return args
	}
	return append([]string{"--no-config"}, args...)
}

// scoreOf returns the rows that crscore score prints for a dataset, with more arguments.
func scoreOf(t *testing.T, text string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	path := write(t, t.TempDir(), "all.jsonl", text)
	if code := cli.Main(append([]string{"score", "--data", path}, configured(args)...), nil, &out, &errs); code == exitUsage {
		t.Fatalf("crscore score: %s", errs.String())
	}
	return out.String()
}

// beamed runs the command, and returns its exit code and standard error.
func beamed(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := Main(configured(args), &out, &errs)
	if out.Len() > 0 {
		t.Errorf("standard output has %q", out.String())
	}
	return code, errs.String()
}

// joined are the files of a folder of the output in the order of their names, or one file.
func joined(t *testing.T, out, part string) string {
	t.Helper()
	if filepath.Ext(part) == "" {
		part += "/*"
	}
	names, err := filepath.Glob(filepath.Join(out, part))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(text)
	}
	return b.String()
}

// same compares texts without printing megabytes.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(gotLines), len(wantLines)) {
		if gotLines[i] != wantLines[i] {
			t.Fatalf("%s: line %d is\n%.500s\nand not\n%.500s", what, i+1, gotLines[i], wantLines[i])
		}
	}
	t.Fatalf("%s: %d lines, not %d", what, len(gotLines), len(wantLines))
}

// TestSameBytesAsScore compares the scores with those of crscore score, however they are parted.
func TestSameBytesAsScore(t *testing.T) {
	dir := t.TempDir()
	one, two, three := changes(0, 70), changes(70, 130), changes(200, 1)
	write(t, dir, "a.jsonl", one)
	write(t, dir, "b.jsonl.gz", strings.ReplaceAll(two, "\n", "\r\n"))
	write(t, dir, "c.jsonl", "\ufeff\n\n"+strings.TrimSuffix(three, "\n"))
	for _, test := range []struct{ lines, args []string }{
		{[]string{"--shard-lines=1"}, nil},
		{[]string{"--shard-lines=33"}, []string{"--mode=hard", "--tau=0.5", "--explain", "--weights=smell=0.5"}},
		{nil, []string{"--claims=symbolic", "--max-claims=3", "--workers=1"}},
	} {
		out := filepath.Join(t.TempDir(), "out")
		args := append([]string{"--data", dir + "/a*", "--data", dir + "/*.gz", "--data", dir + "/*", "--out", out}, append(test.lines, test.args...)...)
		if code, errs := beamed(t, args...); code != exitDone {
			t.Fatalf("exit code %d: %s", code, errs)
		}
		same(t, "scores", joined(t, out, scoresDir), scoreOf(t, one+two+three, test.args...))
	}
}
