package dataset

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"crscore/internal/limits"
)

// parquetTable reads the rows of a Parquet file. It holds one page of each column that is
// read.
type parquetTable struct {
	file *parquet.File
	src  Source
	used []*node
	out  []cell

	leaves []*column
	places []int // of leaves in a row group
	common common
	group  int   // row groups so far
	left   int64 // rows left in the current row group
	row    int
	read   int64 // bytes that Source.Read knows of
	text   int   // bytes in the row
	count  int   // values in the row
}

// node is a column of the schema.
type node struct {
	name               string
	optional, repeated bool
	rep, def           int // levels of a value that is there
	list, object       bool
	leaf               *column
	leaves             []*column // in it
	children           []*node
}

// recoverBroken turns a panic into an error. The library panics on some hostile files.
func recoverBroken(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("a broken Parquet file: %v", p)
	}
}

func openParquet(src Source) (t *parquetTable, err error) {
	defer recoverBroken(&err)
	if src.Size < 12 {
		return nil, errors.New("a broken Parquet file: it ends too early")
	}
	var tail [8]byte
	if _, err := src.File.ReadAt(tail[:], src.Size-8); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	size := int64(binary.LittleEndian.Uint32(tail[:4]))
	switch magic := string(tail[4:]); {
	case magic == "PARE":
		return nil, errors.New("this Parquet file is encrypted")
	case magic != "PAR1":
		return nil, errors.New("a broken Parquet file: its end, with the table of contents, is missing")
	case size > src.Size-12:
		return nil, errors.New("a broken Parquet file: its table of contents is said to be larger than the file")
	case size > limits.ParquetFooter:
		return nil, fmt.Errorf("the table of contents of this Parquet file is larger than the limit of %d MiB", limits.ParquetFooter>>20)
	}
	footer := make([]byte, size)
	if _, err := src.File.ReadAt(footer, src.Size-8-size); err != nil {
		return nil, err
	}
	if err := checkFooter(footer); err != nil {
		return nil, fmt.Errorf("a broken Parquet file: its table of contents: %w", err)
	}
	f, err := parquet.OpenFile(src.File, src.Size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("a broken Parquet file: %w", err)
	}
	return &parquetTable{file: f, src: src}, nil
}

func (t *parquetTable) columns() []string {
	var out []string
	for _, c := range t.file.Root().Columns() {
		out = append(out, c.Name())
	}
	return out
}

func (t *parquetTable) rows() bool { return true }

func (t *parquetTable) about() string { return fmt.Sprintf("Parquet, %d rows", t.file.NumRows()) }

func (t *parquetTable) use(places []int) (err error) {
	defer recoverBroken(&err)
	all := t.file.Root().Columns()
	for _, i := range places {
		n, err := t.node(all[i], 0, 0)
		if err != nil {
			return fmt.Errorf("column %s: %w", short(all[i].Name()), err)
		}
		t.used = append(t.used, n)
	}
	t.out = make([]cell, len(places))
	return nil
}

// node returns a column of the schema as a tree.
func (t *parquetTable) node(c *parquet.Column, rep, def int) (*node, error) {
	n := &node{name: c.Name(), optional: c.Optional(), repeated: c.Repeated()}
	if n.optional || n.repeated {
		def++
	}
	if n.repeated {
		rep++
	}
	n.rep, n.def = rep, def
	if rep > 255 || def > 255 {
		return nil, errors.New("it is nested too deep")
	}
	logical := c.Type().LogicalType()
	if c.Leaf() {
		leaf := &column{name: strings.Join(c.Path(), "."), typ: c.Type(), maxRep: rep, maxDef: def, common: &t.common}
		switch c.Type().Kind() {
		case parquet.Int96, parquet.FixedLenByteArray:
			return nil, fmt.Errorf("values of the type %s are not read: cast them to DOUBLE or to text", c.Type())
		}
		if logical != nil {
			switch v := logical.Value.(type) {
			case *format.DecimalType:
				return nil, fmt.Errorf("values of the type %s are not read: cast them to DOUBLE or to text", c.Type())
			case *format.IntType:
				leaf.unsigned = !v.IsSigned
			}
		}
		n.leaf, n.leaves = leaf, []*column{leaf}
		t.leaves, t.places = append(t.leaves, leaf), append(t.places, c.Index())
		return n, nil
	}
	children, from := c.Columns(), len(t.leaves)
	if len(children) == 0 {
		return nil, errors.New("it is a group of nothing")
	}
	for _, child := range children {
		m, err := t.node(child, rep, def)
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, m)
	}
	n.leaves = t.leaves[from:]
	// A list or a map is a group of one repeated group.
	if len(n.children) == 1 && n.children[0].repeated {
		var kind any // which the library takes from the older annotations too
		if logical != nil {
			kind = logical.Value
		}
		_, n.list = kind.(*format.ListType)
		_, object := kind.(*format.MapType)
		n.object = object && len(n.children[0].children) == 2
	}
	return n, nil
}

