package dataset

import (
	"fmt"
	"slices"
	"strings"
)

// field is what a column of a table can hold.
type field struct {
	name string
	// columns are the names that the column has unless it is mapped; the first
	// that is there counts.
	columns []string
	// named: the field has a name behind a colon, as in claims:gpt4, and there can be
	// many of it.
	named bool
}

// fields are those of a record, in a table. They are the ones of JSON Lines, but for
// a review that has a row, or a column, of its own.
var fields = []field{
	{"id", []string{"id", "idx"}, false},
	{"lang", []string{"lang"}, false},
	{"path", []string{"path"}, false},
	{"diff", []string{"diff", "patch"}, false},
	{"old", []string{"old", "oldf"}, false},
	{"new", []string{"new"}, false},
	{"review", []string{"review", "msg"}, true},
	{"system", []string{"system"}, false},
	{"con", []string{"con"}, false},
	{"comp", []string{"comp"}, false},
	{"rel", []string{"rel"}, false},
	{"claims", []string{"claims"}, true},
	{"smells", []string{"smells"}, false},
	{"reviews", []string{"reviews"}, false},
	{"refs_edited", []string{"refs_edited"}, false},
}

// columnsOf are the names that a field's column has unless it is mapped.
func columnsOf(name string) []string {
	for _, f := range fields {
		if f.name == name {
			return f.columns
		}
	}
	return nil
}

// fieldNames are the fields as a map of columns names them.
func fieldNames() string {
	var out []string
	for _, f := range fields {
		out = append(out, f.name)
		if f.named {
			out = append(out, f.name+":NAME")
		}
	}
	return strings.Join(out, ", ")
}

// Column says which column of a table holds a field. An empty column says that none
// does.
type Column struct{ Field, Name, Column string }

// String is the column as ParseColumns reads it.
func (c Column) String() string { return c.field() + "=" + c.Column }

func (c Column) field() string {
	if c.Name != "" {
		return c.Field + ":" + c.Name
	}
	return c.Field
}

// Columns say which columns of a table hold which fields; those of other fields have
// the fields' names.
type Columns []Column

// ParseColumns reads "diff=patch", "claims:gpt4=c4" and the like.
func ParseColumns(parts []string) (Columns, error) {
	var out Columns
	seen := map[string]bool{}
	for _, part := range parts {
		what, column, ok := strings.Cut(part, "=")
		if !ok {
			return nil, fmt.Errorf("%s is no FIELD=COLUMN", short(part))
		}
		name, label, colon := strings.Cut(strings.TrimSpace(what), ":")
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		if i < 0 || colon && (!fields[i].named || label == "") {
			return nil, fmt.Errorf("there is no field %s: choose from %s", short(what), fieldNames())
		}
		c := Column{name, label, strings.TrimSpace(column)}
		// Many columns of reviews are many systems: they are told apart by their columns.
		key := c.field()
		if key == "review" {
			key += "=" + c.Column
		}
		if seen[key] {
			return nil, fmt.Errorf("%s is given twice", short(key))
		}
		seen[key] = true
		out = append(out, c)
	}
	return out, nil
}

// bind finds the columns of a table: a Column for each that is to be read, with its
// place in the header.
func (m Columns) bind(header []string) (cols []Column, places []int, err error) {
	at := func(column string) (int, error) {
		place := -1
		for i, h := range header {
			if strings.TrimSpace(h) != column {
				continue
			}
			if place >= 0 {
				return 0, fmt.Errorf("the table has two columns %s", short(column))
			}
			place = i
		}
		return place, nil
	}
	add := func(c Column) (bool, error) {
		place, err := at(c.Column)
		if err != nil || place < 0 {
			return false, err
		}
		cols, places = append(cols, c), append(places, place)
		return true, nil
	}
	mapped := map[string]bool{}
	for _, c := range m {
		mapped[c.Field] = true
		if c.Column == "" {
			continue
		}
		switch ok, err := add(c); {
		case err != nil:
			return nil, nil, err
		case !ok:
			return nil, nil, fmt.Errorf("there is no column %s for %s (columns: %s)", short(c.Column), c.field(), list(header))
		}
	}
	for _, f := range fields {
		if mapped[f.name] {
			continue
		}
		for _, column := range f.columns {
			ok, err := add(Column{Field: f.name, Column: column})
			if err != nil {
				return nil, nil, err
			}
			if ok {
				break
			}
		}
		if !f.named {
			continue
		}
		for _, h := range header {
			h = strings.TrimSpace(h)
			if name, ok := strings.CutPrefix(h, f.name+":"); ok && name != "" {
				if _, err := add(Column{Field: f.name, Name: name, Column: h}); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	return cols, places, agree(cols, header)
}

// agree returns what is missing from the columns of a table, or stands against each
// other.
func agree(cols []Column, header []string) error {
	has := func(name string) bool {
		return slices.ContainsFunc(cols, func(c Column) bool { return c.Field == name })
	}
	texts, labels, named := 0, false, false
	for _, c := range cols {
		switch c.Field {
		case "review":
			texts++
			named = named || c.Name != ""
		case "con", "comp", "rel":
			labels = true
		}
	}
	switch {
	case !has("diff"):
		return fmt.Errorf("there is no column %s (columns: %s): say which one holds the diff, as in --csv-map diff=COLUMN", strings.Join(columnsOf("diff"), " or "), list(header))
	case has("reviews") && (has("system") || labels):
		return fmt.Errorf("there is a column of reviews, and one of system, con, comp or rel for single ones: leave one out, as in --csv-map reviews= (columns: %s)", list(header))
	case texts > 1 && has("system"), named && has("system"):
		return fmt.Errorf("a system has a column of reviews of its own, and there is a column system too: leave one out, as in --csv-map system= (columns: %s)", list(header))
	case texts > 1 && labels:
		return fmt.Errorf("there are columns of labels, and several of reviews that they could belong to: give each review a row of its own, with a column system (columns: %s)", list(header))
	case labels && !(has("con") && has("comp") && has("rel")):
		return fmt.Errorf("labels need the columns con, comp and rel (columns: %s)", list(header))
	}
	return nil
}

// list names columns in an error.
func list(header []string) string {
	const most = 50
	names := make([]string, 0, len(header))
	for i, h := range header {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(header)-most))
			break
		}
		names = append(names, short(strings.TrimSpace(h)))
	}
	return strings.Join(names, ", ")
}
