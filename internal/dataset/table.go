package dataset

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"crscore/internal/limits"
)

// table reads the rows of a file.
type table interface {
	columns() []string
	// use chooses the columns to read, by their places in columns.
	use(places []int) error
	// next returns the cells of the next row in the chosen columns, and its line or row.
	// Errors are those of Reader.Next. The slice is valid until the next call.
	next() (at int, cells []cell, err error)
	// rows reports whether next counts rows instead of lines.
	rows() bool
	about() string
}

// cell is a value in a table. Lists and objects are JSON.
type cell struct {
	text string
	null bool          // "not known", which differs from the empty text
	mark string        // the word for "not known" that stood there; empty for an empty cell
	kind jsontext.Kind // of JSON; 0 for a cell of text
}

// marks are the words for "not known" in tables, in any letter case, as pandas reads them, and R
// and SQL write them.
var marks = []string{"nan", "-nan", "none", "<na>", "nat", "null", "na", "n/a", "#n/a", "#na", `\n`}

// unknown finds the cells of text that are not known, and the ids.
func (c *changes) unknown(cells []cell) error {
	for i := range cells {
		v := &cells[i]
		if word := strings.TrimSpace(v.text); v.kind == 0 && slices.Contains(marks, strings.ToLower(word)) {
			*v = cell{null: true, mark: word}
		}
		if err := v.fits(c.cols[i]); err != nil {
			return err
		}
		if v.kind = 0; c.cols[i].Field == "id" || c.cols[i].Field == "system" {
			v.text = idOf(v.text)
		}
	}
	return nil
}

// errReviews is the error of a change with too many rows. It ends the table.
var errReviews = fmt.Errorf("more than %d reviews: is its id that of a change? (--map id=COLUMN says which column has it)", limits.ChangeReviews)

// changes turns the rows of a table into records. Rows with the same id that follow each
// other are one change.
type changes struct {
	table   table
	cols    []Column
	notUsed []string
	// place is the index of a field's cell, for fields without a name.
	place map[string]int
	hash  hash.Hash // of all values; nil for none

	number  int // of changes so far
	row     int
	ended   bool
	current *Record
	first   []cell // of its first row
	size    int    // of its reviews' texts

	emptyIsReview bool
	noDiff        bool // a change needs none
	empty         int  // cells of reviews
}

// newTable returns a reader of a table.
func newTable(t table, src Source, o Options) (*Reader, error) {
	cols, places, err := o.Columns.bind(t.columns(), o.NoDiff)
	if err != nil {
		return nil, err
	}
	if err := t.use(places); err != nil {
		return nil, err
	}
	c := &changes{table: t, cols: cols, place: map[string]int{}, emptyIsReview: o.EmptyCells == EmptyIsReview, noDiff: o.NoDiff}
	used := map[int]bool{}
	for i, col := range cols {
		used[places[i]] = true
		if col.Name == "" && col.Field != "review" {
			c.place[col.Field] = i
		}
	}
	for i, name := range t.columns() {
		if !used[i] && !isIndex(i, name) {
			c.notUsed = append(c.notUsed, name)
		}
	}
	r := newReader(c)
	r.sets = o.ClaimSets
	if id, ok := c.place["id"]; ok && c.bySystem() {
		g := gather(t, id, cmp.Or(o.group, limits.GroupedBytes))
		c.table, r.grouped = g, true
		if g.goesOn && src.File != nil { // it can be read twice
			return r, checkGroups(src, o, places[id])
		}
	}
	return r, nil
}

// bySystem reports whether the rows are reviews with a column for the system.
func (c *changes) bySystem() bool { _, ok := c.place["system"]; return ok }

