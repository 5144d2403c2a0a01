package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"strconv"
	"strings"
)

// table is a file of rows.
type table interface {
	columns() []string
	// use says which columns are read, by their places in columns.
	use(places []int) error
	// next returns the cells of the next row in the columns that are used, and where
	// the row stands. Errors are those of Reader.Next. The slice is valid until the
	// next call.
	next() (at int, cells []cell, err error)
	// rows tells whether places are numbers of rows, and not of lines.
	rows() bool
	about() string
}

// cell is a value in a table. Lists and objects are JSON.
type cell struct {
	text string
	null bool // nothing is known, which is not the empty text
}

// changes makes records of the rows of a table. Rows that follow each other and have
// one id are one change; nothing is remembered of those before.
type changes struct {
	table   table
	cols    []Column
	notUsed []string
	// place is that of a field's cell, for fields without a name.
	place map[string]int
	hash  hash.Hash // of all values; nil for none

	number  int // changes that were begun
	row     int
	ended   bool
	current *Record
	first   []cell // of its first row
	size    int    // of its reviews' texts
}

// newTable finds the columns that records are made of.
func newTable(t table, m Columns) (*Reader, error) {
	cols, places, err := m.bind(t.columns())
	if err != nil {
		return nil, err
	}
	if err := t.use(places); err != nil {
		return nil, err
	}
	c := &changes{table: t, cols: cols, place: map[string]int{}}
	used := map[int]bool{}
	for i, col := range cols {
		used[places[i]] = true
		if col.Name == "" && col.Field != "review" {
			c.place[col.Field] = i
		}
	}
	for i, name := range t.columns() {
		if !used[i] {
			c.notUsed = append(c.notUsed, name)
		}
	}
	return newReader(c), nil
}

func (c *changes) about() string {
	parts := make([]string, len(c.cols))
	reviews := false
	for i, col := range c.cols {
		parts[i] = col.String()
		if col.Field == col.Column && col.Name == "" || col.Field+":"+col.Name == col.Column {
			parts[i] = col.Column
		}
		reviews = reviews || col.Field == "review" || col.Field == "reviews" || col.Field == "system"
	}
	out := c.table.about() + ", columns: " + strings.Join(parts, ", ")
	if !reviews {
		out += "; no column has reviews (say which one, as in --csv-map review=COLUMN)"
	}
	if _, ok := c.place["id"]; !ok {
		out += "; no column has ids: changes are numbered"
	}
	if len(c.notUsed) > 0 {
		out += "; not used: " + list(c.notUsed)
	}
	return out
}

func (c *changes) keepSum() {
	c.hash = sha256.New()
	for _, col := range c.cols {
		c.add(cell{text: col.field()})
	}
}

// sum is of the values: the same table is the same dataset, however it is written.
func (c *changes) sum() string {
	if c.hash == nil {
		return ""
	}
	return hex.EncodeToString(c.hash.Sum(nil))
}

// add puts a value into the checksum.
func (c *changes) add(v cell) {
	if c.hash == nil {
		return
	}
	size := uint64(len(v.text))
	if v.null {
		size = math.MaxUint64
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], size)
	c.hash.Write(b[:]) // never an error
	_, _ = io.WriteString(c.hash, v.text)
}

// bad puts a row that could not be read into the checksum.
func (c *changes) bad() {
	if c.hash != nil {
		c.hash.Write([]byte{0})
	}
}

func (c *changes) count() int { return c.number }

// next returns the next change that is asked for. A row that cannot be read belongs to
// the change that is being read, or to the first one.
func (c *changes) next(only func(int) bool) (Record, error) {
	asked := func(number int) bool { return only == nil || only(max(1, number)) }
	for !c.ended {
		at, cells, err := c.table.next()
		switch {
		case errors.Is(err, io.EOF):
			c.ended = true
			if done := c.take(); done != nil && asked(done.Number) {
				return *done, nil
			}
			return Record{}, io.EOF
		case errors.As(err, new(*LineError)):
			c.row++
			c.bad()
			if asked(c.number) {
				return Record{}, err
			}
			continue
		case err != nil:
			return Record{}, err
		}
		c.row++
		done, err := c.read(at, cells)
		switch {
		case err != nil && asked(c.number):
			return Record{}, &LineError{Line: at, Row: c.table.rows(), Err: err}
		case err == nil && done != nil && asked(done.Number):
			return *done, nil
		}
	}
	return Record{}, io.EOF
}

// take returns the change whose last row was read, nil if there is none.
func (c *changes) take() *Record {
	done := c.current
	c.current = nil
	return done
}

// read adds a row to the change that it belongs to, and returns the one before if it
// begins another.
func (c *changes) read(at int, cells []cell) (done *Record, err error) {
	defer func() {
		if err != nil {
			c.bad()
			return
		}
		for _, v := range cells {
			c.add(v)
		}
		c.current.Sum = c.sum()
	}()
	get := func(name string) *cell {
		if i, ok := c.place[name]; ok {
			return &cells[i]
		}
		return nil
	}
	id := get("id")
	if id != nil && (id.null || id.text == "") {
		return nil, errors.New(`"id" is missing`)
	}
	reviews, err := c.reviews(cells, get)
	if err != nil {
		return nil, err
	}
	size := 0
	for i := range reviews {
		size += len(reviews[i].Text)
	}
	if c.current != nil && id != nil && get("reviews") == nil && id.text == c.current.ID {
		if err := c.same(cells); err != nil {
			return nil, err
		}
		if c.size+size > MaxLineBytes {
			return nil, fmt.Errorf("change %s has more than %d MiB of reviews", short(id.text), MaxLineBytes>>20)
		}
		c.size += size
		c.current.Reviews = append(c.current.Reviews, reviews...)
		return nil, nil
	}
	rec, err := c.change(cells, get)
	if err != nil {
		return nil, err
	}
	done = c.take()
	c.number++
	rec.Line, rec.Row, rec.Number, rec.Reviews = at, c.table.rows(), c.number, reviews
	if id == nil {
		rec.ID = strconv.Itoa(c.row)
	}
	c.current, c.size = rec, size
	c.first = append(c.first[:0], cells...)
	return done, nil
}

