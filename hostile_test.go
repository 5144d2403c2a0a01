package crscore

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"

	"crscore/change"
	"crscore/internal/hostile"
	"crscore/internal/lang"
	"crscore/internal/syntax"
)

// TestHostile scores random changes and small shapes of every language: a quarter of them,
// or all with CRSCORE_LONG set. make hostile has large ones, and runs the command itself.
func TestHostile(t *testing.T) {
	known := map[lang.Name]bool{}
	for _, language := range hostile.Languages {
		known[language.Lang] = true
	}
	for _, l := range lang.Names() {
		if syntax.TableOf(l) != nil && !known[l] {
			t.Errorf("%s has a grammar, but no hostile changes", l)
		}
	}
	var rows []hostile.Row
	corpus := hostile.Collect("testdata", "analyzers")
	step, least := 4, 125
	if os.Getenv("CRSCORE_LONG") != "" {
		step, least = 1, 500
	}
	for i := range uint64(300 / step) {
		rows = append(rows, corpus.Row(1, i))
	}
	for i, s := range hostile.Shapes() {
		if i%step > 0 {
			continue
		}
		i /= step
		language := &hostile.Languages[i%len(hostile.Languages)]
		rows = append(rows, s.Row(language, hostile.Forms[i%len(hostile.Forms)], 600, 1))
	}
	all := len(rows)
	e, err := New(context.Background(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	next := func() (Job, error) {
		if len(rows) == 0 {
			return Job{}, io.EOF
		}
		row := rows[0]
		rows = rows[1:]
		return hostileJob(row), nil
	}
	judged := 0
	err = e.Stream(context.Background(), next, func(o Outcome) error {
		judged++
		for _, r := range o.Results {
			if r.Status != Scored {
				row := o.Tag.(hostile.Row)
				t.Errorf("%s: %s: %s\n%.2000s", row.ID, r.Status, r.Reason, row.Diff)
			}
		}
		return nil
	})
	if err != nil || judged != all || all < least {
		t.Errorf("%d of %d rows, %v", judged, all, err)
	}
}

func hostileJob(row hostile.Row) Job {
	load := func() (Input, error) {
		c, err := change.Parse([]byte(row.Diff), change.Options{Path: row.Path, Lang: lang.Name(row.Lang), Old: row.Old, New: row.New})
		if err != nil {
			return Input{}, fmt.Errorf("reading %s: %w", row.ID, err)
		}
		return Input{Change: c}, nil
	}
	return Job{Tag: row, Load: load, Reviews: []string{row.Reviews[0].Text}}
}
