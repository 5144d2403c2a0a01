package adapter

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/findings"
)

// TestTable holds what a table of names reads, and what it refuses.
func TestTable(t *testing.T) {
	list := Table{Path: "at.file", Line: "at.line", Rule: "rule", Message: "says", Level: "level", Rules: map[string]findings.Severity{"x": Broken, "xy": Skip, "z": Fatal}}
	within := Table{Must: "version", Rows: "files.*", Path: "*", Line: "line", Rule: "tool", Message: "says", WholeFile: true}
	marked := Table{Must: "d.of=x", Rows: "d.f.e", Path: "name", Line: "line", Rule: "rule", Message: "text", Judge: func(row *Row, _ *findings.Finding) {
		if row.Text("odd") != "" {
			row.Refuse("an odd one")
		}
	}}
	found := func(path string, line int, rule, message string, s findings.Severity) Report {
		return Report{Findings: []findings.Finding{{Path: path, Line: line, Rule: rule, Message: message, Severity: s}}}
	}
	for _, c := range []struct {
		parse     func([]byte) (Report, error)
		out       string
		want      Report
		wantError string
	}{
		{JSON(list), `[{"at":{"file":"a","line":2.0},"rule":7,"says":"m","level":"style"}]`, found("a", 2, "7", "m", findings.Info), ""},
		{JSON(list), `[{"at":{"file":"a","line":2},"rule":"x1","says":"m"},{"rule":"xyz"}]`, Report{Unread: []Unread{{"a", "line 2: m"}}}, ""},
		{JSON(list), `[{"at":{"file":"a","line":2},"rule":"x","says":"m"},{"rule":"z","says":"all"},{}]`, Report{Failed: "line 0: all"}, ""},
		{JSON(list), `[]`, Report{}, ""},
		{JSON(list), `{}`, Report{}, "form"},
		{JSON(list), `null`, Report{}, "form"},
		{JSON(list), `[null]`, Report{}, "place of an object"},
		{JSON(list), `[{"at":{"file":"a","line":2},"rule":"r","says":"m","level":"opinion"}]`, Report{}, `a: a result of the level "opinion"`},
		{JSON(list), `[{"at":{"file":"a","line":"2"},"rule":"r","says":"m","level":"info"}]`, Report{}, "at.line is"},
		{JSON(list), `[{"at":{"file":"a","line":2.5},"rule":"r","says":"m","level":"info"}]`, Report{}, "at.line is"},
		{JSON(list), `[{"at":{"file":["a"],"line":2},"rule":"r","says":"m","level":"info"}]`, Report{}, "at.file is neither"},
		{JSON(list), `[{"at":{"file":"a"},"rule":"r","says":"m","level":"info"}]`, Report{}, "without a rule, a text or a line"},
		{JSON(within), `{"version":1,"tool":"r","files":{"b":[{"says":"m"}],"a":[]}}`, found("b", 0, "r", "m", findings.Warning), ""},
		{JSON(within), `{"version":"","tool":"r","files":{}}`, Report{}, "it has no version"},
		{JSON(within), `{"version":1,"tool":"r"}`, Report{}, "files: there is something else"},
		{JSON(within), `{"version":1,"tool":"r","files":{"":[]}}`, Report{}, "without a name"},
		{XML(marked), `<d of="x"><f name="a"><e line="3" rule="r"> m </e></f><f name="b"/></d>`, found("a", 3, "r", "m", findings.Warning), ""},
		{XML(marked), `<d of="x"><f name="a"><e line="three" rule="r">m</e></f></d>`, Report{}, "line is"},
		{XML(marked), `<d of="x"><f name="a"><e line="3" rule="r" odd="y">m</e></f></d>`, Report{}, "an odd one"},
		{XML(marked), `<d of="y"/>`, Report{}, "it has no d.of=x"},
		{XML(marked, Table{Rows: "d.failed", Message: "text", Rules: map[string]findings.Severity{"": Fatal}, Reason: Message}), `<d of="x"><failed>all</failed></d>`, Report{Failed: "all"}, ""},
		{JSONLines(list), "{\"at\":{\"file\":\"a\",\"line\":2},\"rule\":\"r\",\"says\":\"m\",\"level\":\"error\"}\n", found("a", 2, "r", "m", findings.Error), ""},
		{JSONLines(list), "", Report{}, ""},
		{JSONLines(list), "[]\n", Report{}, "cannot unmarshal array"},
		{JSONLines(list), "{}", Report{}, "the last line has no end"},
	} {
		for range 20 { // the order of a map must change nothing
			got, err := c.parse([]byte(c.out))
			if diff := cmp.Diff(c.want, got); diff != "" || (err == nil) != (c.wantError == "") || err != nil && !strings.Contains(err.Error(), c.wantError) {
				t.Fatalf("%s: %v\n%s", c.out, err, diff)
			}
		}
	}
}