// same returns in what a row is not of the change that its id is of.
func (c *changes) same(cells []cell) error {
	for i, col := range c.cols {
		switch col.Field {
		case "review", "system", "con", "comp", "rel":
			continue
		}
		if !cells[i].null && cells[i] != c.first[i] {
			return fmt.Errorf("change %s has another %s than %s", short(c.current.ID), col.field(), c.current.At(c.current.Line))
		}
	}
	return nil
}

// change makes a record of the cells that speak of the change.
func (c *changes) change(cells []cell, get func(string) *cell) (*Record, error) {
	rec := &Record{}
	diff := get("diff")
	if diff.null {
		return nil, errors.New(`"diff" is missing`)
	}
	rec.Diff = diff.text
	for _, f := range []struct {
		name string
		to   *string
	}{{"id", &rec.ID}, {"lang", &rec.Lang}, {"path", &rec.Path}} {
		if v := get(f.name); v != nil {
			*f.to = v.text
		}
	}
	for _, f := range []struct {
		name string
		to   **string
	}{{"old", &rec.Old}, {"new", &rec.New}} {
		if v := get(f.name); v != nil && !v.null {
			text := v.text // the cell is used again
			*f.to = &text
		}
	}
	var err error
	if v := get("smells"); v != nil {
		if rec.Smells, err = texts(*v); err != nil {
			return nil, fmt.Errorf("smells: %w", err)
		}
	}
	if v := get("claims"); v != nil && !v.null {
		if err := json.Unmarshal([]byte(v.text), &rec.Claims); err != nil {
			return nil, fmt.Errorf(`claims must be JSON, {"NAME": ["…"]}: %w`, describe("", err))
		}
	}
	for i, col := range c.cols {
		if col.Field != "claims" || col.Name == "" {
			continue
		}
		set, err := texts(cells[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", col.field(), err)
		}
		if set != nil {
			if rec.Claims == nil {
				rec.Claims = map[string][]string{}
			}
			rec.Claims[col.Name] = set
		}
	}
	rec.dropNullClaims()
	if v := get("refs_edited"); v != nil && !v.null {
		if err := json.Unmarshal([]byte(v.text), &rec.RefsEdited); err != nil {
			return nil, fmt.Errorf("refs_edited must be JSON: %w", describe("", err))
		}
	}
	return rec, nil
}

// reviews are those of a row.
func (c *changes) reviews(cells []cell, get func(string) *cell) ([]Review, error) {
	if v := get("reviews"); v != nil {
		if v.null {
			return nil, nil
		}
		var list []object
		if err := json.Unmarshal([]byte(v.text), &list); err != nil {
			return nil, fmt.Errorf("reviews must be JSON, as in JSON Lines: %w", describe("", err))
		}
		return decodeReviews(list)
	}
	system := get("system")
	var out []Review
	for i, col := range c.cols {
		if col.Field != "review" {
			continue
		}
		v := Review{ID: col.Name, Text: cells[i].text}
		if cells[i].null {
			v.Err = fmt.Errorf(`the review is missing: the cell of %s is empty (a review that says nothing is written "")`, short(col.Column))
		}
		if v.ID == "" {
			v.ID = col.Column
		}
		out = append(out, v)
	}
	if system != nil {
		switch {
		case len(out) == 0:
			out = []Review{{Err: errors.New("no column has the texts of reviews")}}
		case system.null && out[0].Err != nil:
			return nil, nil // a change without a review
		}
		if system.text == "" {
			return nil, errors.New("system is missing: it names who wrote the review")
		}
		out[0].ID = system.text
	}
	if len(out) != 1 || get("con") == nil {
		return out, nil
	}
	human, err := labels(*get("con"), *get("comp"), *get("rel"))
	out[0].Human = human
	if err != nil {
		out[0].Err = errors.Join(out[0].Err, LabelError{err})
	}
	return out, nil
}

// labels reads the human labels of a row, nil where there are none.
func labels(con, comp, rel cell) (*Human, error) {
	var h Human
	missing := 0
	for i, f := range []struct {
		cell cell
		to   *float64
	}{{con, &h.Con}, {comp, &h.Comp}, {rel, &h.Rel}} {
		v, err := number(dimensions[i], f.cell.text)
		switch {
		case err != nil:
			return nil, err
		case v == nil:
			missing++
		case math.IsNaN(*v) || math.IsInf(*v, 0):
			return nil, fmt.Errorf("%s is %g, not a finite number", dimensions[i], *v)
		default:
			*f.to = *v
		}
	}
	switch missing {
	case 0:
		return &h, nil
	case 3:
		return nil, nil
	}
	return nil, errors.New("a label needs con, comp and rel")
}

// texts reads the texts in a cell: a JSON array of strings, or one text a line. An
// empty list is not nil.
func texts(v cell) ([]string, error) {
	if v.null {
		return nil, nil
	}
	if trimmed := strings.TrimSpace(v.text); strings.HasPrefix(trimmed, "[") {
		var out []string
		if err := json.Unmarshal([]byte(trimmed), &out); err != nil {
			return nil, fmt.Errorf(`a cell that begins with [ must be a JSON array of texts, ["…"]: %w`, describe("", err))
		}
		return out, nil
	}
	out := []string{}
	for line := range strings.Lines(v.text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out, nil
}
