package dataset

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"crscore/internal/limits"
	"crscore/internal/spelling"
)

// Field is a kind of content that a column of a table, or a key of a JSON object, can have.
type Field struct {
	// Name is the field in FIELD=COLUMN.
	Name string
	// Columns are the default names of the column; the first that exists is used.
	Columns []string
	// Also are names that others give the column, in any letter case.
	Also []string
	// Named fields can occur many times, with names as in claims:gpt4.
	Named bool
	// Many columns can have the field without names.
	Many bool
}

// fields are the fields of a table: those of JSON Lines, and review and system for a
// review in a row or column of its own.
var fields = []Field{
	{Name: "id", Columns: []string{"id", "idx"}, Also: []string{"change_id"}},
	{Name: "lang", Columns: []string{"lang"}, Also: []string{"language"}},
	{Name: "path", Columns: []string{"path"}, Also: []string{"file", "filename", "file_path"}},
	{Name: "repo", Columns: []string{"repo"}, Also: []string{"repository"}},
	{Name: "pull", Columns: []string{"pull"}},
	{Name: "diff", Columns: []string{"diff", "patch"}, Also: []string{"diff_hunk"}},
	{Name: "old", Columns: []string{"old", "oldf"}},
	{Name: "new", Columns: []string{"new"}},
	{Name: "review", Columns: []string{"review", "msg"}, Also: []string{"comment", "text", "body", "review_comment", "review_text"}, Named: true, Many: true},
	{Name: "system", Columns: []string{"system"}, Also: []string{"model", "tool", "reviewer", "model_name"}},
	{Name: "con", Columns: []string{"con"}},
	{Name: "comp", Columns: []string{"comp"}},
	{Name: "rel", Columns: []string{"rel"}},
	{Name: "claims", Columns: []string{"claims"}, Named: true},
	{Name: "smells", Columns: []string{"smells"}},
	{Name: "reviews", Columns: []string{"reviews"}},
	{Name: "refs_edited", Columns: []string{"refs_edited"}},
}

// columnsOf returns the default names of a field's column.
func columnsOf(name string) []string {
	for _, f := range fields {
		if f.Name == name {
			return f.Columns
		}
	}
	return nil
}

// Column assigns a column of a table to a field.
type Column struct {
	Field  string // such as claims
	Name   string // behind the colon of claims:gpt4; may be empty
	Column string // in the header; empty to leave the field out

	usual bool // found by a name that others give it
}

// String returns the assignment as ParseMap reads it.
func (c Column) String() string { return c.field() + "=" + c.Column }

func (c Column) field() string {
	if c.Name != "" {
		return c.Field + ":" + c.Name
	}
	return c.Field
}

// Columns assign columns to fields. Other fields have their default columns.
type Columns []Column

// ParseColumns reads assignments to the fields of a dataset, such as "diff=patch" and
// "claims:gpt4=c4".
func ParseColumns(parts []string) (Columns, error) { return ParseMap(fields, parts) }

