package dataset

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/limits"
)

// openAll reads a dataset to the end: what is said of it, its records, and errors of
// lines.
func openAll(src Source, o Options) (about string, recs []Record, bad []string, final error) {
	r, err := Open(src, o)
	if err != nil {
		return "", nil, nil, err
	}
	for {
		rec, err := r.Next()
		switch {
		case err == nil:
			recs = append(recs, rec)
		case errors.As(err, new(*LineError)):
			bad = append(bad, err.Error())
		case errors.Is(err, io.EOF):
			return r.About(), recs, bad, nil
		default:
			return r.About(), recs, bad, err
		}
	}
}

// show is a record on a line.
func show(r Record) string {
	s := fmt.Sprintf("%s #%d %s %s %s %q", r.Where(), r.Number, r.ID, r.Lang, r.Path, r.Diff)
	for _, f := range []struct {
		name string
		text *string
	}{{"old", r.Old}, {"new", r.New}} {
		if f.text != nil {
			s += fmt.Sprintf(" %s=%q", f.name, *f.text)
		}
	}
	if r.Claims != nil {
		s += fmt.Sprintf(" claims=%q", r.Claims)
	}
	if r.Smells != nil {
		s += fmt.Sprintf(" smells=%q", r.Smells)
	}
	for _, v := range r.Reviews {
		s += fmt.Sprintf("; %s: %q", v.ID, v.Text)
		if v.Human != nil {
			s += fmt.Sprintf(" %v", *v.Human)
		}
		if v.Err != nil {
			s += fmt.Sprintf(" (%v)", v.Err)
		}
	}
	return s
}

func showAll(recs []Record) []string {
	var out []string
	for _, r := range recs {
		out = append(out, show(r))
	}
	return out
}

