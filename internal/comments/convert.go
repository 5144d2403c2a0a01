package comments

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/url"

	"crscore/internal/findings"
	"crscore/internal/report"
)

// Item is a comment to write in another format. Formats that know only the new text leave
// out lines of the old side.
type Item struct {
	// Comment is the comment to write.
	Comment Comment
	// Note is JSON that is written beside the comment, nil for none.
	Note json.RawMessage
}

// ruleName is the rule of a comment without a rule.
const ruleName = "review-comment"

// fields is a JSON object. Its fields are written in alphabetical order.
type fields map[string]any

// noted adds the note to an object.
func (i Item) noted(o fields) fields {
	if i.Note != nil {
		o[noteName] = i.Note
	}
	return o
}

// lines are the lines in the new text; ok is false if the comment has none.
func (c Comment) lines() (first, last int, ok bool) {
	return c.StartLine, c.EndLine, c.EndLine > 0 && c.Side == New
}

// WriteGitHub writes comments as the list of comments in a review of GitHub, which is the
// plainest format that Read knows. A comment with a path and without lines is about the file;
// a comment without a path is about the change, which GitHub itself takes only as the body of
// a review.
func WriteGitHub(w io.Writer, items []Item) error {
	list := []fields{}
	for _, it := range items {
		c := it.Comment
		o := it.noted(fields{"body": c.Body})
		if c.Path != "" {
			o["path"] = c.Path
		}
		side := "RIGHT"
		if c.Side == Old {
			side = "LEFT"
		}
		switch {
		case c.EndLine > 0:
			o["line"], o["side"] = c.EndLine, side
			if c.StartLine < c.EndLine {
				o["start_line"], o["start_side"] = c.StartLine, side
			}
		case c.Path != "":
			o["subject_type"] = "file"
		}
		list = append(list, o)
	}
	return writeJSON(w, list, "  ")
}

// WriteSARIF writes comments as results of a tool, with whole as the note on the run.
func WriteSARIF(w io.Writer, tool, version string, items []Item, whole json.RawMessage) error {
	levels := map[findings.Severity]string{findings.Error: "error", findings.Warning: "warning"}
	results, rules, known := []fields{}, []fields{}, map[string]bool{}
	for _, it := range items {
		c := it.Comment
		rule := cmp.Or(c.Rule, ruleName)
		if !known[rule] {
			known[rule] = true
			rules = append(rules, fields{"id": rule})
		}
		r := fields{"ruleId": rule, "message": fields{"text": cmp.Or(c.Body, " ")}, "level": cmp.Or(levels[c.Severity], "note")}
		if c.Path != "" {
			at := fields{"artifactLocation": fields{"uri": (&url.URL{Path: c.Path}).String()}}
			if first, last, ok := c.lines(); ok {
				at["region"] = fields{"startLine": first, "endLine": last}
			}
			r["locations"] = []fields{{"physicalLocation": at}}
		}
		if it.Note != nil {
			r["properties"] = it.noted(fields{})
		}
		results = append(results, r)
	}
	run := fields{"tool": fields{"driver": fields{"name": tool, "version": version, "rules": rules}}, "results": results}
	if whole != nil {
		run["properties"] = fields{noteName: whole}
	}
	return writeJSON(w, fields{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []fields{run}}, "  ")
}

// WriteRDJSONL writes comments as reviewdog's diagnostics, one a line.
func WriteRDJSONL(w io.Writer, items []Item) error {
	severities := map[findings.Severity]string{findings.Error: "ERROR", findings.Warning: "WARNING"}
	for _, it := range items {
		c := it.Comment
		at := fields{"path": c.Path}
		if first, last, ok := c.lines(); ok {
			at["range"] = fields{"start": fields{"line": first}, "end": fields{"line": last}}
		}
		d := it.noted(fields{"message": c.Body, "location": at, "severity": cmp.Or(severities[c.Severity], "INFO")})
		if c.Tool != "" {
			d["source"] = fields{"name": c.Tool}
		}
		if c.Rule != "" {
			d["code"] = fields{"value": c.Rule}
		}
		if err := writeJSON(w, d, ""); err != nil {
			return err
		}
	}
	return nil
}

// WriteCodeQuality writes comments as GitLab's Code Quality report. GitLab requires a file
// and a line: a comment without a line gets line 1, and without a file the path ".".
func WriteCodeQuality(w io.Writer, items []Item) error {
	severities := map[findings.Severity]string{findings.Error: "major", findings.Warning: "minor"}
	list, seen := []fields{}, map[string]int{}
	for _, it := range items {
		c := it.Comment
		first, last, ok := c.lines()
		if !ok {
			first, last = 1, 1
		}
		// Without the line, so that the fingerprint stays when code moves.
		key := fmt.Sprintf("%q %q %q", c.Path, c.Rule, c.Body)
		seen[key]++
		list = append(list, it.noted(fields{
			"description": c.Body, "check_name": cmp.Or(c.Rule, ruleName), "severity": cmp.Or(severities[c.Severity], "info"),
			"fingerprint": fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s %d", key, seen[key]))),
			"location":    fields{"path": cmp.Or(c.Path, "."), "lines": fields{"begin": first, "end": last}},
		}))
	}
	return writeJSON(w, list, "  ")
}

func writeJSON(w io.Writer, v any, indent string) error {
	var b bytes.Buffer
	if err := report.JSON(&b, v, indent); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}
