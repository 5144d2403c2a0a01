package outline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// show writes an outline on lines, two spaces a level.
func show(n *Node) string {
	var b strings.Builder
	var walk func(*Node, int)
	walk = func(n *Node, depth int) {
		words := []string{strings.Repeat("  ", depth) + n.Type, n.Name, n.Value}
		fmt.Fprintf(&b, "%s %d-%d\n", strings.TrimRight(strings.Join(words, "|"), "|"), n.First, n.Last)
		for _, k := range n.Kids {
			walk(k, depth+1)
		}
	}
	for _, k := range n.Kids {
		walk(k, 0)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name string
		in   Input
		want string
	}{
		{"yaml", Input{Format: YAML, Whole: true, Text: "a:\n  b: 'x: y' # c\n  l:\n  - p\n  - n: 1\n    m: 2\nt: |\n  one\n  two\nf: {k: [1, 2]}\n"},
			"|a 0-5\n  |b|x: y 1-1\n  |l 2-5\n    ||p 3-3\n     4-5\n      |n|1 4-4\n      |m|2 5-5\n|t|one\ntwo 6-8\n|f 9-9\n  |k 9-9\n    ||1 9-9\n    ||2 9-9\n"},
		{"yaml hunk", Input{Format: YAML, Heading: "jobs:", Text: "      x: 1\n    y:\n      z: 2\n"},
			"|jobs 0-2\n  |x|1 0-0\n  |y 1-2\n    |z|2 2-2\n"},
		{"json", Input{Format: JSON, Whole: true, Text: "{\n \"a\": {\"b\": [1, {\"c\": \"d\"}]}, // e\n \"f\": null\n}"},
			"|a 1-1\n  |b 1-1\n    ||1 1-1\n     1-1\n      |c|d 1-1\n||e 1-1\n|f|null 2-2\n"},
		{"json hunk", Input{Format: JSON, Text: "  \"a\": 1\n},\n\"b\": {\n  \"c\": 2\n"},
			"|a|1 0-0\n|b 2-3\n  |c|2 3-3\n"},
		{"toml", Input{Format: TOML, Whole: true, Text: "a = 1\n[b.c]\nd = { e = \"f\" }\ng = [\n  1,\n]\n[[h]]\ni = 'j'\n"},
			"|a|1 0-0\n|b 1-5\n  |c 1-5\n    |d 2-2\n      |e|f 2-2\n    |g 3-5\n      ||1 4-4\n|h 6-7\n   6-7\n    |i|j 7-7\n"},
		{"dockerfile", Input{Format: Dockerfile, Whole: true, Text: "FROM a:1 AS b\nRUN x y && \\\n    z\nENV A=\"1\"\n"},
			"base image||a:1 AS b 0-0\ncommand||x y 1-1\n||z 2-2\nenvironment variable|A|1 3-3\n"},
		{"css", Input{Format: CSS, Text: "  a: b;\n}\n@media x {\n  .c, .d { e: url(f;g) }\n}\n"},
			"property|a|b 0-0\nstyle rule|@media x 2-4\n  style rule|.c, .d 3-3\n    property|e|url(f;g) 3-3\n"},
		{"sql", Input{Format: SQL, Whole: true, Text: "create table if not exists t (\n  a int not null default 0,\n  primary key (a)\n);\nselect *\nfrom t\nwhere a = 1 and b between 2 and 3"},
			"table|t 0-0\ncolumn|a|int not null default 0 1-1\n||primary key (a) 2-2\nstatement||select * 4-4\n||from t 5-5\n||where a = 1 and b between 2 and 3 6-6\n"},
		{"sql hunk", Input{Format: SQL, Heading: "create table t (", Text: "  a int,\n  /* of it */\n);\ninsert into t values (1)\ndrop table u -- old\n"},
			"column|a|int 0-0\n||of it 1-1\nstatement||insert into t values (1) 3-3\nstatement||drop table u 4-4\n"},
		{"html", Input{Format: HTML, Whole: true, Text: "<p class='a'>x<br>\n<b y>z</b></p>\n</div>"},
			"|p 0-1\n  attribute|class|a 0-0\n  ||x 0-0\n  |br 0-0\n  |b 1-1\n    attribute|y 1-1\n    ||z 1-1\n"},
		{"markdown", Input{Format: Markdown, Whole: true, Text: "# A\none\ntwo\n\n- x\n```sh\n# no\n```\n## B\n| c | d |\nE\n===\n"},
			"|A 0-10\n  ||one two 1-2\n  ||x 4-4\n  sh||# no 5-7\n  |B 8-10\n    table row||c, d 9-9\n    ||E 10-10\n"},
	} {
		if d := cmp.Diff(strings.Split(c.want, "\n"), strings.Split(show(Read(c.in)), "\n")); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// FuzzRead reads any text in every format: no panic, rows within the text, and
// a text does not differ from itself.
func FuzzRead(f *testing.F) {
	for i, s := range []string{
		"a:\n  - b: {c: d\n  e: |\n f", "}{\"a\":[1,}]", "[a.b]\nc = [\n1\n", "RUN a \\\nb && c", "}}a{b:c;d{", "<a b='c><!-- </a></b>",
		"create table (a b(c), d); select ,,( from", "# a\n```\nb\n| c |", "a==1\n-r b", "[(0000", "require (\nx.y/z v1\n",
	} {
		f.Add(uint8(i), i%2 == 0, s, "jobs:", s)
	}
	f.Fuzz(func(t *testing.T, format uint8, whole bool, a, heading, b string) {
		in := Input{Format: Format(format%uint8(Gradle) + 1), Whole: whole, Text: a, Heading: heading}
		x, again := Read(in), Read(in)
		rows := strings.Count(a, "\n") + 1
		x.Walk(func(n *Node) bool {
			if n.First < 0 || n.First > n.Last || n.Last >= rows {
				t.Fatalf("rows %d-%d of %d: %+v", n.First, n.Last, rows, n)
			}
			return true
		})
		if d := Diff(x, again); len(d) != 0 {
			t.Fatalf("a text differs from itself: %+v", d[0])
		}
		in.Text = b
		Diff(x, Read(in))
	})
}

// TestHostile makes sure that size and depth cost no more than they should.
func TestHostile(t *testing.T) {
	for name, s := range map[string]string{
		"brackets": strings.Repeat("{", 20_000), "closing": strings.Repeat("a: 1}\n", 10_000), "lists": strings.Repeat("- ", 10_000),
		"tags": strings.Repeat("<a b=c>", 10_000), "ends": strings.Repeat("</a>", 10_000), "lines": strings.Repeat("key: value\n", 10_000),
		"quotes": strings.Repeat("\"", 20_000), "headings": strings.Repeat("# a\n", 10_000), "open": strings.Repeat("a: [\n", 4_000), "words": strings.Repeat("word ", 20_000),
		"sql": strings.Repeat("select a, (b from c where ", 2_000), "slashes": strings.Repeat("RUN a && b \\\n", 6_000), "at": strings.Repeat("@a (", 10_000),
		"name": "<" + strings.Repeat("a", 10_000) + ">",
	} {
		for f := YAML; f <= Gradle; f++ {
			start := time.Now()
			Diff(Read(Input{Format: f, Text: s, Whole: true}), Read(Input{Format: f, Text: strings.ReplaceAll(s, "a", "b") + "x"}))
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("%s as %d took %v", name, f, d)
			} else if d > time.Second {
				t.Logf("%s as %d took %v", name, f, d)
			}
		}
	}
}