func TestCSV(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, "id,diff\n1,@@\n")
	z.Close()
	tests := []struct {
		name, in     string
		file, format string
		columns      []string
		comma        rune
		about        string
		recs, bad    []string
		final        string
	}{
		{
			name: "all fields", in: "\ufeff\r\nid,lang,path,diff,old,new,review,system,con,comp,rel,smells,claims:a,extra\r\n" +
				`x,py,a.py,"@@ ""q""` + "\r\n" + `+1",old,"",Why?,bot,5,4.5,1,"[""one"",""two, three""]","first` + "\n\n" + `second",e` + "\r\n",
			about: `CSV, columns: id, lang, path, diff, old, new, review, system, con, comp, rel, claims:a, smells; not used: "extra"`,
			recs:  []string{`line 3 #1 x py a.py "@@ \"q\"\r\n+1" old="old" new="" claims=map["a":["first" "second"]] smells=["one" "two, three"]; bot: "Why?" {5 4.5 1}`},
		},
		{
			name: "CodeReviewer's columns", in: "patch,msg,oldf,lang,idx,y\n@@,Why?,o,.cs,7,1",
			about: `CSV, columns: id=idx, lang, diff=patch, old=oldf, review=msg; not used: "y"`,
			recs:  []string{`line 2 #1 7 .cs  "@@" old="o"; msg: "Why?"`},
		},
		{
			name: "a row a review", in: "id;diff;system;review;con;comp;rel\n1;@@;a;One.;5;5;5\n1;;b;Two.;;;\n1;@@;c;Three.;1;;1\n2;@@;a;\"\";x;1;1\n\n4;@@;a;Again.;1;1;1\n4;;;;;;\n3;@@;;;;;\n",
			about: `CSV separated by ';', columns: id, diff, review, system, con, comp, rel`,
			recs: []string{
				`line 2 #1 1   "@@"; a: "One." {5 5 5}; b: "Two."; c: "Three." (a label needs con, comp and rel)`,
				`line 5 #2 2   "@@"; a: "" (con is "x", not a number)`,
				`line 7 #3 4   "@@"; a: "Again." {1 1 1}`,
				`line 9 #4 3   "@@"`,
			},
		},
		{
			name: "a change that its rows do not agree on", in: "id,diff,path,system,review\n1,@@,,a,One.\n1,@@ 2,,b,Two.\n1,,a.py,c,Three.\n1,,,d,Four.\n2,,,a,One.\n2,,,,no system\n,@@,,a,no id\n",
			recs: []string{`line 2 #1 1   "@@"; a: "One."; d: "Four."`},
			bad: []string{
				`line 3: change "1" has another diff than line 2`, `line 4: change "1" has another path than line 2`, `line 6: "diff" is missing`,
				`line 7: system is missing: it names who wrote the review`, `line 8: "id" is missing`,
			},
		},
		{
			name: "a column a system", in: "id\tpatch\tgpt\tllama two\tlang\n1\t@@\tOne.\t\tpy\n", columns: []string{"review=gpt", "review:llama=llama two", "lang="},
			about: `CSV separated by tabs, columns: review=gpt, review:llama=llama two, id, diff=patch; not used: "lang"`,
			recs:  []string{`line 2 #1 1   "@@"; gpt: "One."; llama: "" (the review is missing: the cell of "llama two" is empty (a review that says nothing is written ""))`},
		},
		{name: "Excel's first line", in: "sep=|\r\nid|diff|review\r\n1|@@|a;b,c;d,e\r\n", about: "CSV separated by '|', columns: id, diff, review", recs: []string{`line 3 #1 1   "@@"; review: "a;b,c;d,e"`}},
		{name: "bars", in: "id|diff|review\n1|@@|One.\n", about: "CSV separated by '|', columns: id, diff, review", recs: []string{`line 2 #1 1   "@@"; review: "One."`}},
		{name: "lines of an old Mac", in: "id,diff,review\r1,\"@@\n\",One.\r", final: "its lines end with a carriage return alone: save it with line feeds, as CSV UTF-8 in Excel"},
		{
			name: "no ids", in: "diff,review\n@@,One.\nbroken\n@@,One.\n",
			about: `CSV, columns: diff, review; no column has ids: changes are numbered`,
			recs:  []string{`line 2 #1 1   "@@"; review: "One."`, `line 4 #2 3   "@@"; review: "One."`},
			bad:   []string{"line 3: the row has 1 cells, and the header 2"},
		},
		{
			name: "no reviews", in: "id,diff\n1,@@\n",
			about: `CSV, columns: id, diff; no column has reviews (say which one, as in --map review=COLUMN)`,
			recs:  []string{`line 2 #1 1   "@@"`},
		},
		{
			name: "labels without texts", in: "id,diff,system,con,comp,rel\n1,@@,a,1,2,3\n",
			recs: []string{`line 2 #1 1   "@@"; a: "" {1 2 3} (no column has the texts of reviews)`},
		},
		{
			name: "reviews as JSON", in: "id,diff,reviews,claims\n" + `1,@@,"[{""id"":""a"",""text"":""One."",""human"":{""con"":1,""comp"":1,""rel"":1}}]","{""m"":[""c""],""n"":null}"` + "\n1,@@,[],\n1,@@,[7],\n1,@@,,[]\n",
			recs: []string{`line 2 #1 1   "@@" claims=map["m":["c"]]; a: "One." {1 1 1}`, `line 3 #2 1   "@@"`},
			bad:  []string{`line 4: reviews must be JSON, as in JSON Lines: not a JSON object but of type number`, `line 5: claims must be JSON, {"NAME": ["…"]}: not a JSON object but of type array`},
		},
		{
			name: "broken rows", in: "id,diff\n1,a\"b\n2,\"a\"b\nc,d\n3,\"a\nb\"c,d\n4,@@,more\n5,\xff\n6,\x00\n7,\"@@\"\r\n8,\"@@\"\rx\n9,\"not closed\nat all\n",
			recs: []string{`line 4 #1 c   "d"`, `line 10 #2 7   "@@"`},
			bad: []string{
				`line 2: a quote in a cell that does not begin with one (such a cell is written in quotes, and the quote in it doubled)`,
				`line 3: text follows the quote that ends a cell (a quote inside of one is doubled)`,
				`line 5: text follows the quote that ends a cell (a quote inside of one is doubled) (the row goes to line 6)`,
				`line 7: the row has 3 cells, and the header 2`,
				`line 8: the row is not UTF-8: save the table as UTF-8`,
				`line 9: the row has a NUL byte, and text has none`,
				`line 11: text follows the quote that ends a cell (a quote inside of one is doubled)`,
				`line 12: a quote is not closed (the row goes to line 13)`,
			},
		},
		{
			name: "lists", in: "id,diff,smells,claims:a\n1,@@,\"\",[]\n2,@@,,\n3,@@,['a'],x\n", recs: []string{`line 2 #1 1   "@@" claims=map["a":[]] smells=[]`, `line 3 #2 2   "@@"`},
			bad: []string{`line 4: smells: a cell that begins with [ must be a JSON array of texts, ["…"]: not JSON: invalid character '\'' looking for beginning of value (byte 2 of the line)`},
		},
		{name: "gzip", in: zipped.String(), file: "a.csv.gz", recs: []string{`line 2 #1 1   "@@"`}},
		{name: "another separator", in: "id|diff\n1|a,b\n", comma: '|', recs: []string{`line 2 #1 1   "a,b"`}},
		{name: "told by the content", in: "id,patch\n1,@@\n", file: "-", recs: []string{`line 2 #1 1   "@@"`}},
		{name: "told by the map", in: "id,x\n1,@@\n", file: "-", columns: []string{"diff=x"}, recs: []string{`line 2 #1 1   "@@"`}},
		{name: "JSON Lines", in: `{"id":"1","diff":"@@"}`, file: "-", recs: []string{`line 1 #1 1   "@@"`}},
		{name: "neither", in: "nonsense\n", file: "-", bad: []string{"line 1: not JSON: invalid character 'o' in literal null (expecting 'u') (byte 2 of the line)"}},
		{name: "nothing", in: "", file: "-"},
		{name: "no header", in: "\n", final: "it is empty: the first line of a table names its columns"},
		{name: "a broken header", in: "a\"b,c\n", final: "the header: line 1: a quote in a cell that does not begin with one (such a cell is written in quotes, and the quote in it doubled)"},
		{name: "no diff", in: "id,text\n1,@@\n", final: `there is no column diff or patch (columns: "id", "text"): say which one holds the diff, as in --map diff=COLUMN`},
		{name: "two diffs", in: "id,diff,diff\n1,@@,@@\n", final: `the table has two columns "diff"`},
		{name: "no such column", in: "id,patch\n1,@@\n", columns: []string{"review=comment"}, final: `there is no column "comment" for review (columns: "id", "patch")`},
		{name: "half a label", in: "id,diff,con,rel\n1,@@,1,1\n", final: `labels need the columns con, comp and rel (columns: "id", "diff", "con", "rel")`},
		{name: "systems twice", in: "diff,system,a,b\n", columns: []string{"review=a", "review=b"}, final: `a system has a column of reviews of its own, and there is a column system too: leave one out, as in --map system= (columns: "diff", "system", "a", "b")`},
		{name: "labels of whom", in: "diff,con,comp,rel,a,b\n", columns: []string{"review=a", "review=b"}, final: `there are columns of labels, and several of reviews that they could belong to: give each review a row of its own, with a column system (columns: "diff", "con", "comp", "rel", "a", "b")`},
		{name: "reviews twice", in: "diff,reviews,system\n", final: `there is a column of reviews, and one of system, con, comp or rel for single ones: leave one out, as in --map reviews= (columns: "diff", "reviews", "system")`},
		{name: "UTF-16", in: "\xff\xfei\x00d\x00", final: "this is not text in UTF-8: save it as UTF-8"},
		{name: "Excel", in: "PK\x03\x04", final: "this is a zip archive, as Excel's files are: save the table as CSV"},
		{name: "Parquet from a pipe", in: "PAR1", final: "this is Parquet, whose table of contents is at its end: give the name of a file, not a pipe or a packed one"},
		{name: "Parquet as CSV", in: "PAR1", format: "csv", final: "this is Parquet, not csv"},
		{name: "no Parquet", in: "id", format: "parquet", final: "this is not a Parquet file: it does not begin with PAR1"},
		{name: "a map of JSON Lines", in: `{"id":"1","diff":"@@"}`, file: "-", columns: []string{"diff=x"}, final: `there is no column "x" for diff (columns: "diff", "id")`},
		{name: "unknown format", format: "xml", final: `unknown format "xml": choose one of jsonl, json, csv, parquet`},
		{name: "no separator", comma: '"', final: `'"' cannot separate cells: choose one character like , ; or |, or a tab`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			columns, err := ParseColumns(tt.columns)
			if err != nil {
				t.Fatal(err)
			}
			if tt.file == "" {
				tt.file = "data.csv"
			}
			about, recs, bad, final := openAll(Source{Name: tt.file, Text: strings.NewReader(tt.in)}, Options{Format: tt.format, Columns: columns, Comma: tt.comma})
			if tt.about != "" && about != tt.about {
				t.Errorf("about: %s\nwant   %s", about, tt.about)
			}
			if d := cmp.Diff(tt.recs, showAll(recs)); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(tt.bad, bad); d != "" {
				t.Error(d)
			}
			if final == nil && tt.final != "" || final != nil && final.Error() != tt.final {
				t.Errorf("%v, want %s", final, tt.final)
			}
		})
	}
}

