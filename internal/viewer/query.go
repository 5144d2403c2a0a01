package viewer

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"crscore/internal/limits"
	"crscore/score"
)

// query says which changes are shown, in which order, and with which numbers. The page's
// address has the same parameters.
type query struct {
	name    string      // tells queries apart
	rule    *score.Rule // nil: the scores of the rows
	measure column      // what the cells show
	beside  *column     // what stands beside it, nil for nothing
	systems []int32     // columns, in the order of the dataset
	lang    *int32
	only    string // "", unscored or labelled
	// from and to bound the measure of the system of, -1 for any of the columns.
	of       int32
	from, to float64
	// a and b are the systems whose difference is shown, -1 for none; least and most bound it.
	a, b        int32
	least, most float64
	text        string
	sort        string // order, id, lang, mean, spread, diff, over, under or a system
	by          int32  // the system of sort
	down        bool
}

// column is a number of a review: con, comp and rel of the metric or of people, or another
// metric.
type column struct {
	kind byte // 's' score, 'h' human label, 'm' metric
	n    int
}

// columns are the names of columns: con, human.con, metric.NAME.
func (x *index) columnOf(name string) (column, bool) {
	if n := slices.Index(dimensions[:], name); n >= 0 {
		return column{'s', n}, true
	}
	if rest, ok := strings.CutPrefix(name, "human."); ok {
		n := slices.Index(dimensions[:], rest)
		return column{'h', n}, n >= 0
	}
	if rest, ok := strings.CutPrefix(name, "metric."); ok {
		n, ok := x.metrics.at[rest]
		return column{'m', int(n)}, ok
	}
	return column{}, false
}

// sorts are the names of orders beside those of systems.
var sorts = []string{"order", "id", "lang", "mean", "spread", "diff", "over", "under"}

// parameters are the names of the parameters of a query.
var parameters = strings.Fields("mode tau low slope comp measure beside system lang only of min max a b least most q sort down")

// parse reads a query. Other parameters than its own are those that also names; the error
// names the parameter that is wrong.
func (x *index) parse(raw string, also ...string) (*query, url.Values, error) {
	if len(raw) > limits.QueryBytes {
		return nil, nil, fmt.Errorf("the query has %d bytes, more than the limit of %d", len(raw), limits.QueryBytes)
	}
	p, err := url.ParseQuery(raw)
	if err != nil {
		return nil, nil, errors.New("the query is not encoded as the query of an address is")
	}
	own := url.Values{}
	for name, values := range p {
		switch known := slices.Contains(parameters, name); {
		case !known && !slices.Contains(also, name):
			return nil, nil, fmt.Errorf("there is no parameter %.60q", name)
		case len(values) > 1 && name != "system":
			return nil, nil, fmt.Errorf("the parameter %s is there twice", name)
		case known:
			own[name] = values
		}
	}
	q := &query{
		name: own.Encode(), measure: column{'s', 2}, sort: "order", of: -1, a: -1, b: -1, by: -1,
		from: math.Inf(-1), to: math.Inf(1), least: math.Inf(-1), most: math.Inf(1),
	}
	for _, read := range []func(url.Values) error{
		func(p url.Values) error { return x.parseRule(q, p) },
		func(p url.Values) error { return x.parseColumns(q, p) },
		func(p url.Values) error { return x.parseFilter(q, p) },
		func(p url.Values) error { return x.parseSort(q, p) },
	} {
		if err := read(p); err != nil {
			return nil, nil, err
		}
	}
	return q, p, nil
}

// parseRule reads the rule. Without a mode it is that of the rows.
func (x *index) parseRule(q *query, p url.Values) error {
	if !p.Has("mode") {
		for _, name := range []string{"tau", "low", "slope", "comp"} {
			if p.Has(name) {
				return fmt.Errorf("there is a %s, but no mode", name)
			}
		}
		return nil
	}
	mode, err := score.ParseMode(p.Get("mode"))
	if err != nil {
		return err
	}
	r := score.Rule{Mode: mode}
	if x.own >= 0 {
		r.Weights = x.rules[x.own].Weights
	}
	for _, one := range []struct {
		name string
		to   *float64
	}{{"tau", &r.Tau}, {"low", &r.Low}, {"slope", &r.Slope}} {
		if !p.Has(one.name) {
			continue
		}
		if *one.to, err = number(p.Get(one.name)); err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
	}
	if p.Has("comp") {
		if r.Comp, err = score.ParseCoverage(p.Get("comp")); err != nil {
			return err
		}
	}
	if err := r.Check(); err != nil {
		return err
	}
	if x.kept == 0 {
		return errors.New("the rule cannot be changed: no similarities were kept")
	}
	q.rule = &r
	return nil
}

