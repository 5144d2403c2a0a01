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

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// sampleBytes is how much of a JSON text is looked at to tell its shape; more where the first line
// is longer.
const sampleBytes = 1 << 20

// array turns the elements of a JSON array, or objects over several lines, into JSON Lines while
// it is read. It looks at strings and brackets alone, so that an element that is no JSON does not
// hide the next.
type array struct {
	in        *bufio.Reader
	bare      bool // objects without an array around them
	depth     int  // of brackets within an element
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
		if errors.Is(err, io.EOF) && !a.end && !a.bare {
			err = fmt.Errorf("the JSON array has no end: %w", io.ErrUnexpectedEOF)
		}
		if a.err = err; err != nil {
			break
		}
		white := b == ' ' || b == '\t' || b == '\r' || b == '\n'
		switch {
		case white && a.end:
			continue
		case b == '\n' && a.bare && a.depth == 0 && !a.text:
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
		case b == ',' && a.depth == 0 && !a.bare:
			b = '\n'
		case b == ']' && a.depth == 0 && !a.bare:
			a.end, b = true, '\n'
		case b == '}' || b == ']':
			a.depth = max(0, a.depth-1)
		}
		to[n] = b
		n++
	}
	return n, a.err
}

// elements makes lines of the elements of a JSON array, if the text is one, and of objects whose
// first bracket has a line of its own before that of a key, as jq writes them.
func (l *lines) elements(head []byte) {
	first, rest, _ := bytes.Cut(bytes.TrimLeft(head, " \t\r\n"), []byte("\n"))
	key := bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(`"`))
	if bare := key && string(bytes.TrimSpace(first)) == "{"; bare || bytes.HasPrefix(first, []byte("[")) {
		l.array, l.in = true, bufio.NewReaderSize(&array{in: l.in, bare: bare, open: bare}, 1<<16)
	}
}

// jsonTable reads rows from JSON objects. Its columns are the keys of the first rows.
type jsonTable struct {
	text  *lines
	names []string
	known map[string]bool // the names, and whether another key is one that a table needs
	o     Options
	used  []int
	cells []cell
}

// openRows returns a table if the text of JSON Lines has a review a row, and nil if it has the
// interchange format or CodeReviewer's rows. The first rows tell.
func openRows(text *lines, o Options) (table, error) {
	head := text.first()
	names, below, err := sample(head)
	if err == nil && !(len(o.Columns) == 0 && slices.Contains(names, "reviews")) { // else the first row is enough
		for size := int64(sampleBytes); ; size = limits.LineBytes {
			more, _ := io.ReadAll(io.LimitReader(text.in, size-int64(len(head)))) // who reads on meets the error
			if head = append(head, more...); size == limits.LineBytes || len(head) < sampleBytes || slices.Contains(head, '\n') {
				break
			}
		}
		names, below, err = sample(head)
	}
	text.in = bufio.NewReaderSize(io.MultiReader(bytes.NewReader(head), text.in), 1<<16)
	if text.names = names; err != nil || len(names) == 0 {
		return nil, err
	}
	cols, _, err := o.Columns.bind(names, o.NoDiff)
	has := func(name string) bool { return slices.Contains(names, name) }
	texts := slices.ContainsFunc(cols, func(c Column) bool { return c.Field == "review" || c.Field == "system" })
	switch {
	case has("status") && has("signature") && !has("diff"):
		return nil, errors.New("these are scores: give the dataset that they are of")
	case len(o.Columns) == 0 && (has("reviews") || err == nil && (!texts || has("msg") && !has("system"))):
		if o.EmptyCells != "" {
			return nil, errors.New("this is JSON with a change a row, whose reviews have no cells")
		}
		return nil, nil
	case err != nil && below != "":
		return nil, fmt.Errorf("%w; the rows seem to stand below %q: take them out, as with jq -c '.%[2]s[]'", err, below)
	case err != nil:
		return nil, err
	}
	t := &jsonTable{text: text, names: names, known: map[string]bool{}, o: o}
	for _, name := range names {
		t.known[name] = false
	}
	return t, nil
}

// first reads the first line that is not blank, with the blank ones before it. It waits for no more
// of a pipe.
func (l *lines) first() (head []byte) {
	for start := 0; len(head) < limits.LineBytes; {
		part, err := l.in.ReadSlice('\n')
		head = append(head, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil || len(bytes.TrimSpace(head[start:])) > 0:
			return head
		default:
			start = len(head)
		}
	}
	return head
}

// sample returns the keys of the rows at the begin of JSON Lines, those of each row sorted, and a
// key of the first that holds objects. The error is that of what pandas wrote without rows. A row
// that is no JSON does not count.
func sample(head []byte) (names []string, below string, err error) {
	for line := range bytes.Lines(head) {
		line = bytes.TrimSpace(line)
		var o object
		first, list := names == nil, bytes.HasPrefix(line, []byte("["))
		if err := json.Unmarshal(noNaN(line), &o); err != nil && !list {
			continue
		}
		if orient := o.pandas(list); first && orient != "" {
			return nil, "", fmt.Errorf(`this is what to_json(orient=%q) of pandas writes: write the rows with df.to_json("FILE", orient="records", lines=True)`, orient)
		}
		for _, key := range slices.Sorted(maps.Keys(o)) {
			if raw := o[key]; first && raw[0] == '[' && bytes.HasPrefix(bytes.TrimSpace(raw[1:]), []byte("{")) {
				below = key
			}
			if len(names) < limits.TableColumns && !slices.Contains(names, key) {
				names = append(names, key)
			}
		}
	}
	return names, below, nil
}

// pandas is the orientation of what pandas wrote as one value; "" for a row.
func (o object) pandas(list bool) string {
	orient := "index"
	switch {
	case list:
		return "values"
	case o["data"] != nil && o["columns"] != nil:
		return "split"
	case o["data"] != nil && o["schema"] != nil:
		return "table"
	case len(o) == 0:
		return ""
	}
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
		return "JSON"
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
	o, err := readObject(noNaN(b))
	if err != nil {
		return err
	}
	if o == nil {
		return errors.New("not a JSON object but null")
	}
	for key := range o {
		wanted, known := t.known[key]
		if !known && isName(key) {
			if len(t.known) > len(t.names)+50 {
				return fmt.Errorf("the key %s is another name of a field, as are many before it: give the fields one name each", short(key))
			}
			cols, _, err := t.o.Columns.bind(append(slices.Clone(t.names), key), t.o.NoDiff)
			wanted = err != nil || slices.ContainsFunc(cols, func(c Column) bool { return c.Column == key })
			t.known[key] = wanted
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

var nan = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\bNaN\b`)

// noNaN writes null for the NaN that Python's json.dumps writes, which is no JSON.
func noNaN(b []byte) []byte {
	if !bytes.Contains(b, []byte("NaN")) {
		return b
	}
	return []byte(nan.ReplaceAllStringFunc(string(b), func(part string) string {
		if part == "NaN" {
			return "null"
		}
		return part
	}))
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
