package dataset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// sampleBytes is how much of a JSON text is looked at to tell its shape; more where the first line
// is longer.
const sampleBytes = 1 << 20

// array turns the elements of a JSON array into JSON Lines while it is read. It looks at strings
// and brackets alone, so that an element that is no JSON does not hide the next.
type array struct {
	in        *bufio.Reader
	depth     int // of brackets within an element
	text      bool
	escaped   bool // the next byte of a text means something else
	open, end bool // behind the array's first and last bracket
	err       error
}

// Read reads bytes of lines. The error of an array without its last bracket is
// io.ErrUnexpectedEOF.
func (a *array) Read(to []byte) (n int, err error) {
	for n < len(to) && a.err == nil {
		b, err := a.in.ReadByte()
		if errors.Is(err, io.EOF) && !a.end {
			err = fmt.Errorf("the JSON array has no end: %w", io.ErrUnexpectedEOF)
		}
		if a.err = err; err != nil {
			break
		}
		white := b == ' ' || b == '\t' || b == '\r' || b == '\n'
		switch {
		case white && a.end:
			continue
		case white && !a.text:
			b = ' '
		case b == '\n': // an error in a text, and stays one
			b = '\r'
		case a.end:
			a.err = errors.New("text follows the end of the JSON array")
			return n, a.err
		case !a.open: // it is the bracket
			a.open, b = true, ' '
		case a.text:
			a.text, a.escaped = a.escaped || b != '"', b == '\\' && !a.escaped
		case b == '"':
			a.text = true
		case b == '{' || b == '[':
			a.depth++
		case b == ',' && a.depth == 0:
			b = '\n'
		case b == ']' && a.depth == 0:
			a.end, b = true, '\n'
		case b == '}' || b == ']':
			a.depth = max(0, a.depth-1)
		}
		to[n] = b
		n++
	}
	return n, a.err
}

// elements makes lines of the elements of a JSON array, if the text is one.
func (l *lines) elements(head []byte) {
	if begin := bytes.TrimLeft(head, " \t\r\n"); len(begin) == 0 || begin[0] != '[' {
		return
	}
	l.array, l.in = true, bufio.NewReaderSize(&array{in: l.in}, 1<<16)
}

// jsonTable reads rows from JSON objects. Its columns are the keys of the first rows.
type jsonTable struct {
	text  *lines
	names []string
	known map[string]bool // the names, and whether another key is one that a table needs
	wants func(key string) bool
	used  []int
	cells []cell
}