func (x *index) parseColumns(q *query, p url.Values) error {
	for _, one := range []struct {
		name string
		to   func(column)
	}{{"measure", func(c column) { q.measure = c }}, {"beside", func(c column) { q.beside = &c }}} {
		if !p.Has(one.name) {
			continue
		}
		c, ok := x.columnOf(p.Get(one.name))
		if !ok {
			return fmt.Errorf("%s: there is no number %.60q", one.name, p.Get(one.name))
		}
		one.to(c)
	}
	for _, name := range p["system"] {
		i, err := x.systemOf("system", name)
		if err != nil {
			return err
		}
		q.systems = append(q.systems, i)
	}
	slices.Sort(q.systems)
	if q.systems = slices.Compact(q.systems); len(q.systems) == 0 {
		for i := range x.systems.names {
			q.systems = append(q.systems, int32(i))
		}
	}
	return nil
}

func (x *index) systemOf(parameter, name string) (int32, error) {
	i, ok := x.systems.at[name]
	if !ok {
		return -1, fmt.Errorf("%s: there is no system %.60q", parameter, name)
	}
	return i, nil
}

func (x *index) parseFilter(q *query, p url.Values) error {
	if p.Has("lang") {
		i, ok := x.langs.at[p.Get("lang")]
		if !ok {
			return fmt.Errorf("lang: there is no language %.60q", p.Get("lang"))
		}
		q.lang = &i
	}
	switch q.only = p.Get("only"); q.only {
	case "", "unscored", "labelled":
	default:
		return fmt.Errorf("only: there is no %.60q: choose unscored or labelled", q.only)
	}
	for _, one := range []struct {
		name string
		to   *int32
	}{{"of", &q.of}, {"a", &q.a}, {"b", &q.b}} {
		if !p.Has(one.name) {
			continue
		}
		var err error
		if *one.to, err = x.systemOf(one.name, p.Get(one.name)); err != nil {
			return err
		}
	}
	if (q.a < 0) != (q.b < 0) {
		return errors.New("a difference is between two systems, a and b")
	}
	for _, one := range []struct {
		name string
		to   *float64
	}{{"min", &q.from}, {"max", &q.to}, {"least", &q.least}, {"most", &q.most}} {
		if !p.Has(one.name) {
			continue
		}
		v, err := number(p.Get(one.name))
		if err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		*one.to = v
	}
	if q.a < 0 && (p.Has("least") || p.Has("most")) {
		return errors.New("least and most bound the difference of the systems a and b, and there are none")
	}
	if q.text = strings.ToLower(strings.TrimSpace(p.Get("q"))); utf8.RuneCountInString(q.text) > limits.QueryText {
		return fmt.Errorf("q: the text to search for has %d characters, more than the limit of %d", utf8.RuneCountInString(q.text), limits.QueryText)
	}
	return nil
}

func (x *index) parseSort(q *query, p url.Values) error {
	if p.Has("down") {
		if p.Get("down") != "1" {
			return errors.New("down: the only value is 1")
		}
		q.down = true
	}
	if !p.Has("sort") {
		return nil
	}
	q.sort = p.Get("sort")
	name, system := strings.CutPrefix(q.sort, "system.")
	switch {
	case system:
		var err error
		q.by, err = x.systemOf("sort", name)
		return err
	case !slices.Contains(sorts, q.sort):
		return fmt.Errorf("sort: there is no order %.60q", q.sort)
	case q.sort == "diff" && q.a < 0:
		return errors.New("sort: a difference needs the systems a and b")
	case (q.sort == "over" || q.sort == "under") && q.beside == nil:
		return errors.New("sort: what is over- or underrated shows beside other numbers: give beside")
	}
	return nil
}

// window reads the parameters from and count of a page.
func window(p url.Values) (from, count int, err error) {
	count = 100
	for _, one := range []struct {
		name string
		to   *int
		most int
	}{{"from", &from, limits.ViewedChanges}, {"count", &count, limits.PageRows}} {
		if !p.Has(one.name) {
			continue
		}
		v, err := strconv.ParseUint(p.Get(one.name), 10, 31)
		if err != nil || int(v) > one.most {
			return 0, 0, fmt.Errorf("%s: want a whole number from 0 to %d", one.name, one.most)
		}
		*one.to = int(v)
	}
	return from, count, nil
}
