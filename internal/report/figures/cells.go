package figures

import (
	"encoding/csv"
	"fmt"
	"io"

	"crscore/internal/csvcell"
)

// Add appends a row of values, each as it prints itself: texts, whole numbers, estimates.
func (t *Table) Add(values ...any) *Row {
	cells := make([]string, len(values))
	for i, v := range values {
		cells[i] = fmt.Sprint(v)
	}
	t.Rows = append(t.Rows, Row{Cells: cells})
	return &t.Rows[len(t.Rows)-1]
}

// Col is a column of a table with a row for each item: its head, and the value of an item.
type Col[T any] struct {
	Column
	value func(item T) any
}

// Texts is a column of texts.
func Texts[T any](name string, value func(item T) any) Col[T] {
	return Col[T]{Column{Name: name}, value}
}

// Numbers is a column of numbers.
func Numbers[T any](name string, value func(item T) any) Col[T] {
	return Col[T]{Column{name, true}, value}
}

// Fill gives a table its columns, and a row for each item.
func Fill[T any](t *Table, items []T, columns []Col[T]) {
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Column)
	}
	for _, item := range items {
		values := make([]any, len(columns))
		for i, c := range columns {
			values[i] = c.value(item)
		}
		t.Add(values...)
	}
}

// Sheet is a table for programs, with its heads first. Numbers are not rounded. What is not known
// is empty.
type Sheet [][]string

// NewSheet has heads and no rows.
func NewSheet(heads ...any) Sheet {
	var s Sheet
	s.Add(heads...)
	return s
}

// Add appends a row of values: texts, numbers, and estimates, which have several cells.
func (s *Sheet) Add(values ...any) {
	var row []string
	for _, v := range values {
		switch v := v.(type) {
		case float64:
			row = append(row, exact(v))
		case []string:
			row = append(row, v...)
		case interface{ Columns() []string }:
			row = append(row, v.Columns()...)
		default:
			row = append(row, csvcell.Text(fmt.Sprint(v)))
		}
	}
	*s = append(*s, row)
}

// CSV writes the sheet.
func (s Sheet) CSV(w io.Writer) error { return csv.NewWriter(w).WriteAll(s) }
