package adapter

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"crscore/internal/findings"
)

// Table says where the findings are in an output, in names. A name that a row lacks is looked
// for in the objects around it. A name with dots leads into an object, or into the first of a
// list. The children of an XML element are lists, its attributes and its "text" are texts.
type Table struct {
	// Must names a field that the output needs, or that each object of a list needs: NAME, or
	// NAME=VALUE.
	Must string
	// Rows is the way to the rows: the names of lists and objects, joined by dots. Empty, or
	// with a dot in front, it starts in a list. "*" stands for all that is in an object, and is
	// then a name of its own.
	Rows string
	// The names of what is in a row. Without a Level findings are warnings.
	Path, Line, Column, EndLine, Rule, Message, Level string
	// Levels are the severities by the tool's own words, besides the usual ones. Other words
	// are refused.
	Levels map[string]findings.Severity
	// Rules are the severities of rules by the first letters of their names, which override
	// Levels. The longest counts.
	Rules map[string]findings.Severity
	// WholeFile tells that the tool has findings without a line.
	WholeFile bool
	// Judge changes what was read in a row, before Rules count. It may be nil.
	Judge func(row *Row, f *findings.Finding)
	// Reason words a Broken or Fatal row. nil means AtLine.
	Reason func(f findings.Finding) string
}

// What a row is if it is no finding.
const (
	Skip   findings.Severity = "skip"   // nothing
	Broken findings.Severity = "broken" // the file was not analysed
	Fatal  findings.Severity = "fatal"  // no file was
)

// AtLine is the reason of a row with its line.
func AtLine(f findings.Finding) string { return fmt.Sprintf("line %d: %s", f.Line, f.Message) }

// Message is the reason of a row without its line.
func Message(f findings.Finding) string { return f.Message }

// Read returns a Parse for tables, which are read one after another.
func Read(decode func(stdout []byte) (any, error), tables ...Table) func(stdout []byte) (Report, error) {
	return func(stdout []byte) (Report, error) {
		document, err := decode(stdout)
		if err != nil {
			return Report{}, err
		}
		var r Report
		for _, t := range tables {
			if err := t.read(document, &r); err != nil {
				return Report{}, err
			}
		}
		if r.Failed != "" {
			return Report{Failed: r.Failed}, nil
		}
		return r, nil
	}
}

func (t *Table) read(document any, r *Report) error {
	must, want, _ := strings.Cut(t.Must, "=")
	way := strings.Split(t.Rows, ".")
	list, isList := document.([]any)
	if isList != (way[0] == "") {
		return errors.New("it has not the form of the tool's output")
	}
	if isList {
		way = way[1:]
	} else {
		list = []any{document}
	}
	for _, v := range list {
		fields, _ := fieldsOf(v)
		got := (&Row{fields: fields}).find(must)
		if must != "" && (got == nil || got == "" || got == text("") || want != "" && got != text(want)) {
			return fmt.Errorf("it has no %s", t.Must)
		}
		if err := each(v, way, nil, func(row *Row) error { return t.row(row, r) }); err != nil {
			return err
		}
	}
	return nil
}

// words are the severities by the words of most tools, and by the priorities of PMD and PHPMD,
// from 1 ("change absolutely required") to 5 ("change highly optional").
var words = map[string]findings.Severity{
	"error": findings.Error, "fatal": findings.Error, "warning": findings.Warning,
	"info": findings.Info, "style": findings.Info, "convention": findings.Info, "refactor": findings.Info,
	"performance": findings.Info, "portability": findings.Info,
	"1": findings.Error, "2": findings.Error, "3": findings.Warning, "4": findings.Info, "5": findings.Info,
}

// row adds what a row says to the report.
func (t *Table) row(row *Row, r *Report) error {
	f := findings.Finding{
		Path: row.Text(t.Path), Rule: row.Text(t.Rule), Message: row.Text(t.Message), Severity: findings.Warning,
		Line: row.Number(t.Line), Column: row.Number(t.Column), EndLine: row.Number(t.EndLine),
	}
	if t.Level != "" {
		level := row.Text(t.Level)
		f.Severity = cmp.Or(t.Levels[level], words[level])
	}
	if t.Judge != nil {
		t.Judge(row, &f)
	}
	reason := t.Reason
	if reason == nil {
		reason = AtLine
	}
	longest := -1
	for prefix, severity := range t.Rules {
		if strings.HasPrefix(f.Rule, prefix) && len(prefix) > longest {
			longest, f.Severity = len(prefix), severity
		}
	}
	switch {
	case row.err != nil:
		return row.err
	case f.Severity == Skip || r.Failed != "":
	case f.Severity == Fatal:
		r.Failed = reason(f)
	case f.Path == "" || f.Line < 0:
		return errors.New("a result without a file or a line")
	case f.Severity == Broken:
		r.Unread = append(r.Unread, Unread{Path: f.Path, Reason: reason(f)})
	case f.Severity == "":
		return fmt.Errorf("%s: a result of the level %q", f.Path, row.Text(t.Level))
	case f.Rule == "" || f.Message == "" || f.Line == 0 && !t.WholeFile:
		return fmt.Errorf("%s: a result without a rule, a text or a line", f.Path)
	default:
		r.Findings = append(r.Findings, f)
	}
	return nil
}

// Row is an object of the output, with the objects around it.
type Row struct {
	fields map[string]any
	outer  *Row
	err    error
}

// Refuse makes the whole output an error. The first reason remains.
func (r *Row) Refuse(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// Text returns a text or a number, "" if there is none.
func (r *Row) Text(name string) string {
	switch v := r.find(name).(type) {
	case nil:
	case string:
		return v
	case text:
		return string(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	default:
		r.Refuse("%s is neither a text nor a number", name)
	}
	return ""
}

// Number returns a whole number, 0 if there is none.
func (r *Row) Number(name string) int {
	s := r.Text(name)
	if s == "" {
		return 0
	}
	n, err := findings.LineNumber([]byte(s))
	if _, words := r.find(name).(string); words || err != nil {
		r.Refuse("%s is %q", name, findings.Text(s, 40))
	}
	return n
}

func (r *Row) find(name string) any {
	if name == "" {
		return nil
	}
	key, rest, _ := strings.Cut(name, ".")
	for ; r != nil; r = r.outer {
		v, ok := r.fields[key]
		if !ok {
			continue
		}
		for rest != "" {
			key, rest, _ = strings.Cut(rest, ".")
			if list, ok := v.([]any); ok && len(list) > 0 {
				v = list[0]
			}
			fields, _ := fieldsOf(v)
			v = fields[key]
		}
		return v
	}
	return nil
}

// each visits the objects at the end of a way.
func each(value any, way []string, outer *Row, visit func(*Row) error) error {
	if list, ok := value.([]any); ok {
		for _, v := range list {
			if err := each(v, way, outer, visit); err != nil {
				return err
			}
		}
		return nil
	}
	fields, ok := fieldsOf(value)
	if !ok {
		return errors.New("there is something else in the place of an object")
	}
	row := &Row{fields: fields, outer: outer}
	if len(way) == 0 {
		return visit(row)
	}
	names := way[:1]
	if way[0] == "*" {
		names = slices.Sorted(maps.Keys(fields))
	}
	_, isXML := value.(*xmlNode)
	for _, name := range names {
		if _, list := fields[name].([]any); !list && isXML {
			continue // an attribute, or an empty list, which leaves nothing in XML
		}
		if name == "" {
			return errors.New("there is something without a name")
		}
		if err := each(fields[name], way[1:], &Row{fields: map[string]any{"*": name}, outer: row}, visit); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