func TestParseColumns(t *testing.T) {
	for in, want := range map[string]string{
		"diff":           `"diff" is not FIELD=COLUMN`,
		"text=x":         `there is no field "text": choose from id, lang, path, repo, pull, diff, old, new, review, review:NAME, system, con, comp, rel, claims, claims:NAME, smells, reviews, refs_edited`,
		"diff:a=x":       `there is no field "diff:a"`,
		"claims:=x":      `there is no field "claims:"`,
		"id=a,id=b":      `"id" is given twice`,
		"id=a=b,path= p": "",
	} {
		_, err := ParseColumns(strings.Split(in, ","))
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: %v, want %s", in, err, want)
		}
	}
}

// TestUngroupedTables refuses a table that was put together system by system, before the
// first record if it can be read twice.
func TestUngroupedTables(t *testing.T) {
	in := "id,diff,system,review\n1,@@,a,One.\n1,,b,\"Two\nlines\"\n2,@@,a,x\nbroken\n1,@@,c,Three.\n"
	want := `line 7: change "1" began on line 2, and other changes follow there: sort the table by id, so that the rows of a change follow each other (pandas: df.sort_values("id", kind="stable")); only a table of at most 64 MiB is read in any order`
	large := Options{group: 1}
	_, recs, _, err := openAll(Source{Name: "a.csv", Text: strings.NewReader(in)}, large)
	if err == nil || err.Error() != want || len(recs) != 2 {
		t.Errorf("a pipe: %v, %d records", err, len(recs))
	}
	file := func(in string) Source {
		return Source{Name: "a.csv", Text: strings.NewReader(in), File: strings.NewReader(in), Size: int64(len(in))}
	}
	_, recs, _, err = openAll(file(in), large)
	if err == nil || err.Error() != want || len(recs) != 0 {
		t.Errorf("a file: %v, %d records", err, len(recs))
	}
	b := writeParquet(t, []flat{{ID: of(int64(7)), Patch: of("@@"), System: "a"}, {ID: of(int64(8)), Patch: of("@@"), System: "a"}, {ID: of(int64(7)), System: "b"}})
	if _, recs, _, err := openParquetBytes(b, large); err == nil || !strings.HasPrefix(err.Error(), `row 3: change "7" began on row 1, and`) || len(recs) != 0 {
		t.Errorf("Parquet: %v, %d records", err, len(recs))
	}
	// A table that is small enough may have any order. A row that cannot be read stays where it is.
	for name, src := range map[string]Source{"a pipe": {Name: "a.csv", Text: strings.NewReader(in)}, "a file": file(in)} {
		_, recs, bad, err := openAll(src, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got := append(showAll(recs), bad...)
		if d := cmp.Diff([]string{`line 2 #1 1   "@@"; a: "One."; b: "Two\nlines"; c: "Three."`, `line 5 #2 2   "@@"; a: "x"`, "line 6: the row has 1 cells, and the header 4"}, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if _, recs, _, err := openParquetBytes(b, Options{}); err != nil || len(recs) != 2 || len(recs[0].Reviews) != 2 {
		t.Errorf("Parquet: %v, %v", err, recs)
	}
	// Without systems each row is a change, and an id may come again.
	for _, ok := range []string{strings.ReplaceAll(in, "system", "other"), strings.Replace(in, "\n1,@@,c", "\n3,@@,c", 1)} {
		if _, _, _, err := openAll(file(ok), Options{}); err != nil {
			t.Errorf("%s: %v", ok, err)
		}
	}
	if _, _, _, err := openAll(file(in), Options{Columns: Columns{{Field: "id"}}}); err != nil {
		t.Errorf("numbered rows: %v", err)
	}
}

// TestEmptyCells reads empty cells as reviews that are missing, or that say nothing.
func TestEmptyCells(t *testing.T) {
	in := "id,diff,system,review\n1,@@,a,\n1,,b,\"\"\n1,,,\n2,@@,a,x\n2,@@,b,\n"
	missing := ` (the review is missing: the cell of "review" is empty (a review that says nothing is written ""))`
	sums := map[string]bool{}
	for _, tt := range []struct {
		option string
		empty  int
		want   []string
	}{
		{"", 2, []string{`line 2 #1 1   "@@"; a: ""` + missing + `; b: ""`, `line 5 #2 2   "@@"; a: "x"; b: ""` + missing}},
		{EmptyIsMissing, 2, []string{`line 2 #1 1   "@@"; a: ""` + missing + `; b: ""`, `line 5 #2 2   "@@"; a: "x"; b: ""` + missing}},
		{EmptyIsReview, 0, []string{`line 2 #1 1   "@@"; a: ""; b: ""`, `line 5 #2 2   "@@"; a: "x"; b: ""`}},
	} {
		r, err := Open(Source{Name: "a.csv", Text: strings.NewReader(in)}, Options{EmptyCells: tt.option})
		if err != nil {
			t.Fatal(err)
		}
		r.KeepSum()
		var recs []Record
		for {
			rec, err := r.Next()
			if err != nil {
				break
			}
			recs = append(recs, rec)
		}
		if d := cmp.Diff(tt.want, showAll(recs)); d != "" || r.EmptyCells() != tt.empty {
			t.Errorf("%q: %d empty cells\n%s", tt.option, r.EmptyCells(), d)
		}
		sums[r.Sum()] = true
	}
	if len(sums) != 2 {
		t.Errorf("%d checksums", len(sums))
	}
}

func TestSuggestions(t *testing.T) {
	record := `"id":"1","diff":"@@","reviews":[]`
	for _, tt := range []struct{ name, in, want string }{
		{"a.csv", "id,dif,review\n", `there is no column diff or patch (columns: "id", "dif", "review"; is "dif" meant as "diff"?): say`},
		{"a.csv", "id,diff,review,con,comp,reel\n", `labels need the columns con, comp and rel (columns: "id", "diff", "review", "con", "comp", "reel"; is "reel" meant as "rel"?)`},
		{"a.csv", "", "it is empty: the first line of a table names its columns"},
		{"a.parquet", "", "this is not a Parquet file: it does not begin with PAR1"},
		{"a.jsonl", "{" + record + `,"claims":{"gpt4o":["a"],"magicoder":["b"]}}`, `line 1: the first change has no set of claims "magicodr" (sets: "gpt4o", "magicoder"; did you mean "magicoder"?); where a set is missing on purpose, write "claims": {"magicodr": null}`},
		{"a.jsonl", "{" + record + "}", `(sets: none)`},
		{"a.jsonl", "{" + record + `,"claims":{"magicodr":null}}`, ""},
		{"a.csv", "id,diff,claims:magicoder\n1,@@,\n", `line 2: the first change has no set of claims "magicodr" (sets: "magicoder"; did you mean "magicoder"?)`},
		{"a.csv", "id,diff,claims:magicodr\n1,@@,\n2,@@,x\n", ""},
		{"a.csv", "id,diff,claims\n1,@@,\"{\"\"magicodr\"\":[]}\"\n", ""},
	} {
		_, _, bad, err := openAll(Source{Name: tt.name, Text: strings.NewReader(tt.in)}, Options{ClaimSets: []string{"magicodr"}})
		if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) || bad != nil {
			t.Errorf("%q: %v, want %s (%q)", tt.in, err, tt.want, bad)
		}
	}
	_, err := Open(Source{Name: "a.csv", Text: strings.NewReader("number,Patch\n")}, Options{Columns: Columns{{Field: "diff", Column: "patch"}}})
	if want := `there is no column "patch" for diff (columns: "number", "Patch"; did you mean "Patch"?)`; err == nil || err.Error() != want {
		t.Error(err)
	}
	if _, err := ParseColumns([]string{"dif=x"}); err == nil || !strings.HasSuffix(err.Error(), `; did you mean "diff"?`) {
		t.Error(err)
	}
	r, err := Open(Source{Name: "a.csv", Text: strings.NewReader("id,diff,review,systm\n")}, Options{})
	if err != nil || !strings.HasSuffix(r.About(), `not used: "systm"; is "systm" meant as "system"?`) {
		t.Error(err, r.About())
	}
}

// TestCSVLimits leaves out what is too long, and goes on behind it.
func TestCSVLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("large rows")
	}
	long := strings.Repeat("a", limits.LineBytes) + "\n"
	for name, cell := range map[string]string{"plain": long[:len(long)-1] + "b", "quoted": `"` + long + `b"`} {
		in := "id,diff,review\n1,@@,x\n2,@@," + cell + "\n3,@@,x\n"
		_, recs, bad, err := openAll(Source{Name: "a.csv", Text: strings.NewReader(in)}, Options{})
		if err != nil || len(recs) != 2 || recs[1].ID != "3" || len(bad) != 1 || !strings.HasPrefix(bad[0], "line 3: the row is longer than the limit of 64 MiB (or a quote is not closed)") {
			t.Errorf("%s: %d records, %.200q, %v", name, len(recs), bad, err)
		}
	}
	half := strings.Repeat("a", limits.LineBytes/2)
	_, recs, bad, err := openAll(Source{Name: "a.csv", Text: strings.NewReader("id,diff,review\n1,@@," + half + "\n1,@@," + half + "\n1,@@,x\n2,@@,x\n")}, Options{})
	if err != nil || len(recs) != 2 || len(recs[0].Reviews) != 2 || len(bad) != 1 || bad[0] != `line 4: change "1" has more than 64 MiB of reviews` {
		t.Errorf("%d records, %q, %v", len(recs), bad, err)
	}
	many := "id,diff,review\n1,@@,x\n" + strings.Repeat("1,,x\n", limits.ChangeReviews) + "2,@@,x\n"
	if _, recs, bad, err = openAll(Source{Name: "a.csv", Text: strings.NewReader(many)}, Options{}); err == nil || len(recs) > 0 || len(bad) > 0 || !strings.HasPrefix(err.Error(), `line 50002: change "1" has more than 50000 reviews: `) {
		t.Errorf("%d records, %q, %v", len(recs), bad, err)
	}
	if _, err := Open(Source{Name: "a.csv", Text: strings.NewReader("diff" + strings.Repeat(",", limits.TableColumns) + "\n")}, Options{}); err == nil || err.Error() != "the header: 4097 columns are more than the limit of 4096" {
		t.Error(err)
	}
}