// openRows returns a table if the text of JSON Lines has a review a row, and nil if it has the
// interchange format or CodeReviewer's rows. The first rows tell.
func openRows(text *lines, o Options) (table, error) {
	var head []byte
	for size := int64(sampleBytes); ; size = MaxLineBytes {
		more, _ := io.ReadAll(io.LimitReader(text.in, size-int64(len(head)))) // who reads on meets the error
		if head = append(head, more...); size == MaxLineBytes || len(head) < sampleBytes || slices.Contains(head, '\n') {
			break
		}
	}
	text.in = bufio.NewReaderSize(io.MultiReader(bytes.NewReader(head), text.in), 1<<16)
	names, pandas := sample(head)
	text.names = names
	switch {
	case pandas != "":
		return nil, fmt.Errorf(`this is what to_json(orient=%q) of pandas writes: write the rows with df.to_json("FILE", orient="records", lines=True)`, pandas)
	case len(names) == 0:
		return nil, nil
	}
	bind := func(names []string) (Columns, error) {
		cols, _, err := o.Columns.bind(names, o.NoDiff)
		return cols, err
	}
	cols, err := bind(names)
	has := func(name string) bool { return slices.Contains(names, name) }
	if has("status") && has("signature") && !has("diff") {
		return nil, errors.New("these are scores: give the dataset that they are of")
	}
	texts := slices.ContainsFunc(cols, func(c Column) bool { return c.Field == "review" || c.Field == "system" })
	if len(o.Columns) == 0 && (has("reviews") || has("msg") && !has("system") || err == nil && !texts) {
		if o.EmptyCells != "" {
			return nil, errors.New("this is JSON with a change a row, whose reviews have no cells")
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t := &jsonTable{text: text, names: names, known: map[string]bool{}}
	for _, name := range names {
		t.known[name] = false
	}
	t.wants = func(key string) bool {
		cols, err := bind(append(slices.Clone(names), key))
		return err != nil || slices.ContainsFunc(cols, func(c Column) bool { return c.Column == key })
	}
	return t, nil
}

// sample returns the keys of the rows at the begin of JSON Lines, those of each row sorted, or the
// orientation of what pandas wrote that has no rows. A row that is no JSON does not count.
func sample(head []byte) (names []string, pandas string) {
	for line := range bytes.Lines(head) {
		if line = bytes.TrimSpace(line); names == nil && bytes.HasPrefix(line, []byte("[")) {
			return nil, "values"
		}
		var o object
		if json.Unmarshal(line, &o) != nil {
			continue
		}
		if names == nil && len(o) > 0 {
			if pandas := o.pandas(); pandas != "" {
				return nil, pandas
			}
		}
		for _, key := range slices.Sorted(maps.Keys(o)) {
			if len(names) < maxColumns && !slices.Contains(names, key) {
				names = append(names, key)
			}
		}
	}
	return names, ""
}

// pandas is the orientation of what pandas wrote as one object; "" for a row.
func (o object) pandas() string {
	switch {
	case o["data"] != nil && o["columns"] != nil:
		return "split"
	case o["data"] != nil && o["schema"] != nil:
		return "table"
	}
	orient := "index"
	for key, raw := range o {
		if raw[0] != '{' {
			return ""
		}
		if strings.Trim(key, "0123456789") != "" {
			orient = "columns"
		}
	}
	return orient
}

func (t *jsonTable) columns() []string { return t.names }

func (t *jsonTable) use(places []int) error {
	t.used, t.cells = places, make([]cell, len(places))
	return nil
}

func (t *jsonTable) rows() bool { return t.text.array }

func (t *jsonTable) about() string {
	if t.text.array {
		return "a JSON array"
	}
	return "JSON Lines, a review a row"
}

// next returns the cells of the next row. They are valid until the next call.
func (t *jsonTable) next() (int, []cell, error) {
	b, at, err := t.text.next()
	if err != nil {
		return 0, nil, err
	}
	if err := t.fill(b); err != nil {
		return 0, nil, &LineError{Line: at, Row: t.text.array, Err: err}
	}
	return at, t.cells, nil
}

func (t *jsonTable) fill(b []byte) error {
	var o object
	if err := parse(b, &o); err != nil {
		return err
	}
	if o == nil {
		return errors.New("not a JSON object but null")
	}
	for key := range o {
		wanted, known := t.known[key]
		if !known {
			wanted = t.wants(key)
			if len(t.known) < maxColumns {
				t.known[key] = wanted
			}
		}
		if wanted {
			return fmt.Errorf("the key %s is in none of the first rows, which say what is read: write it there, too, with null where nothing is known", short(key))
		}
	}
	for i, place := range t.used {
		v, err := cellOf(o[t.names[place]])
		if err != nil {
			return describe(t.names[place], err)
		}
		t.cells[i] = v
	}
	return nil
}

// cellOf is a JSON value as a cell; an empty one is that of a missing key.
func cellOf(raw json.RawMessage) (v cell, err error) {
	if len(raw) == 0 {
		return cell{null: true, mark: "not there"}, nil
	}
	switch v.kind = jsontext.Kind(raw[0]); {
	case v.kind == 'n':
		return cell{null: true, mark: "null"}, nil
	case v.kind == '"':
		err = json.Unmarshal(raw, &v.text)
	case v.kind == '-' || v.kind >= '0' && v.kind <= '9':
		var n text
		v.kind, err = '0', json.Unmarshal(raw, &n)
		v.text = string(n)
	default:
		v.text = string(raw)
	}
	return v, err
}

// fits returns an error if a JSON value may not stand in a field.
func (v cell) fits(c Column) error {
	ok := v.kind == 0 || v.kind == '"'
	switch c.Field {
	case "id", "system", "pull", "con", "comp", "rel":
		ok = ok || v.kind == '0'
	case "claims", "smells", "reviews", "refs_edited":
		ok = ok || v.kind == '[' || v.kind == '{'
	}
	if ok {
		return nil
	}
	names := map[jsontext.Kind]string{'0': "number", 't': "bool", 'f': "bool", '[': "array", '{': "object"}
	return fmt.Errorf("%q: a JSON %s may not stand here", c.Column, names[v.kind])
}
