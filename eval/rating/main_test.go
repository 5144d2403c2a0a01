package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRates(t *testing.T) {
	dir := t.TempDir()
	write := func(s string) string {
		name := filepath.Join(dir, "sheet.tsv")
		if err := os.WriteFile(name, []byte(header+s), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	var b bytes.Buffer
	good := "1\tpy\t1\ta\tx\t1\n1\tpy\t2\ta\tx\tt\n1\tpy\t\tmissing\t\t+\n2\tgo\t1\ta\tx\t0\n2\tgo\t2\ta\tx\t-1\n"
	if err := run(context.Background(), &b, []string{"rates", write(good)}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"py        1       2              100.00", "all        2       4  50.00 [15.0, 85.0]", "25.00 [4.6, 69.9]"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	for _, bad := range []string{"1\tpy\t1\ta\tx\t\n", "1\tpy\t1\ta\n", "1\tpy\t1\ta\tx\t2\n", good + good, ""} {
		if err := run(context.Background(), &b, []string{"rates", write(bad)}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestDraw(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data.jsonl")
	line := `{"id":"ID","lang":"py","path":"a.py","diff":"@@ -1 +1 @@\n-x = 1\n+x = 2\n","old":"x = 1\n","new":"x = 2\n","reviews":[]}` + "\n"
	if err := os.WriteFile(data, []byte(strings.Replace(line, "ID", "1", 1)+strings.Replace(line, "ID", "2", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	sheets := map[string]bool{}
	for range 2 {
		out := filepath.Join(dir, "out")
		if err := run(context.Background(), nil, []string{"draw", "-data", data, "-n", "1", "-seed", "3", "-out", out}); err != nil {
			t.Fatal(err)
		}
		sheet, err := os.ReadFile(filepath.Join(out, "sheet.tsv"))
		if err != nil {
			t.Fatal(err)
		}
		sheets[string(sheet)] = true
		if strings.Contains(string(sheet), "x") && strings.Contains(string(sheet), "`x`") || !strings.Contains(string(sheet), "value-changed") {
			t.Errorf("sheet: %s", sheet)
		}
	}
	if len(sheets) != 1 {
		t.Error("the same seed draws other changes")
	}
}

func TestSmellRates(t *testing.T) {
	dir := t.TempDir()
	write := func(name, s string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(s), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	var b bytes.Buffer
	good := smellHeader + "1\tpy\t1\tempty-catch\tx\t1\n1\tpy\t2\tempty-catch\tx\t?\n2\tjs\t1\tempty-catch\tx\t0\n2\tjs\t1\tlong-method\tx\t1\n"
	more := smellHeader + "3\tjs\t1\tlong-method\tx\t1\n"
	if err := run(context.Background(), &b, []string{"rates", write("a", good), write("b", more)}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"  long-method       on       2      2            0  100.0 [34.2, 100.0]", "empty-catch      off       3      1            1     33.3 [6.1, 79.2]"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	for _, bad := range []string{"1\tpy\t1\tempty-catch\tx\t\n", "1\tpy\t1\tempty-catch\n", "1\tpy\t1\tempty-catch\tx\tt\n", "1\tpy\t1\tempty-cat\tx\t1\n", ""} {
		if err := run(context.Background(), &b, []string{"rates", write("c", smellHeader+bad)}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	claims := write("d", header+"1\tpy\t1\ta\tx\t1\n")
	for _, bad := range [][]string{{"rates", write("a", good), claims}, {"rates", write("a", good), write("b", good)}} {
		if err := run(context.Background(), &b, bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestDrawSmells(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data.jsonl")
	var lines strings.Builder
	catches := strings.Repeat(`try:\n  a()\nexcept:\n  pass\n`, 3)
	for i := range 30 {
		// Three of a rule, one of them in a changed line; all are as the file was added.
		fmt.Fprintf(&lines, `{"id":"c/%d","lang":"py","path":"a.py","diff":"@@ -1,4 +1,4 @@\n try:\n   a()\n except:\n-  b(%d)\n+  pass\n","old":"%s","new":"%s","reviews":[]}`+"\n",
			i, i, strings.Replace(catches, "pass", fmt.Sprintf("b(%d)", i), 1), catches)
	}
	if err := os.WriteFile(data, []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	draw := func(seed string, args ...string) (sheet, read string) {
		t.Helper()
		out := filepath.Join(dir, "out"+seed+strings.Join(args, ""))
		if err := run(context.Background(), nil, append([]string{"draw", "-kind", "smells", "-data", data, "-seed", seed, "-out", out}, args...)); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(out, "sheet.tsv"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"empty-catch.txt", "empty-catch-2.txt"} {
			if text, err := os.ReadFile(filepath.Join(out, name)); err == nil {
				read += string(text)
			}
		}
		if text, err := os.ReadFile(filepath.Join(out, "c_7.new")); err != nil || !strings.HasPrefix(string(text), "try:") {
			t.Errorf("the new file: %q, %v", text, err)
		}
		return string(b), read
	}
	sheet, read := draw("3")
	if again, _ := draw("3"); again != sheet {
		t.Error("the same seed draws others")
	}
	if other, _ := draw("4", "-n", "5"); strings.HasPrefix(sheet, other) || strings.Count(other, "\tempty-catch\t") != 5 {
		t.Errorf("another seed, five of a rule:\n%s", other)
	}
	if n := strings.Count(sheet, "\tempty-catch\t"); n != 30 || strings.Contains(sheet, "except") || strings.Contains(sheet, "swallowed") {
		t.Errorf("%d of one rule in\n%s", n, sheet)
	}
	for _, want := range []string{"change c/7, smell 1, py, a.py, lines 3-4\nempty-catch: An exception is swallowed", "\n     1   try:\n", "\n>    4 +   pass\n", "\n@@ -1,4 +1,4 @@\n try:\n   a()\n except:\n-  b(7)\n+  pass\n"} {
		if !strings.Contains(read, want) {
			t.Errorf("no %q in\n%s", want, read[:min(len(read), 2000)])
		}
	}
	sheet, read = draw("3", "-added", "-n", "45")
	if n := strings.Count(sheet, "\tempty-catch\t"); n != 45 {
		t.Errorf("%d of one rule in whole files", n)
	}
	seen := map[string]int{}
	for _, line := range strings.Split(sheet, "\n") {
		if f := strings.Split(line, "\t"); len(f) == 6 && f[3] == "empty-catch" {
			seen[f[0]]++
		}
	}
	if len(seen) != 30 {
		t.Errorf("%d changes in the draw, want one of each before a second", len(seen))
	}
	if strings.Contains(read, "@@") {
		t.Error("the diff of an added file is shown")
	}
}
