package report

import (
	"bytes"
	"encoding/csv"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"crscore/internal/csvcell"
	"crscore/internal/dataset"
)

// cell is the value of a column in a table: a string, *int64 or *float64.
func cell(c dataset.RowColumn, r *dataset.Row) any {
	switch v := c.Of(r).(type) {
	case *string:
		return *v
	case *[]string:
		return Plain(strings.Join(*v, "; "))
	case **float64:
		return *v
	case **int:
		if *v != nil {
			return new(int64(**v))
		}
	}
	return (*int64)(nil)
}

// csvWriter writes a table with a header.
type csvWriter struct {
	w       io.Writer
	columns []dataset.RowColumn
	header  bool
}

func (c *csvWriter) Write(r dataset.Row) error {
	cells := make([]string, len(c.columns))
	for i, column := range c.columns {
		switch v := cell(column, &r).(type) {
		case string:
			cells[i] = csvcell.Text(v)
		case *float64:
			cells[i] = float(v)
		case *int64:
			if v != nil {
				cells[i] = strconv.FormatInt(*v, 10)
			}
		}
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
			names[i] = csvcell.Text(column.Name)
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

// SignatureKey is the key of the signature in the metadata of a Parquet file whose rows all
// have the same signature.
const SignatureKey = "crscore.signature"

// parquetRows bounds the rows of a row group, which are in memory until it is written.
const parquetRows = 10_000

// parquetWriter writes a Parquet file, with the columns of CSV. A missing value and an empty text are null.
// Without Close the file has no end and cannot be read.
type parquetWriter struct {
	w         *parquet.GenericWriter[any]
	row       reflect.Type
	columns   []dataset.RowColumn
	signature string
	several   bool
}

func newParquetWriter(w io.Writer, metrics []string) *parquetWriter {
	p := &parquetWriter{columns: dataset.RowColumns(metrics)}
	fields := make([]reflect.StructField, len(p.columns))
	for i, c := range p.columns {
		tag := reflect.StructTag("parquet:" + strconv.Quote(c.Name+","+c.Parquet))
		fields[i] = reflect.StructField{Name: "Column" + strconv.Itoa(i), Type: reflect.TypeOf(cell(c, &dataset.Row{})), Tag: tag}
	}
	p.row = reflect.StructOf(fields)
	schema := parquet.SchemaOf(reflect.New(p.row).Interface())
	if metrics == nil {
		schema = parquet.NewSchema("parquetRow", schema) // its name since there are such files
	}
	p.w = parquet.NewGenericWriter[any](w, schema, parquet.Compression(&parquet.Snappy), parquet.DataPageVersion(1),
		parquet.MaxRowsPerRowGroup(parquetRows), parquet.CreatedBy("crscore", "", ""))
	return p
}

func (p *parquetWriter) Write(r dataset.Row) error {
	if p.signature == "" {
		p.signature = r.Signature
	}
	p.several = p.several || p.signature != r.Signature
	row := reflect.New(p.row).Elem()
	for i, c := range p.columns {
		row.Field(i).Set(reflect.ValueOf(cell(c, &r)))
	}
	_, err := p.w.Write([]any{row.Interface()})
	return err
}

func (p *parquetWriter) Close() error {
	if p.signature != "" && !p.several {
		p.w.SetKeyValueMetadata(SignatureKey, p.signature)
	}
	return p.w.Close()
}
