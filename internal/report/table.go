package report

import (
	"bytes"
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// csvColumns are the columns of a table, in their order. A new column comes last.
var csvColumns = []struct {
	name string
	text func(*Row) string
}{
	{"id", func(r *Row) string { return Cell(Plain(r.ID)) }},
	{"review", func(r *Row) string { return Cell(Plain(r.Review)) }},
	{"status", func(r *Row) string { return r.Status }},
	{"reason", func(r *Row) string { return Cell(Plain(r.Reason)) }},
	{"con", func(r *Row) string { return float(r.Con) }},
	{"comp", func(r *Row) string { return float(r.Comp) }},
	{"rel", func(r *Row) string { return float(r.Rel) }},
	{"sentences", func(r *Row) string { return integer(r.Sentences) }},
	{"refs", func(r *Row) string { return integer(r.Refs) }},
	{"mode", func(r *Row) string { return r.Mode }},
	{"tau", func(r *Row) string { return float(r.Tau) }},
	{"signature", func(r *Row) string { return Cell(r.Signature) }},
	{"note", func(r *Row) string { return Cell(r.Note) }},
	{"lang", func(r *Row) string { return Cell(Plain(r.Lang)) }},
	{"low", func(r *Row) string { return float(r.Low) }},
	{"slope", func(r *Row) string { return float(r.Slope) }},
	{"human_con", func(r *Row) string { return float(r.human(func(h *Human) *float64 { return &h.Con })) }},
	{"human_comp", func(r *Row) string { return float(r.human(func(h *Human) *float64 { return &h.Comp })) }},
	{"human_rel", func(r *Row) string { return float(r.human(func(h *Human) *float64 { return &h.Rel })) }},
}

func (r *Row) human(label func(*Human) *float64) *float64 {
	if r.Human == nil {
		return nil
	}
	return label(r.Human)
}

// formula are the characters with which a formula begins in a spreadsheet.
const formula = "=+-@\t\r"

// Cell returns a text for a cell of a table that a spreadsheet may open. A text that a
// spreadsheet would take for a formula, or a CI system for a command, gets an apostrophe
// before it, which spreadsheets take for "this is text". So does a text with apostrophes
// before a formula, so that the reader of scores can remove one. Numbers stay as they are.
func Cell(s string) string {
	if _, err := strconv.ParseFloat(s, 64); err != nil && computed(s) {
		return "'" + s
	}
	return s
}

// computed reports whether a text begins, behind any apostrophes, as a formula or a command
// does.
func computed(s string) bool {
	s = strings.TrimLeft(s, "'")
	return s != "" && strings.Contains(formula, s[:1]) || strings.HasPrefix(s, "::") || strings.HasPrefix(s, "##")
}

// csvWriter writes a table with a header.
type csvWriter struct {
	w      io.Writer
	header bool
}

func (c *csvWriter) Write(r Row) error {
	cells := make([]string, len(csvColumns))
	for i, column := range csvColumns {
		cells[i] = column.text(&r)
	}
	return c.lines(cells)
}

// Close writes the header of a table without rows.
func (c *csvWriter) Close() error {
	if c.header {
		return nil
	}
	return c.lines()
}

// lines writes rows, and the header before the first.
func (c *csvWriter) lines(rows ...[]string) error {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if !c.header {
		c.header = true
		names := make([]string, len(csvColumns))
		for i, column := range csvColumns {
			names[i] = column.name
		}
		rows = append([][]string{names}, rows...)
	}
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	_, err := c.w.Write(b.Bytes())
	return err
}

func float(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.FormatFloat(*f, 'g', -1, 64)
}

func integer(i *int) string {
	if i == nil {
		return ""
	}
	return strconv.Itoa(*i)
}

// SignatureKey is the key of the signature in the metadata of a Parquet file whose rows all
// have the same signature.
const SignatureKey = "crscore.signature"

// parquetRows bounds the rows of a row group, which are in memory until it is written.
const parquetRows = 10_000

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
}

// parquetWriter writes a Parquet file. Without Close the file has no end and cannot be read.
type parquetWriter struct {
	w         *parquet.GenericWriter[parquetRow]
	signature string
	several   bool
}

func newParquetWriter(w io.Writer) *parquetWriter {
	return &parquetWriter{w: parquet.NewGenericWriter[parquetRow](w,
		parquet.Compression(&parquet.Snappy), parquet.DataPageVersion(1), parquet.MaxRowsPerRowGroup(parquetRows),
		parquet.CreatedBy("crscore", "", ""))}
}

func (p *parquetWriter) Write(r Row) error {
	if p.signature == "" {
		p.signature = r.Signature
	}
	p.several = p.several || p.signature != r.Signature
	row := parquetRow{
		ID: r.ID, Review: r.Review, Status: r.Status, Reason: r.Reason, Con: r.Con, Comp: r.Comp, Rel: r.Rel,
		Sentences: integer64(r.Sentences), Refs: integer64(r.Refs), Mode: r.Mode, Tau: r.Tau, Signature: r.Signature, Note: r.Note,
		Lang: r.Lang, Low: r.Low, Slope: r.Slope,
	}
	if h := r.Human; h != nil {
		row.HumanCon, row.HumanComp, row.HumanRel = &h.Con, &h.Comp, &h.Rel
	}
	_, err := p.w.Write([]parquetRow{row})
	return err
}

func (p *parquetWriter) Close() error {
	if p.signature != "" && !p.several {
		p.w.SetKeyValueMetadata(SignatureKey, p.signature)
	}
	return p.w.Close()
}

func integer64(i *int) *int64 {
	if i == nil {
		return nil
	}
	n := int64(*i)
	return &n
}