// ParseMap reads assignments FIELD=COLUMN to some of the fields.
func ParseMap(fields []Field, parts []string) (Columns, error) {
	var out Columns
	seen := map[string]bool{}
	for _, part := range parts {
		what, column, ok := strings.Cut(part, "=")
		if !ok {
			return nil, fmt.Errorf("%s is not FIELD=COLUMN", short(part))
		}
		name, label, colon := strings.Cut(strings.TrimSpace(what), ":")
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
		if i < 0 || colon && (!fields[i].Named || label == "") {
			var names, shown []string
			for _, f := range fields {
				names, shown = append(names, f.Name), append(shown, f.Name)
				if f.Named {
					shown = append(shown, f.Name+":NAME")
				}
			}
			return nil, fmt.Errorf("there is no field %s: choose from %s%s", short(what), strings.Join(shown, ", "), didYouMean(names, name))
		}
		c := Column{Field: name, Name: label, Column: strings.TrimSpace(column)}
		key := c.field()
		if fields[i].Many && label == "" { // they are told apart by their columns
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

// Of returns the column of a field without a name, and whether the field is mapped. The
// column of a field that is left out is empty.
func (m Columns) Of(field string) (column string, mapped bool) {
	for _, c := range m {
		if c.Field == field && c.Name == "" {
			return c.Column, true
		}
	}
	return "", false
}

// bind finds the columns of a table that are read, and their places in the header.
func (m Columns) bind(header []string, noDiff bool) (cols Columns, places []int, err error) {
	add := func(c Column) (bool, error) {
		place := -1
		for i, h := range header {
			if strings.TrimSpace(h) != c.Column {
				continue
			}
			if place >= 0 {
				return false, fmt.Errorf("the table has two columns %s", short(c.Column))
			}
			place = i
		}
		if place >= 0 {
			cols, places = append(cols, c), append(places, place)
		}
		return place >= 0, nil
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
			return nil, nil, fmt.Errorf("there is no column %s for %s (columns: %s%s)", short(c.Column), c.field(), list(header), didYouMean(header, c.Column))
		}
	}
	for _, f := range fields {
		if mapped[f.Name] {
			continue
		}
		for _, column := range f.Columns {
			ok, err := add(Column{Field: f.Name, Column: column})
			if err != nil {
				return nil, nil, err
			}
			if ok {
				break
			}
		}
		if !f.Named {
			continue
		}
		for _, h := range header {
			h = strings.TrimSpace(h)
			if name, ok := strings.CutPrefix(h, f.Name+":"); ok && name != "" {
				if _, err := add(Column{Field: f.Name, Name: name, Column: h}); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	for _, f := range fields {
		if mapped[f.Name] || cols.settle(f.Name) {
			continue
		}
		column, err := f.usual(header)
		if of, _ := cols.Of("review"); f.Name == "system" && column != "" && of == HumanReference && !mapped["review"] {
			err = fmt.Errorf("%s is the person's review in CodeReviewer's rows, and %s could say whose it is: say so, as in --map review=%[1]s,system=%[2]s, or --map system=", of, column)
		}
		if err == nil && column != "" {
			_, err = add(Column{Field: f.Name, Column: column, usual: true})
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return cols, places, checkColumns(cols, header, noDiff)
}

// settle reports whether a field has a column, or would change what the columns say.
func (m Columns) settle(field string) bool {
	texts, named := 0, false
	for _, c := range m {
		switch {
		case c.Field == field && c.Name == "":
			return true
		case c.Field == "reviews":
			named = true
		case c.Field == "review":
			texts++
			named = named || c.Name != ""
		}
	}
	switch field {
	case "review":
		return named
	case "system", "con", "comp", "rel":
		return named || texts > 1
	}
	return false
}

// usual finds the column that has a default name of the field in other letters, or else a
// name that others give it; "" if there is none.
func (f Field) usual(header []string) (string, error) {
	tiers := append(slices.Collect(slices.Chunk(f.Columns, 1)), f.Also)
	for _, names := range tiers {
		var found []string
		for _, h := range header {
			if slices.ContainsFunc(names, func(name string) bool { return plain(name) == plain(h) }) {
				found = append(found, strings.TrimSpace(h))
			}
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return "", fmt.Errorf("%s could each be the %s: say which, as in --map %[2]s=%s, or none, as in --map %[2]s=", list(found), f.Name, found[0])
		}
	}
	return "", nil
}

// isName reports whether a key could be a field by a name of the table.
func isName(key string) bool {
	name, _, _ := strings.Cut(plain(key), ":")
	return slices.ContainsFunc(fields, func(f Field) bool {
		return slices.ContainsFunc(slices.Concat([]string{f.Name}, f.Columns, f.Also), func(n string) bool { return plain(n) == name })
	})
}

// plain is a name in small letters, without what separates its words.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("_- .", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// checkColumns returns an error if a column is missing, or if columns contradict each
// other.
func checkColumns(cols Columns, header []string, noDiff bool) error {
	has := func(name string) bool {
		return slices.ContainsFunc(cols, func(c Column) bool { return c.Field == name })
	}
	var missing []string
	for _, name := range dimensions {
		if !has(name) {
			missing = append(missing, name)
		}
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
	case !has("diff") && !noDiff:
		say := "say which one holds the diff, as in --map diff=COLUMN"
		if texts == 0 && !has("reviews") {
			say = "say which ones hold the diff and the review, as in --map diff=COLUMN,review=COLUMN"
		}
		return fmt.Errorf("there is no column %s (columns: %s%s): %s", strings.Join(columnsOf("diff"), " or "), list(header), nearest(header, columnsOf("diff")...), say)
	case has("reviews") && (has("system") || labels):
		return fmt.Errorf("there is a column of reviews, and one of system, con, comp or rel for single ones: leave one out, as in --map reviews= (columns: %s)", list(header))
	case texts > 1 && has("system"), named && has("system"):
		return fmt.Errorf("a system has a column of reviews of its own, and there is a column system too: leave one out, as in --map system= (columns: %s)", list(header))
	case texts > 1 && labels:
		return fmt.Errorf("there are columns of labels, and several of reviews that they could belong to: give each review a row of its own, with a column system (columns: %s)", list(header))
	case labels && len(missing) > 0:
		return fmt.Errorf("labels need the columns con, comp and rel (columns: %s%s)", list(header), nearest(header, missing...))
	}
	return nil
}

// isIndex reports whether a column numbers the rows, as pandas writes it: the first without a
// name, that column when it was read and written again, or that of Parquet.
func isIndex(place int, name string) bool {
	name = strings.TrimSpace(name)
	return place == 0 && name == "" || strings.HasPrefix(name, "Unnamed: ") || strings.HasPrefix(name, "__index_level_")
}

// list joins names of columns for an error, at most 50.
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

// nearest suggests which of the names that were seen is a misspelling of a wanted name. It
// is empty if none is near.
func nearest(seen []string, wanted ...string) string {
	for _, want := range wanted {
		for _, name := range seen[:min(len(seen), limits.SuggestedFields)] {
			if name != want && spelling.Near(strings.ToLower(strings.TrimSpace(name)), want) {
				return fmt.Sprintf("; is %s meant as %q?", short(name), want)
			}
		}
	}
	return ""
}

// didYouMean suggests the name that was seen and is nearest to a given name. It is empty if
// none is near.
func didYouMean(seen []string, given string) string {
	var names []string
	for _, name := range seen[:min(len(seen), limits.SuggestedFields)] {
		names = append(names, strings.TrimSpace(name))
	}
	if name := spelling.Nearest(given, names); name != "" {
		return fmt.Sprintf("; did you mean %s?", short(name))
	}
	return ""
}