// TestTableSums has the same checksums for a table in every form, and others for other
// values; shards see all changes, each once, and each malformed row once.
func TestTableSums(t *testing.T) {
	comma := "id,diff,system,review\n1,@@,a,One.\n1,,b,Two.\nbroken\n2,@@,a,\"Line\n2\"\n3,@@,a,x\n"
	sums := func(in string, o Options) (out []string) {
		r, err := Open(Source{Name: "a.csv", Text: strings.NewReader(in)}, o)
		if err != nil {
			t.Fatal(err)
		}
		r.KeepSum()
		for {
			rec, err := r.Next()
			if errors.Is(err, io.EOF) {
				return append(out, r.Sum(), fmt.Sprint(r.Lines()))
			}
			if err == nil {
				out = append(out, rec.Sum)
			}
		}
	}
	want := sums(comma, Options{})
	if len(want) != 5 || want[0] == want[1] || want[2] != want[3] || want[4] != "3" {
		t.Fatal(want)
	}
	if d := cmp.Diff(want, sums("\ufeff"+strings.ReplaceAll(strings.ReplaceAll(comma, ",", ";"), "One.", `"One."`), Options{})); d != "" {
		t.Error(d)
	}
	for name, other := range map[string][]string{
		"a value":           sums(strings.Replace(comma, "One", "1ne", 1), Options{}),
		"an empty text":     sums(strings.Replace(comma, "1,,b", `1,"@@",b`, 1), Options{}),
		"another map":       sums(comma, Options{Columns: Columns{{Field: "review", Name: "", Column: "system"}, {Field: "system", Column: "review"}}}),
		"a row that is not": sums(strings.Replace(comma, "broken\n", "", 1), Options{})[1:],
	} {
		if other[0] == want[0] {
			t.Errorf("%s makes no difference", name)
		}
	}
	for n := 1; n <= 4; n++ {
		var all []string
		bad := 0
		for shard := range n {
			r, err := Open(Source{Name: "a.csv", Text: strings.NewReader(comma)}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			r.KeepSum()
			r.Only(func(number int) bool { return number%n == shard })
			for {
				rec, err := r.Next()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					bad++
					continue
				}
				all = append(all, fmt.Sprintf("%d %s", rec.Number, rec.Sum))
			}
			if r.Sum() != want[3] || r.Lines() != 3 {
				t.Error(r.Sum(), r.Lines())
			}
		}
		if len(all) != 3 || bad != 1 {
			t.Errorf("%d shards: %d malformed rows, %q", n, bad, all)
		}
	}
}

