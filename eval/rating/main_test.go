package main

import (
	"bytes"
	"context"
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
