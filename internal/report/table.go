package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"crscore/internal/csvcell"
)

// csvColumn is a column of a table.
type csvColumn struct {
	name string
	text func(*Row) string
}

// csvColumns are the columns of a table, in their order. A new column comes last.
var csvColumns = []csvColumn{
	{"id", func(r *Row) string { return csvcell.Text(r.ID) }},
	{"review", func(r *Row) string { return csvcell.Text(r.Review) }},
	{"status", func(r *Row) string { return r.Status }},
	{"reason", func(r *Row) string { return csvcell.Text(r.Reason) }},
	{"con", func(r *Row) string { return float(r.Con) }},
	{"comp", func(r *Row) string { return float(r.Comp) }},
	{"rel", func(r *Row) string { return float(r.Rel) }},
	{"sentences", func(r *Row) string { return integer(r.Sentences) }},
	{"refs", func(r *Row) string { return integer(r.Refs) }},
	{"mode", func(r *Row) string { return r.Mode }},
	{"tau", func(r *Row) string { return float(r.Tau) }},
	{"signature", func(r *Row) string { return csvcell.Text(r.Signature) }},
	{"note", func(r *Row) string { return csvcell.Text(r.Note) }},
	{"lang", func(r *Row) string { return csvcell.Text(r.Lang) }},
	{"low", func(r *Row) string { return float(r.Low) }},
	{"slope", func(r *Row) string { return float(r.Slope) }},
	{"human_con", func(r *Row) string { return float(r.human(func(h *Human) *float64 { return &h.Con })) }},
	{"human_comp", func(r *Row) string { return float(r.human(func(h *Human) *float64 { return &h.Comp })) }},
	{"human_rel", func(r *Row) string { return float(r.human(func(h *Human) *float64 { return &h.Rel })) }},
	{"comp_by", func(r *Row) string { return r.CompBy }},
	{"system", func(r *Row) string { return csvcell.Text(r.System) }},
	{"warnings", func(r *Row) string { return csvcell.Text(r.warnings()) }},
	{"kind", func(r *Row) string { return r.Kind }},
	{"protocol", func(r *Row) string { return r.Protocol }},
	{"weights", func(r *Row) string { return csvcell.Text(r.Weights) }},
}

const (
	// metricPrefix is the begin of the name of a metric's column.
	metricPrefix = "metrics."
	// unscoredMetrics is the column with Row.UnscoredMetrics, as JSON.
	unscoredMetrics = "unscored_metrics"
	// lowerIsBetter is the column with Row.LowerIsBetter, as JSON.
	lowerIsBetter = "lower_is_better"
)

// onlyCRScore reports whether a column is missing in tables of reference-based metrics.
func onlyCRScore(column string) bool {
	return slices.Contains([]string{"con", "comp", "rel", "sentences", "refs", "mode", "tau", "low", "slope", "comp_by", "weights"}, column)
}

// tableColumns are the columns of rows with metrics, or those of CRScore for nil.
func tableColumns(metrics []string) []csvColumn {
	if metrics == nil {
		return csvColumns
	}
	out := slices.DeleteFunc(slices.Clone(csvColumns), func(c csvColumn) bool { return onlyCRScore(c.name) })
	for _, name := range metrics {
		out = append(out, csvColumn{metricPrefix + name, func(r *Row) string { return float(r.metric(name)) }})
	}
	return append(out, csvColumn{unscoredMetrics, func(r *Row) string { return csvcell.Text(r.reasons()) }},
		csvColumn{lowerIsBetter, func(r *Row) string { return csvcell.Text(r.lower()) }})
}

func (r *Row) metric(name string) *float64 {
	if v, ok := r.Metrics.Get(name); ok {
		return &v
	}
	return nil
}

// reasons are those of the metrics without a score, as JSON; empty where there are none.
func (r *Row) reasons() string {
	if len(r.UnscoredMetrics) == 0 {
		return ""
	}
	b, _ := r.UnscoredMetrics.MarshalJSON() // texts have no errors
	return string(b)
}

// lower are the metrics of which lower scores are better, as JSON; empty where there are none.
func (r *Row) lower() string {
	if len(r.LowerIsBetter) == 0 {
		return ""
	}
	b, _ := json.Marshal(r.LowerIsBetter) // texts have no errors
	return string(b)
}

// warnings are those of the change on a line.
func (r *Row) warnings() string { return Plain(strings.Join(r.Warnings, "; ")) }