// checkGroups reads the ids of the whole table and returns an error if the rows of a change
// do not follow each other, before anything is scored. It skips malformed rows: the reader
// of the records reports them.
func checkGroups(src Source, o Options, place int) error {
	src.Text, src.Read = io.NewSectionReader(src.File, 0, src.Size), nil
	t, _, err := openTable(src, o)
	if err != nil {
		return err
	}
	if err := t.use([]int{place}); err != nil {
		return err
	}
	r := newReader(nil)
	var last string
	for {
		at, cells, err := t.next()
		switch {
		case errors.As(err, new(*LineError)):
			continue
		case err != nil: // the end, or an error that the reader of the records meets too
			return nil
		}
		id := idOf(cells[0].text)
		if id == last || id == "" {
			continue
		}
		last = id
		if line, dup := r.FirstUse(&Record{ID: last, Line: at}); dup {
			return ungrouped(last, where(at, t.rows()), where(line, t.rows()))
		}
	}
}

// ungrouped is the error of a table whose rows are not ordered by id.
func ungrouped(id, at, before string) error {
	return fmt.Errorf(`%s: change %s began on %s, and other changes follow there: sort the table by id, so that the rows of a change follow each other (pandas: df.sort_values("id", kind="stable")); only a table of at most %d MiB is read in any order`, at, short(id), before, limits.GroupedBytes>>20)
}

func (c *changes) emptyCells() int { return c.empty }

func (c *changes) about() string {
	parts := make([]string, len(c.cols))
	reviews := false
	var usual []string
	for i, col := range c.cols {
		parts[i] = col.String()
		if col.Field == col.Column && col.Name == "" || col.Field+":"+col.Name == col.Column {
			parts[i] = col.Column
		}
		if col.usual {
			usual = append(usual, col.String())
		}
		reviews = reviews || col.Field == "review" || col.Field == "reviews" || col.Field == "system"
	}
	out := c.table.about() + ", columns: " + strings.Join(parts, ", ")
	if usual != nil {
		out += "; taken by their names: " + strings.Join(usual, ", ") + " (--map says otherwise)"
	}
	if !reviews {
		out += "; no column has reviews (say which one, as in --map review=COLUMN)"
	}
	if _, ok := c.place["id"]; !ok {
		out += "; no column has ids: changes are numbered"
	}
	if len(c.notUsed) > 0 {
		out += "; not used: " + list(c.notUsed) + c.meant()
	}
	return out
}

// meant suggests which unused column is a misspelling of a field.
func (c *changes) meant() string {
	for _, f := range fields {
		if !slices.ContainsFunc(c.cols, func(col Column) bool { return col.Field == f.Name }) {
			if hint := nearest(c.notUsed, f.Columns...); hint != "" {
				return hint
			}
		}
	}
	return ""
}

func (c *changes) seen() string {
	columns := c.table.columns()
	if c.number == 0 {
		return fmt.Sprintf("it has no rows (columns: %s)", list(columns))
	}
	return c.sayReview()
}

func (c *changes) sayReview() string {
	return fmt.Sprintf("say which column has them, as in --map review=COLUMN (columns: %s%s)", list(c.table.columns()), nearest(c.notUsed, "review", "msg", "reviews"))
}

func (c *changes) keepSum() {
	c.hash = sha256.New()
	if c.emptyIsReview {
		c.add(cell{text: "empty cells are reviews"})
	}
	for _, col := range c.cols {
		c.add(cell{text: col.field()})
	}
}

// sum covers the values: the same table in another format is the same dataset.
func (c *changes) sum() string {
	if c.hash == nil {
		return ""
	}
	return hex.EncodeToString(c.hash.Sum(nil))
}

func (c *changes) span() (offset, size int64) { return 0, 0 }

// add adds a value to the checksum.
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

// bad adds a malformed row to the checksum.
func (c *changes) bad() {
	if c.hash != nil {
		c.hash.Write([]byte{0})
	}
}

func (c *changes) count() int { return c.number }

