package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

// TestCells writes what a spreadsheet would compute as text, and numbers as they are.
func TestCells(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "text": "text", "7": "7", "-5": "-5", "+1.5e3": "+1.5e3", "'quoted'": "'quoted'", "a=b": "a=b",
		"=1+1": "'=1+1", "+cmd": "'+cmd", "-x": "'-x", "@SUM(A1)": "'@SUM(A1)", "\tx": "'\tx", "'=1": "''=1", "''-x": "'''-x", "-": "'-",
	} {
		if got := cell(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	low, slope := 0.1, -2.5
	row := Row{ID: "=HYPERLINK(1)", Review: "@bot", Status: "scored", Mode: "ramp", Low: &low, Slope: &slope, Signature: "s", Note: "-n", Reason: "+r", Lang: "=l", Human: &Human{5, 4, 1}}
	got, err := csv.NewReader(strings.NewReader(print(t, "csv", TextOptions{}, []Row{row}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"'=HYPERLINK(1)", "'@bot", "scored", "'+r", "", "", "", "", "", "ramp", "", "s", "'-n", "'=l", "0.1", "-2.5", "5", "4", "1"}
	if d := cmp.Diff(want, got[1]); d != "" {
		t.Error(d)
	}
}

// TestParquet writes the same bytes for the same rows, which the library reads; a file
// without its end is none.
func TestParquet(t *testing.T) {
	var many []Row
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
	w := newParquetWriter(&b)
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
