package dataset

import (
	"encoding/json"
	"slices"
)

// RowColumn is a column of a table of rows.
type RowColumn struct {
	// Name is the name in the header, and the key in JSON where JSON has a plain value.
	Name string
	// Of returns where the value is: a *string, **float64, **int or *[]string. It is a copy where JSON has another
	// form.
	Of func(*Row) any
	// Parquet are the options of the column in Parquet.
	Parquet string

	crscore bool // missing in tables of reference-based metrics
}

// The options of texts in Parquet.
const (
	needed = "dict"
	often  = "dict,optional"
)

// rowColumns are the columns of a table, in their order. A new column comes last.
var rowColumns = []RowColumn{
	{"id", func(r *Row) any { return &r.ID }, "plain", false},
	{"review", func(r *Row) any { return &r.Review }, needed, false},
	{"status", func(r *Row) any { return &r.Status }, needed, false},
	{"reason", func(r *Row) any { return &r.Reason }, often, false},
	{"con", func(r *Row) any { return &r.Con }, "optional", true},
	{"comp", func(r *Row) any { return &r.Comp }, "optional", true},
	{"rel", func(r *Row) any { return &r.Rel }, "optional", true},
	{"sentences", func(r *Row) any { return &r.Sentences }, "optional", true},
	{"refs", func(r *Row) any { return &r.Refs }, "optional", true},
	{"mode", func(r *Row) any { return &r.Mode }, needed, true},
	{"tau", func(r *Row) any { return &r.Tau }, "optional", true},
	{"signature", func(r *Row) any { return &r.Signature }, needed, false},
	{"note", func(r *Row) any { return &r.Note }, often, false},
	{"lang", func(r *Row) any { return &r.Lang }, often, false},
	{"low", func(r *Row) any { return &r.Low }, "optional", true},
	{"slope", func(r *Row) any { return &r.Slope }, "optional", true},
	{"human_con", func(r *Row) any { return r.Human.label(func(h *Human) *float64 { return &h.Con }) }, "optional", false},
	{"human_comp", func(r *Row) any { return r.Human.label(func(h *Human) *float64 { return &h.Comp }) }, "optional", false},
	{"human_rel", func(r *Row) any { return r.Human.label(func(h *Human) *float64 { return &h.Rel }) }, "optional", false},
	{"comp_by", func(r *Row) any { return &r.CompBy }, often, true},
	{"system", func(r *Row) any { return &r.System }, needed, false},
	{"warnings", func(r *Row) any { return &r.Warnings }, often, false},
	{"kind", func(r *Row) any { return &r.Kind }, often, false},
	{"protocol", func(r *Row) any { return &r.Protocol }, often, false},
	{"weights", func(r *Row) any { return &r.Weights }, often, true},
}

// RowColumns are the columns of rows with metrics, or those of CRScore for nil.
func RowColumns(metrics []string) []RowColumn {
	if metrics == nil {
		return rowColumns
	}
	var out []RowColumn
	for _, c := range rowColumns {
		if !c.crscore {
			out = append(out, c)
		}
	}
	for _, name := range metrics {
		out = append(out, RowColumn{metricColumn + name, func(r *Row) any {
			var p *float64
			if v, ok := r.Metrics.Get(name); ok {
				p = &v
			}
			return &p
		}, "optional", false})
	}
	return append(out, RowColumn{"unscored_metrics", func(r *Row) any { return jsonCell(r.UnscoredMetrics, len(r.UnscoredMetrics)) }, "optional", false},
		RowColumn{lowerIsBetter, func(r *Row) any { return jsonCell(r.LowerIsBetter, len(r.LowerIsBetter)) }, "optional", false})
}

func isRowColumn(name string) bool {
	return slices.ContainsFunc(rowColumns, func(c RowColumn) bool { return c.Name == name })
}

const (
	// metricColumn begins the name of a metric's column.
	metricColumn = "metrics."
	// lowerIsBetter has Row.LowerIsBetter, as JSON in a table too.
	lowerIsBetter = "lower_is_better"
)

func (h *Human) label(of func(*Human) *float64) **float64 {
	var p *float64
	if h != nil {
		p = of(h)
	}
	return &p
}

// jsonCell is a value as JSON, or the empty text for one without members.
func jsonCell(v any, members int) *string {
	var b []byte
	if members > 0 {
		b, _ = json.Marshal(v) // texts have no errors
	}
	return new(string(b))
}
