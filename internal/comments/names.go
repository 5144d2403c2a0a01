package comments

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"crscore/internal/dataset"
)

// Fields are the fields of a comment in JSON, with the names under which tools write them; a
// map gives other names. comments is the list in an object.
func Fields() []dataset.Field {
	return []dataset.Field{
		{Name: "body", Columns: []string{"body", "comment", "text", "content", "message", "note", "review_comment"}},
		{Name: "path", Columns: []string{"path", "file", "filename", "file_path"}},
		{Name: "line", Columns: []string{"line", "end_line", "line_number", "lineno", "to_line"}},
		{Name: "start_line", Columns: []string{"start_line", "from_line"}},
		{Name: "side", Columns: []string{"side", "diff_side"}},
		{Name: "position", Columns: []string{"position"}},
		{Name: "comments", Columns: []string{"comments"}},
	}
}

// named is a comment with its fields under the names of GitHub. Names of other tools are known
// in any case, with and without underscores. Notes say which were used.
func (f *File) named(o object) object {
	folded := make(map[string]string, len(o.fields))
	for _, key := range slices.Sorted(maps.Keys(o.fields)) {
		folded[fold(key)] = cmp.Or(folded[fold(key)], key)
	}
	out := object{o.text, o.at, maps.Clone(o.fields)}
	for _, field := range Fields() {
		column, mapped := f.names.Of(field.Name)
		if _, there := o.fields[field.Name]; there && !mapped || field.Name == "comments" {
			continue
		}
		for _, name := range field.Columns {
			if key, ok := folded[fold(name)]; ok && !mapped {
				column = key
				break
			}
		}
		delete(out.fields, field.Name)
		if at, ok := o.find(column); ok {
			out.fields[field.Name] = at
			f.used[column] = field.Name
		}
	}
	return out
}

func fold(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// find returns a field, or the field of an object in it that a name with dots tells.
func (o object) find(name string) (span, bool) {
	if at, ok := o.fields[name]; ok {
		return at, true
	}
	first, rest, _ := strings.Cut(name, ".")
	inner, ok, err := o.obj(first)
	if !ok || err != nil || rest == "" {
		return span{}, false
	}
	return inner.find(rest)
}

// tell adds the notes on names, and refuses a map with a name that no comment has.
func (f *File) tell() error {
	for _, c := range f.names {
		if _, ok := f.used[c.Column]; !ok && c.Column != "" && len(f.Comments) > 0 {
			return fmt.Errorf("no comment has a field %q, which the map gives for %s", shown(c.Column), c.Field)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(f.used)) {
		if _, mapped := f.names.Of(f.used[key]); !mapped {
			f.Notes = append(f.Notes, fmt.Sprintf("the field %s of the comments is read as their %s", shown(key), f.used[key]))
		}
	}
	return nil
}