// next returns the next change that only accepts. A malformed row belongs to the current
// change, or to the first.
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
		case errors.Is(err, errReviews): // more rows of it may follow than any file should name
			c.ended = true
			return Record{}, fmt.Errorf("%s: %w", where(at, c.table.rows()), err)
		case err != nil && asked(c.number):
			return Record{}, &LineError{Line: at, Row: c.table.rows(), Err: err}
		case err == nil && done != nil && asked(done.Number):
			return *done, nil
		}
	}
	return Record{}, io.EOF
}

// take returns the current change and forgets it. It is nil if there is none.
func (c *changes) take() *Record {
	done := c.current
	c.current = nil
	return done
}

// read adds a row to its change. If the row begins another change, read returns the
// previous change.
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
	if err := c.unknown(cells); err != nil {
		return nil, err
	}
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
		if err := c.conflict(cells); err != nil {
			return nil, err
		}
		if c.size+size > limits.LineBytes {
			return nil, fmt.Errorf("change %s has more than %d MiB of reviews", short(id.text), limits.LineBytes>>20)
		}
		if len(c.current.Reviews)+len(reviews) > limits.ChangeReviews {
			return nil, fmt.Errorf("change %s has %w", short(id.text), errReviews)
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

// conflict returns an error if a row contradicts the first row of its change.
func (c *changes) conflict(cells []cell) error {
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

// change turns the cells about the change into a record.
func (c *changes) change(cells []cell, get func(string) *cell) (*Record, error) {
	rec := &Record{}
	if diff := get("diff"); diff != nil && diff.null && !c.noDiff {
		return nil, errors.New(`"diff" is missing`)
	}
	for _, f := range []struct {
		name string
		to   *string
	}{{"id", &rec.ID}, {"lang", &rec.Lang}, {"path", &rec.Path}, {"repo", &rec.Repo}, {"pull", &rec.Pull}, {"diff", &rec.Diff}} {
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
		if err := parse([]byte(v.text), &rec.Claims); err != nil {
			return nil, fmt.Errorf(`claims must be JSON, {"NAME": ["…"]}: %w`, err)
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
		if set == nil {
			rec.NoClaims = append(rec.NoClaims, col.Name)
			continue
		}
		if rec.Claims == nil {
			rec.Claims = map[string][]string{}
		}
		rec.Claims[col.Name] = set
	}
	rec.dropNullClaims()
	if v := get("refs_edited"); v != nil && !v.null {
		if err := parse([]byte(v.text), &rec.RefsEdited); err != nil {
			return nil, fmt.Errorf("refs_edited must be JSON: %w", err)
		}
	}
	return rec, nil
}

// reviews returns the reviews in a row.
func (c *changes) reviews(cells []cell, get func(string) *cell) ([]Review, error) {
	if v := get("reviews"); v != nil {
		if v.null {
			return nil, nil
		}
		var list []object
		if err := parse([]byte(v.text), &list); err != nil {
			return nil, fmt.Errorf("reviews must be JSON, as in JSON Lines: %w", err)
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
		if cells[i].null && !c.emptyIsReview {
			v.Err = fmt.Errorf(`the review is missing: the cell of %s is %s (a review that says nothing is written "")`, short(col.Column), cmp.Or(cells[i].mark, "empty"))
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
		case system.null && out[0].Text == "":
			return nil, nil // a change without a review
		}
		if system.text == "" {
			return nil, errors.New("system is missing: it names who wrote the review")
		}
		out[0].ID = system.text
	}
	for i, col := range c.cols {
		if col.Field == "review" && cells[i].null && !c.emptyIsReview {
			c.empty++
		}
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

// labels reads the human labels of a row. It returns nil if there are none.
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

// texts reads the texts in a cell: a JSON array of strings, or one text a line. It returns
// nil only for a cell that is null.
func texts(v cell) ([]string, error) {
	if v.null {
		return nil, nil
	}
	if trimmed := strings.TrimSpace(v.text); strings.HasPrefix(trimmed, "[") {
		var out []string
		if err := parse([]byte(trimmed), &out); err != nil {
			return nil, fmt.Errorf(`a cell that begins with [ must be a JSON array of texts, ["…"]: %w`, err)
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