func (r *Row) human(label func(*Human) *float64) *float64 {
	if r.Human == nil {
		return nil
	}
	return label(r.Human)
}

// csvWriter writes a table with a header.
type csvWriter struct {
	w       io.Writer
	columns []csvColumn
	header  bool
}

func (c *csvWriter) Write(r Row) error {
	cells := make([]string, len(c.columns))
	for i, column := range c.columns {
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
		names := make([]string, len(c.columns))
		for i, column := range c.columns {
			names[i] = csvcell.Text(column.name)
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
	CompBy    string   `parquet:"comp_by,dict,optional"`
	System    string   `parquet:"system,dict"`
	Warnings  string   `parquet:"warnings,dict,optional"`
	Kind      string   `parquet:"kind,dict,optional"`
	Protocol  string   `parquet:"protocol,dict,optional"`
	Weights   string   `parquet:"weights,dict,optional"`
}

// parquetWriter writes a Parquet file. Without Close the file has no end and cannot be read.
type parquetWriter struct {
	w         *parquet.GenericWriter[any]
	row       reflect.Type
	metrics   []string
	signature string
	several   bool
}

func newParquetWriter(w io.Writer, metrics []string) *parquetWriter {
	row := parquetColumns(metrics)
	return &parquetWriter{row: row, metrics: metrics, w: parquet.NewGenericWriter[any](w, parquet.SchemaOf(reflect.New(row).Interface()),
		parquet.Compression(&parquet.Snappy), parquet.DataPageVersion(1), parquet.MaxRowsPerRowGroup(parquetRows),
		parquet.CreatedBy("crscore", "", ""))}
}

// parquetColumns is the type of a row: parquetRow or, with metrics, its fields that rows of
// metrics have, a field for each metric, and one for the reasons of missing scores.
func parquetColumns(metrics []string) reflect.Type {
	all := reflect.TypeFor[parquetRow]()
	if metrics == nil {
		return all
	}
	var fields []reflect.StructField
	for i := range all.NumField() {
		f := all.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("parquet"), ","); !onlyCRScore(name) {
			fields = append(fields, reflect.StructField{Name: f.Name, Type: f.Type, Tag: f.Tag})
		}
	}
	add := func(name, column string, t reflect.Type) {
		tag := reflect.StructTag("parquet:" + strconv.Quote(column+",optional"))
		fields = append(fields, reflect.StructField{Name: name, Type: t, Tag: tag})
	}
	for i, name := range metrics {
		add(metricField(i), metricPrefix+name, reflect.TypeFor[*float64]())
	}
	add("Reasons", unscoredMetrics, reflect.TypeFor[string]())
	add("Lower", lowerIsBetter, reflect.TypeFor[string]())
	return reflect.StructOf(fields)
}

func metricField(i int) string { return "Metric" + strconv.Itoa(i) }

func (p *parquetWriter) Write(r Row) error {
	if p.signature == "" {
		p.signature = r.Signature
	}
	p.several = p.several || p.signature != r.Signature
	row := parquetRow{
		ID: r.ID, Review: r.Review, Status: r.Status, Reason: r.Reason, Con: r.Con, Comp: r.Comp, Rel: r.Rel,
		Sentences: integer64(r.Sentences), Refs: integer64(r.Refs), Mode: r.Mode, Tau: r.Tau, Signature: r.Signature, Note: r.Note,
		Lang: r.Lang, Low: r.Low, Slope: r.Slope, CompBy: r.CompBy, System: r.System, Warnings: r.warnings(),
		Kind: r.Kind, Protocol: r.Protocol, Weights: r.Weights,
	}
	if h := r.Human; h != nil {
		row.HumanCon, row.HumanComp, row.HumanRel = &h.Con, &h.Comp, &h.Rel
	}
	if p.metrics == nil {
		_, err := p.w.Write([]any{row})
		return err
	}
	from, to := reflect.ValueOf(row), reflect.New(p.row).Elem()
	for i := range to.NumField() {
		if v := from.FieldByName(p.row.Field(i).Name); v.IsValid() {
			to.Field(i).Set(v)
		}
	}
	for i, name := range p.metrics {
		to.FieldByName(metricField(i)).Set(reflect.ValueOf(r.metric(name)))
	}
	to.FieldByName("Reasons").SetString(r.reasons())
	to.FieldByName("Lower").SetString(r.lower())
	_, err := p.w.Write([]any{to.Interface()})
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
