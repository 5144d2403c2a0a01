package dataset

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"crscore/internal/limits"
)

// RatingColumns describes the columns that a table of ratings needs.
const RatingColumns = "id (of the item), change (drawn as one; default: the id), and numbers, a column a rater"

// Ratings is a table of ratings.
type Ratings struct {
	// Raters are the names of the columns, in the order of the file; of JSON Lines in the
	// order of their first lines, within a line by name.
	Raters []string
	// Items are the rows.
	Items []RatedItem
	// Bad are the lines that are left out.
	Bad []*LineError
}

// RatedItem is a row of a table of ratings.
type RatedItem struct {
	// ID and Change are ids.
	ID, Change string
	// Ratings has a number for each rater, NaN for an empty cell. Items of JSON Lines may
	// have fewer, when later lines have new raters: ReadRatings makes them equally long.
	Ratings []float64
}

// ReadRatings reads a table of ratings: CSV with a header or Parquet with RatingColumns, or
// JSON Lines such as {"id":"1","ratings":{"anna":4,"bob":5}}. The error says why the file is no
// such table, or which item occurs twice.
func ReadRatings(src Source) (*Ratings, error) {
	r := &ratingReader{out: &Ratings{}, at: map[string]int{}, used: map[string]int{}}
	next, err := r.open(src)
	if err != nil {
		return nil, err
	}
	for {
		item, line, err := next()
		var bad *LineError
		switch {
		case errors.Is(err, io.EOF) && len(r.out.Raters)+len(r.out.Bad) == 0:
			return nil, errors.New("it is empty")
		case errors.Is(err, io.EOF):
			for i := range r.out.Items {
				for of := &r.out.Items[i].Ratings; len(*of) < len(r.out.Raters); {
					*of = append(*of, math.NaN())
				}
			}
			return r.out, nil
		case errors.As(err, &bad):
			r.out.Bad = append(r.out.Bad, bad)
			continue
		case err != nil:
			return nil, err
		}
		if first, twice := r.used[item.ID]; twice {
			return nil, fmt.Errorf("%s: the item %s is on %s too", where(line, r.row), short(item.ID), where(first, r.row))
		}
		if len(r.out.Items) == limits.Ratings {
			return nil, fmt.Errorf("%s: more than %d items", where(line, r.row), limits.Ratings)
		}
		r.used[item.ID] = line
		if item.Change == "" {
			item.Change = item.ID
		}
		r.out.Items = append(r.out.Items, item)
	}
}

type ratingReader struct {
	out  *Ratings
	at   map[string]int // raters
	used map[string]int // ids -> line
	row  bool
}

func (r *ratingReader) open(src Source) (next func() (RatedItem, int, error), err error) {
	text := &lines{raw: src.Text}
	t, err := openValues(src, text)
	switch {
	case err != nil:
		return nil, err
	case t != nil:
		return r.table(t)
	}
	r.row = text.array
	return func() (RatedItem, int, error) { return r.json(text) }, nil
}

// table finds the columns of a table.
func (r *ratingReader) table(t table) (next func() (RatedItem, int, error), err error) {
	header := t.columns()
	id, change := -1, -1
	var places []int // of raters, as cells
	for i, name := range header {
		switch name = strings.TrimSpace(name); {
		case name == "id" && id < 0:
			id = i
		case name == "change" && change < 0:
			change = i
		case isIndex(i, name):
		default:
			if _, err := r.rater(name); err != nil {
				return nil, err
			}
			if len(r.out.Raters) == len(places) {
				return nil, fmt.Errorf("the table has two columns %s", short(name))
			}
			places = append(places, i)
		}
	}
	if id < 0 {
		return nil, fmt.Errorf("the table has no column id (columns: %s%s); needed are: %s", list(header), nearest(header, "id"), RatingColumns)
	}
	r.row = t.rows()
	used := append([]int{id}, places...)
	if change >= 0 {
		used = append(used, change)
	}
	if err := t.use(used); err != nil {
		return nil, err
	}
	return func() (RatedItem, int, error) {
		line, cells, err := t.next()
		if err != nil {
			return RatedItem{}, line, err
		}
		item := RatedItem{ID: strings.Clone(idOf(cells[0].text)), Ratings: make([]float64, len(places))}
		if change >= 0 {
			item.Change = strings.Clone(idOf(cells[len(cells)-1].text))
		}
		err = item.fill(func(i int) (*float64, error) { return number(r.out.Raters[i], cells[1+i].text) })
		if err != nil {
			return item, line, &LineError{Line: line, Row: r.row, Err: err}
		}
		return item, line, nil
	}, nil
}

// rater returns the place of a rater, who may be new.
func (r *ratingReader) rater(name string) (int, error) {
	at, known := r.at[name]
	switch {
	case known:
		return at, nil
	case name == "":
		return 0, errors.New("a rater has no name")
	case len(r.out.Raters) == limits.TableRaters:
		return 0, fmt.Errorf("more than %d raters", limits.TableRaters)
	}
	at = len(r.out.Raters)
	r.at[name] = at
	r.out.Raters = append(r.out.Raters, name)
	return at, nil
}

// fill reads the numbers of an item, and checks it.
func (item *RatedItem) fill(cell func(i int) (*float64, error)) error {
	if item.ID == "" {
		return errors.New(`"id" is missing`)
	}
	for i := range item.Ratings {
		v, err := cell(i)
		switch {
		case err != nil:
			return err
		case v == nil:
			item.Ratings[i] = math.NaN()
		case math.IsNaN(*v) || math.IsInf(*v, 0):
			return fmt.Errorf("a rating is %g, not a finite number", *v)
		default:
			item.Ratings[i] = *v
		}
	}
	return nil
}

// json reads the next line of JSON Lines.
func (r *ratingReader) json(in *lines) (item RatedItem, line int, err error) {
	b, line, err := in.next()
	if err != nil {
		return item, line, err
	}
	bad := func(err error) (RatedItem, int, error) {
		return RatedItem{}, line, &LineError{Line: line, Row: r.row, Err: err}
	}
	o, err := readObject(b)
	if err != nil {
		return bad(err)
	}
	var id, change text
	var ratings map[string]*label
	for _, f := range []struct {
		name string
		dst  any
	}{{"id", &id}, {"change", &change}, {"ratings", &ratings}} {
		if _, err := o.take(f.name, f.dst); err != nil {
			return bad(err)
		}
	}
	if ratings == nil {
		return bad(o.missing(`"ratings"`, "ratings"))
	}
	names := slices.Sorted(maps.Keys(ratings))
	for _, name := range names {
		if _, err := r.rater(name); err != nil {
			return bad(err)
		}
	}
	item = RatedItem{ID: string(id), Change: string(change), Ratings: make([]float64, len(r.out.Raters))}
	if err := item.fill(func(i int) (*float64, error) { return (*float64)(ratings[r.out.Raters[i]]), nil }); err != nil {
		return bad(err)
	}
	return item, line, nil
}
