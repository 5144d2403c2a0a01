package comments

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/findings"
)

func items() []Item {
	note := json.RawMessage(`{"con":0.5}`)
	return []Item{
		{Comment{Body: "Close <it>.\nNow.", Path: "a b.go", Side: New, StartLine: 3, EndLine: 5, Rule: "R", Severity: findings.Error}, note},
		{Comment{Body: "Why gone?\u202e", Path: "c.go", Side: Old, StartLine: 4, EndLine: 4}, nil},
		{Comment{Body: "All.", Side: New}, note},
		{Comment{Body: "All.", Side: New}, note},
	}
}

// TestWriteGitHub: what is written can be read, nothing lost but rules and severities.
func TestWriteGitHub(t *testing.T) {
	var b bytes.Buffer
	list := append(items(), Item{Comment: Comment{Body: "A file.", Path: "a.go", Side: New}})
	if err := WriteGitHub(&b, list); err != nil {
		t.Fatal(err)
	}
	f, err := Read(b.Bytes(), "")
	if err != nil {
		t.Fatalf("%v: %s", err, b.String())
	}
	var want []Comment
	for _, it := range list {
		c := it.Comment
		c.Rule, c.Severity = "", ""
		want = append(want, c)
	}
	if d := cmp.Diff(want, f.Comments, anyNumber()); d != "" || f.Format != GitHub {
		t.Errorf("%s: %s", f.Format, d)
	}
	for _, s := range []string{`"side": "LEFT"`, `"start_line": 3`, `"subject_type": "file"`, `\u202e`, `"con": 0.5`} {
		if !bytes.Contains(b.Bytes(), []byte(s)) {
			t.Errorf("no %s in %s", s, b.String())
		}
	}
	b.Reset()
	if err := WriteGitHub(&b, nil); err != nil || b.String() != "[]\n" {
		t.Errorf("no comments: %q, %v", b.String(), err)
	}
}

func TestWriteSARIF(t *testing.T) {
	var b bytes.Buffer
	if err := WriteSARIF(&b, "crscore", "1", items(), json.RawMessage(`{"outcome":"pass"}`)); err != nil {
		t.Fatal(err)
	}
	f, err := Read(b.Bytes(), "")
	if err != nil {
		t.Fatalf("%v: %s", err, b.String())
	}
	at := func(c Comment) Comment { c.Tool, c.Side = "crscore", New; return c }
	want := []Comment{
		at(Comment{Body: "Close <it>.\nNow.", Path: "a b.go", StartLine: 3, EndLine: 5, Rule: "R", Severity: findings.Error}),
		at(Comment{Body: "Why gone?\u202e", Path: "c.go", Rule: ruleName, Severity: findings.Info}),
		at(Comment{Body: "All.", Rule: ruleName, Severity: findings.Info}), at(Comment{Body: "All.", Rule: ruleName, Severity: findings.Info}),
	}
	if d := cmp.Diff(want, f.Comments, anyNumber()); d != "" || f.Format != SARIF {
		t.Errorf("%s: %s", f.Format, d)
	}
	for _, s := range []string{`"uri": "a%20b.go"`, `"text": "Close <it>.\nNow."`, `\u202e`, `"con": 0.5`, `"outcome": "pass"`} {
		if !bytes.Contains(b.Bytes(), []byte(s)) {
			t.Errorf("no %s in %s", s, b.String())
		}
	}
}

func TestWriteRDJSONL(t *testing.T) {
	var b bytes.Buffer
	if err := WriteRDJSONL(&b, items()[:2]); err != nil {
		t.Fatal(err)
	}
	want := `{"code":{"value":"R"},"crscore":{"con":0.5},"location":{"path":"a b.go","range":{"end":{"line":5},"start":{"line":3}}},"message":"Close <it>.\nNow.","severity":"ERROR"}
{"location":{"path":"c.go"},"message":"Why gone?\u202e","severity":"INFO"}
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}

func TestWriteCodeQuality(t *testing.T) {
	var b bytes.Buffer
	if err := WriteCodeQuality(&b, items()); err != nil {
		t.Fatal(err)
	}
	var got []struct {
		Description, Fingerprint, Severity string
		Check                              string `json:"check_name"`
		Location                           struct {
			Path  string
			Lines struct{ Begin, End int }
		}
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if f := got[0]; f.Location.Path != "a b.go" || f.Location.Lines.Begin != 3 || f.Location.Lines.End != 5 || f.Severity != "major" || f.Check != "R" || f.Description != "Close <it>.\nNow." {
		t.Errorf("%+v", f)
	}
	if f := got[1]; f.Location.Lines.Begin != 1 || f.Severity != "info" {
		t.Errorf("a line of the old side: %+v", f)
	}
	if f := got[2]; f.Location.Path != "." || f.Fingerprint == got[3].Fingerprint || len(f.Fingerprint) != 64 {
		t.Errorf("%+v, %+v", f, got[3])
	}
	b.Reset()
	if err := WriteCodeQuality(&b, nil); err != nil || b.String() != "[]\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

// TestWriteSARIFPaths has paths that are no URIs as they stand.
func TestWriteSARIFPaths(t *testing.T) {
	for _, path := range []string{"a b.go", "a:b%2F.go", `C:\x\y.go`, "/abs/x.go", "x?y#z.go", "ä/ö.go", "./x.go", "[id].ts"} {
		var b bytes.Buffer
		if err := WriteSARIF(&b, "crscore", "1", []Item{{Comment: Comment{Body: "x", Path: path, Side: New, StartLine: 1, EndLine: 2}}}, nil); err != nil {
			t.Fatal(err)
		}
		var log struct {
			Runs []struct {
				Results []struct {
					Locations []struct {
						PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
					}
				}
			}
		}
		if err := json.Unmarshal(b.Bytes(), &log); err != nil {
			t.Fatal(err)
		}
		uri := log.Runs[0].Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI
		if u, err := url.Parse(uri); err != nil || u.Scheme != "" || u.RawQuery != "" || u.Fragment != "" {
			t.Errorf("%s is written as the URI %s: %v", path, uri, err)
		}
		f, err := Read(b.Bytes(), SARIF)
		if err != nil || strings.TrimPrefix(f.Comments[0].Path, "./") != strings.TrimPrefix(path, "./") {
			t.Errorf("%s is written as %s and read as %+v, %v", path, uri, f.Comments, err)
		}
	}
}