// next reads a row. An invalid value is a LineError; a fault of the file is final.
func (t *parquetTable) next() (at int, cells []cell, err error) {
	defer func() {
		if err != nil && !errors.Is(err, io.EOF) && !errors.As(err, new(*LineError)) {
			err = fmt.Errorf("row %d: a broken Parquet file: %w", t.row+1, err)
		}
	}()
	defer recoverBroken(&err)
	for t.left == 0 {
		if err := t.nextGroup(); err != nil {
			return 0, nil, err
		}
	}
	for _, leaf := range t.leaves {
		switch {
		case leaf.ended:
			return 0, nil, fmt.Errorf("column %s has fewer rows than the others", short(leaf.name))
		case leaf.rep != 0:
			return 0, nil, fmt.Errorf("column %s has a row without a beginning", short(leaf.name))
		}
	}
	t.text, t.count = 0, 0
	var bad error
	for i, n := range t.used {
		var why error
		if t.out[i], why, err = t.cell(n); err != nil {
			return 0, nil, err
		}
		if bad == nil && why != nil {
			bad = fmt.Errorf("column %s: %w", short(n.name), why)
		}
	}
	t.row++
	t.left--
	t.tell(float64(t.row) / float64(t.file.NumRows()))
	if t.text > limits.LineBytes {
		bad = fmt.Errorf("the row is longer than the limit of %d MiB", limits.LineBytes>>20)
	}
	if bad != nil {
		return 0, nil, &LineError{Line: t.row, Row: true, Err: bad}
	}
	return t.row, t.out, nil
}

// tell reports progress to Source.Read.
func (t *parquetTable) tell(share float64) {
	if n := int64(share * float64(t.src.Size)); t.src.Read != nil && n > t.read && n <= t.src.Size {
		t.src.Read(n - t.read)
		t.read = n
	}
}

// nextGroup goes to the next row group. It returns io.EOF behind the last.
func (t *parquetTable) nextGroup() error {
	if t.group > 0 {
		for _, leaf := range t.leaves {
			if !leaf.ended {
				return fmt.Errorf("column %s has more rows than the others", short(leaf.name))
			}
		}
	}
	groups := t.file.Metadata().RowGroups
	if t.group == len(groups) {
		if int64(t.row) != t.file.NumRows() {
			return fmt.Errorf("the file has %d rows, and says %d", t.row, t.file.NumRows())
		}
		return io.EOF
	}
	g := &groups[t.group]
	t.group++
	if g.NumRows < 0 {
		return errors.New("a row group has less than no rows")
	}
	t.left = g.NumRows
	for i, leaf := range t.leaves {
		if at := t.places[i]; at < 0 || at >= len(g.Columns) {
			return fmt.Errorf("a row group has no column %s", short(leaf.name))
		}
		if err := leaf.start(t.src.File, t.src.Size, &g.Columns[t.places[i]].MetaData); err != nil {
			return err
		}
	}
	return nil
}