func FuzzCSV(f *testing.F) {
	f.Add("id,diff,review\n1,@@,\"a\"\"b\nc\"\n", "")
	f.Add("id;diff;system;con;comp;rel;smells\n1;@@;a;1;1;1;[\"x\"]\n1;;b;;;;\n", "review=system,system=")
	f.Add("diff\t\"claims:a\"\n\"@@\r\n", "diff=diff")
	f.Fuzz(func(t *testing.T, in, columns string) {
		var m Columns
		if columns != "" {
			var err error
			if m, err = ParseColumns(strings.Split(columns, ",")); err != nil {
				return
			}
		}
		_, recs, bad, _ := openAll(Source{Name: "a.csv", Text: strings.NewReader(in)}, Options{Columns: m})
		for _, b := range bad {
			if !strings.HasPrefix(b, "line ") {
				t.Errorf("error without its line: %q", b)
			}
		}
		lines := strings.Count(in, "\n") + 1
		for i, r := range recs {
			if r.Line < 2 || r.Line > lines || r.Number != i+1 {
				t.Errorf("record %d is number %d, on line %d of %d", i, r.Number, r.Line, lines)
			}
			if strings.ContainsRune(r.Diff, 0) || r.ID == "" {
				t.Errorf("%+v", r)
			}
		}
	})
}

