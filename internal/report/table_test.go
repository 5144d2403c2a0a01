package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"crscore/internal/dataset"
)

// TestCells writes what a spreadsheet would compute as text, and numbers as they are.
func TestCells(t *testing.T) {
	low, slope := 0.1, -2.5
	row := dataset.Row{ID: "=HYPERLINK(1)", Review: "@bot", System: "@bot", Status: "scored", Mode: "ramp", CompBy: "noisy-or", Low: &low, Slope: &slope, Signature: "s", Note: "-n", Reason: "+r", Lang: "=l", Human: &dataset.Human{Con: 5, Comp: 4, Rel: 1}, Warnings: []string{"-w", "v"}, Kind: "judge", Protocol: "rel", Weights: "smell=0.5"}
	got, err := csv.NewReader(strings.NewReader(print(t, "csv", TextOptions{}, []dataset.Row{row}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"'=HYPERLINK(1)", "'@bot", "scored", "'+r", "", "", "", "", "", "ramp", "", "s", "'-n", "'=l", "0.1", "-2.5", "5", "4", "1", "noisy-or", "'@bot", "'-w; v", "judge", "rel", "smell=0.5"}
	if d := cmp.Diff(want, got[1]); d != "" {
		t.Error(d)
	}
}

// TestParquet writes the same bytes for the same rows, which the library reads; a file
// without its end is none.
func TestParquet(t *testing.T) {
	var many []dataset.Row
	for i := range parquetRows + 5 {
		many = append(many, rows()[i%3])
	}
	file := print(t, "parquet", TextOptions{}, many)
	if file != print(t, "parquet", TextOptions{}, many) {
		t.Error("two files of the same rows differ")
	}
	f, err := parquet.OpenFile(strings.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := f.Lookup(SignatureKey); got != "crscore/0 x=y" || !ok || len(f.RowGroups()) != 2 {
		t.Error(got, len(f.RowGroups()))
	}
	r := parquet.NewGenericReader[parquetRow](f)
	got := make([]parquetRow, len(many))
	if n, err := r.Read(got); n != len(many) || err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(n, err)
	}
	want := parquetRow{ID: "7", Review: `bad,"one"`, Status: "unscored", Reason: "the model is gone", Mode: "hard", Tau: ptr(0.3), Signature: "crscore/0 x=y"}
	if d := cmp.Diff(want, got[1]); d != "" {
		t.Error(d)
	}
	if last := got[len(got)-1]; last.Review != "mute" || *last.Con != 0 || got[0].Con == nil || *got[0].Comp != 1.0/3 || *got[0].Sentences != 2 {
		t.Error(last, got[0])
	}

	var b bytes.Buffer
	w := newParquetWriter(&b, nil)
	for i, row := range many {
		row.ID = strings.Repeat("x", i%100) + strconv.Itoa(i*i)
		if i == 1 {
			row.Signature = "another"
		}
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len())); err == nil || b.Len() == 0 {
		t.Errorf("%d bytes without an end are a file", b.Len())
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if f, err = parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len())); err != nil {
		t.Fatal(err)
	}
	if got, ok := f.Lookup(SignatureKey); ok {
		t.Errorf("rows of two signatures have the one %q", got)
	}
	empty := print(t, "parquet", TextOptions{}, nil)
	if f, err := parquet.OpenFile(strings.NewReader(empty), int64(len(empty))); err != nil || f.NumRows() != 0 {
		t.Error(err)
	}
}

// TestParquetElsewhere has another program read a file, and print what JSON Lines are.
func TestParquetElsewhere(t *testing.T) {
	modules := os.Getenv("CRSCORE_HYPARQUET")
	if modules == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("CRSCORE_HYPARQUET does not say where hyparquet is")
		}
		t.Skip("no hyparquet (make test installs it)")
	}
	many := rows()
	many[0].Human, many[0].Lang, many[1].Low = &dataset.Human{Con: 5, Comp: 4, Rel: 3.5}, "python", ptr(0.05)
	for i := range parquetRows { // a second row group
		many = append(many, dataset.Row{ID: strconv.Itoa(i), Review: "bot", Status: "scored", Con: ptr(float64(i) / 7), Mode: "hard", Signature: "crscore/0 x=y"})
	}
	var want strings.Builder
	for _, r := range many {
		r.Explain = nil
		var b bytes.Buffer
		if err := JSON(&b, r, ""); err != nil {
			t.Fatal(err)
		}
		want.Write(b.Bytes())
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"scores.parquet": print(t, "parquet", TextOptions{}, many), "read.mjs": `
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
const file = await asyncBufferFromFile('scores.parquet')
const order = ['id', 'review', 'status', 'reason', 'con', 'comp', 'rel', 'sentences', 'refs', 'mode', 'tau', 'low', 'slope', 'signature', 'note', 'human', 'lang']
for (const row of await parquetReadObjects({ file })) {
  if (row.human_con != null) row.human = { con: row.human_con, comp: row.human_comp, rel: row.human_rel }
  const out = {}
  for (const k of order) if (row[k] != null) out[k] = typeof row[k] === 'bigint' ? Number(row[k]) : row[k]
  console.log(JSON.stringify(out))
}
const metadata = await parquetMetadataAsync(file)
console.log(metadata.key_value_metadata.find(({ key }) => key === 'crscore.signature').value, metadata.row_groups.length)
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "read.mjs")
	cmd.Dir = dir
	got, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	if d := cmp.Diff(strings.Split(want.String()+"crscore/0 x=y 2\n", "\n"), strings.Split(string(got), "\n")); d != "" {
		t.Error(d)
	}
}

// parquetRow is a Row in a Parquet file, with the columns of CSV. A missing value and an
// empty text are null.
type parquetRow struct {
	ID        string   `parquet:"id,plain"`
	Review    string   `parquet:"review,dict"`
	Status    string   `parquet:"status,dict"`
	Reason    string   `parquet:"reason,dict,optional"`
	Con       *float64 `parquet:"con,optional"`
	Comp      *float64 `parquet:"comp,optional"`
	Rel       *float64 `parquet:"rel,optional"`
	Sentences *int64   `parquet:"sentences,optional"`
	Refs      *int64   `parquet:"refs,optional"`
	Mode      string   `parquet:"mode,dict"`
	Tau       *float64 `parquet:"tau,optional"`
	Signature string   `parquet:"signature,dict"`
	Note      string   `parquet:"note,dict,optional"`
	Lang      string   `parquet:"lang,dict,optional"`
	Low       *float64 `parquet:"low,optional"`
	Slope     *float64 `parquet:"slope,optional"`
	HumanCon  *float64 `parquet:"human_con,optional"`
	HumanComp *float64 `parquet:"human_comp,optional"`
	HumanRel  *float64 `parquet:"human_rel,optional"`
	CompBy    string   `parquet:"comp_by,dict,optional"`
	System    string   `parquet:"system,dict"`
	Warnings  string   `parquet:"warnings,dict,optional"`
	Kind      string   `parquet:"kind,dict,optional"`
	Protocol  string   `parquet:"protocol,dict,optional"`
	Weights   string   `parquet:"weights,dict,optional"`
}
