package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/reproduction.md")

// TestDocs writes the page again and holds the one in docs/ against it. After a
// change of model, splitter, claims, smells or profile: -update.
func TestDocs(t *testing.T) {
	dir := os.Getenv("CRSCORE_DATA")
	if dir == "" {
		t.Skip("NOT REPRODUCED: CRSCORE_DATA does not name the folder of dev.jsonl")
	}
	const doc = "../../docs/reproduction.md"
	var b bytes.Buffer
	if err := run(context.Background(), []string{"--data", filepath.Join(dir, "dev.jsonl"), "--claims-rating", "../../docs/claims-rating.tsv"}, &b); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(doc, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	old, err := os.ReadFile(doc)
	if err != nil {
		t.Fatal(err)
	}
	was, is := strings.Split(string(old), "\n"), strings.Split(b.String(), "\n")
	for i := range max(len(was), len(is)) {
		if i >= len(was) || i >= len(is) || was[i] != is[i] {
			t.Fatalf("line %d of docs/reproduction.md is\n%s\nbut the data give\n%s\n(the page is of amd64; go test ./eval/reproduction -update writes it)", i+1, at(was, i), at(is, i))
		}
	}
}

// TestNumbersPage: what docs/numbers.md says of metrics that need a reference is in Table 3.
func TestNumbersPage(t *testing.T) {
	read := func(file, from, to string) string {
		b, err := os.ReadFile("../../docs/" + file)
		if err != nil {
			t.Fatal(err)
		}
		_, section, _ := strings.Cut(string(b), from)
		section, _, _ = strings.Cut(section, to)
		return section
	}
	table3 := map[string]string{} // the last ρ of all reviews, by name
	for line := range strings.Lines(read("reproduction.md", "## Table 3", "## Table 4")) {
		if cells := strings.Split(line, " | "); len(cells) == 3 || len(cells) == 6 {
			rho, _, _ := strings.Cut(cells[map[int]int{3: 2, 6: 4}[len(cells)]], " [")
			table3[strings.TrimPrefix(cells[0], "| ")] = rho
		}
	}
	rows := 0
	for line := range strings.Lines(read("numbers.md", "## Beside metrics", "## Limits")) {
		cells := strings.Split(strings.Trim(line, "|\n "), " | ")
		if len(cells) != 2 || !strings.HasPrefix(cells[1], "0.") {
			continue
		}
		if rows++; table3[cells[0]] != cells[1] {
			t.Errorf("%s: %s in docs/numbers.md, %q in Table 3", cells[0], cells[1], table3[cells[0]])
		}
	}
	if rows < 5 {
		t.Errorf("%d rows in docs/numbers.md", rows)
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(no line)"
}

// small is a dataset in which every table has something to show.
func small(changes int) string {
	var b strings.Builder
	for c := range changes {
		fmt.Fprintf(&b, `{"id":"%d","lang":"%s","path":"a.%[2]s","diff":"@@ -1 +1 @@\n-x = %d\n+x = retry(%d)\n","claims":{"magicoder":["x is retried","a claim that is wrong"],"gpt4o":["the call is retried"],"edited":["x is retried","a limit is missing"]},`+
			`"smells":[],"refs_edited":[{"text":"x is retried","kind":"claim","necessary":true},{"text":"a limit is missing","kind":"claim","necessary":true}],"reviews":[`,
			c, languages[c%3].id, c, c+1)
		for i, s := range systems {
			text := []string{"Nice work.", "Why is x retried?", "A limit is missing. x is retried forever."}[(i+c)%3]
			label := 1 + 2*((i+c)%3)
			fmt.Fprintf(&b, `{"id":"%s","text":"%s","human":{"con":%d,"comp":%[3]d,"rel":%[3]d},"addressed":[%s]`, s.id, text, label, []string{"", "1", "1,2"}[(i+c)%3])
			if s.id != "msg" {
				fmt.Fprintf(&b, `,"published":{"0.7":{"con":1,"comp":%d,"rel":0.%d},"0.7314":{"con":0.%[2]d,"comp":0,"rel":0.%[2]d}}`, (i+c)%2, (i+c)%3)
			}
			b.WriteString("},")
		}
		b.WriteString("]}\n")
	}
	return strings.ReplaceAll(b.String(), "},]", "}]")
}

func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "small.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestSmall has numbers that a person can work out.
func TestSmall(t *testing.T) {
	var b bytes.Buffer
	args := []string{"--claims-rating", "../../docs/claims-rating.tsv", "--resamples", "100", "--data"}
	if err := run(context.Background(), append(args, write(t, small(6))), &b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{
		"6 changes, 54 reviews of nine systems with labels",
		"(6 of 12\nstand verbatim",
		"| Python | 2 | 4 | 50.00 | 50.00 |",
		// Of three kinds of reviews one addresses nothing, one reference, or both.
		"Here 108 pairs, 54 of them (50%) linked; 72 pairs of reviews that address at least one reference, 75% of them linked.",
		"in 6 of the 6 changes, of claims and smells together in 6 (0 changes have no such claims)",
		"Every review has a score in every row.",
		// Labels 1, 3 and 5 twice each: their mean is 3, which is normalised to a half.
		"| BM25 | 0.0301 | 0.500 [",
		// Every system has the same mean, so they are in no order.
		"| released, τ 0.7 | undefined | undefined |",
		"*ours, default, hard",
		"\n| τ_best | (0.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "<no value>") {
		t.Error("the page has no number somewhere")
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestBadData(t *testing.T) {
	good := small(6)
	for why, text := range map[string]string{
		"line 2: ":       strings.Replace(good, `{"id":"1",`, `{`, 1),
		"that of line 1": strings.Replace(good, `"id":"1",`, `"id":"0",`, 1),
		"is missing":     strings.Replace(good, `"con":1,"comp":0,"rel":0.0`, `"con":1,"rel":0.0`, 1),
		"reviews":        small(1),
		"no such file":   "",
	} {
		file := filepath.Join(t.TempDir(), "none")
		if text != "" {
			file = write(t, text)
		}
		err := run(context.Background(), []string{"--claims-rating", "../../docs/claims-rating.tsv", "--resamples", "100", "--data", file}, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
	}
	if err := run(context.Background(), nil, nil); err == nil || !strings.Contains(err.Error(), "usage") {
		t.Errorf("without data: %v", err)
	}
}