// BenchmarkCSV reads what BenchmarkNext does.
func BenchmarkCSV(b *testing.B) {
	row := "7,py,\"@@ -1 +1 @@\n-a\n+b\n\",\"" + strings.Repeat("x = 1\n", 2000) + "\",s,Why?\n"
	data := "id,lang,diff,old,system,review\n"
	for i := range 100 {
		data += fmt.Sprint(i) + row
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, recs, bad, err := openAll(Source{Name: "a.csv", Text: strings.NewReader(data)}, Options{}); len(recs) != 100 || bad != nil || err != nil {
			b.Fatal(len(recs), bad, err)
		}
	}
	b.ReportMetric(float64(100*b.N)/b.Elapsed().Seconds(), "rows/s")
}

// TestParseMap maps the fields of something else than a dataset.
func TestParseMap(t *testing.T) {
	fields := []Field{{Name: "path"}, {Name: "line"}, {Name: "body", Many: true}}
	m, err := ParseMap(fields, []string{"path=file.name", "line=", "body=a", "body=b"})
	if err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]string{"path": "file.name true", "line": " true", "body": "a true", "side": " false"} {
		column, mapped := m.Of(field)
		if got := fmt.Sprint(column, " ", mapped); got != want {
			t.Errorf("%s: %q, want %q", field, got, want)
		}
	}
	for _, in := range []string{"diff=x", "line:a=x"} {
		if _, err := ParseMap(fields, []string{in}); err == nil || !strings.Contains(err.Error(), "choose from path, line, body") {
			t.Errorf("%s: %v", in, err)
		}
	}
}