// cell reads the value of a column. bad is an error of this row only; err is final.
func (t *parquetTable) cell(n *node) (c cell, bad, err error) {
	if n.leaf != nil && !n.repeated {
		v, err := t.scalar(n.leaf)
		if err == nil && !utf8.ValidString(v.text) {
			bad = errors.New("the text is not UTF-8")
		}
		return cell{text: v.text, null: v.null}, bad, err
	}
	b, err := t.value(nil, n)
	if err != nil {
		return c, nil, err
	}
	if !utf8.Valid(b) {
		bad = errors.New("a text is not UTF-8")
	}
	if string(b) == "null" {
		return cell{null: true}, bad, nil
	}
	return cell{text: string(b)}, bad, nil
}

// scalar takes the next value of a leaf. It drops the text of a row that is too long.
func (t *parquetTable) scalar(leaf *column) (scalar, error) {
	if t.count++; t.count > limits.ParquetRow {
		return scalar{}, fmt.Errorf("it has more than %d values", limits.ParquetRow)
	}
	v, err := leaf.take()
	if t.text += len(v.text) + 1; t.text > limits.LineBytes {
		v.text = ""
	}
	return v, err
}

// value appends the value of a node as JSON.
func (t *parquetTable) value(b []byte, n *node) ([]byte, error) {
	if t.text += len(n.name); t.text > limits.LineBytes {
		b = b[:0] // the row is left out
	}
	switch {
	case n.repeated: // a list that no group is around
		return t.list(b, n)
	case n.optional && n.leaves[0].def < n.def:
		return append(b, "null"...), t.drop(n)
	}
	return t.present(b, n)
}

// present appends a value that is not null.
func (t *parquetTable) present(b []byte, n *node) ([]byte, error) {
	switch {
	case n.leaf != nil:
		v, err := t.scalar(n.leaf)
		switch {
		case err != nil:
			return b, err
		case v.null:
			return append(b, "null"...), nil
		case !v.quoted:
			return append(b, v.text...), nil
		}
		return appendText(b, v.text)
	case n.list:
		return t.list(b, n.children[0])
	case n.object:
		return t.entries(b, n.children[0])
	}
	b = append(b, '{')
	for i, child := range n.children {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = appendText(b, child.name); err != nil {
			return b, err
		}
		if b, err = t.value(append(b, ':'), child); err != nil {
			return b, err
		}
	}
	return append(b, '}'), nil
}

func appendText(b []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return append(append(append(b, '"'), "\xff"...), '"'), nil // for cell to see
	}
	quoted, err := json.Marshal(s)
	return append(b, quoted...), err
}

// list appends a repeated node as an array.
func (t *parquetTable) list(b []byte, n *node) ([]byte, error) {
	return t.each(b, n, "[]", func(b []byte) ([]byte, error) {
		// The group between a list and its elements is no value, if it has one child.
		if n.leaf == nil && len(n.children) == 1 && n.name != "array" {
			return t.value(b, n.children[0])
		}
		return t.present(b, n)
	})
}

// entries appends a repeated node of keys and values as an object.
func (t *parquetTable) entries(b []byte, n *node) ([]byte, error) {
	if n.children[0].leaf == nil || n.children[0].repeated {
		return b, errors.New("a map has keys that are no texts")
	}
	return t.each(b, n, "{}", func(b []byte) ([]byte, error) {
		key, err := t.scalar(n.children[0].leaf)
		if err != nil {
			return b, err
		}
		if b, err = appendText(b, key.text); err != nil {
			return b, err
		}
		return t.value(append(b, ':'), n.children[1])
	})
}

// each appends the elements of a repeated node in brackets.
func (t *parquetTable) each(b []byte, n *node, brackets string, element func([]byte) ([]byte, error)) (_ []byte, err error) {
	b = append(b, brackets[0])
	first := n.leaves[0]
	if first.def < n.def {
		return append(b, brackets[1]), t.drop(n)
	}
	for more := false; !more || !first.ended && first.rep == n.rep; more = true {
		if more {
			b = append(b, ',')
		}
		if b, err = element(b); err != nil {
			return b, err
		}
	}
	return append(b, brackets[1]), nil
}

// drop skips a null node: it takes a value of each leaf.
func (t *parquetTable) drop(n *node) error {
	for _, leaf := range n.leaves {
		if _, err := t.scalar(leaf); err != nil {
			return err
		}
	}
	return nil
}
