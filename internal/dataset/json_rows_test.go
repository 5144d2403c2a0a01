package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/limits"
)

// TestJSONRows reads a review a row in every way that JSON has for rows, and in any order.
func TestJSONRows(t *testing.T) {
	rows := []string{
		`{"id": 7, "patch": "@@", "Model": "a", "comment": "nan"}`, `{"id":8,"patch":"@@","Model":"a","comment":"Two, [{\"\\\n"}`,
		`{"Model":"b","id":7.0,"patch":"@@","comment":null}`, `{"id":"8","patch":null,"Model":"b","comment":""}`,
	}
	missing := ` (the review is missing: the cell of "comment" is null (a review that says nothing is written ""))`
	pretty := "\ufeff [\r\n " + strings.ReplaceAll(strings.Join(rows, "\n,\n"), `, "`, ",\r\n  \"") + "\n]\n\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, pretty)
	z.Close()
	for name, in := range map[string]string{
		"lines": "\ufeff" + strings.Join(rows, "\r\n"), "an array": "[" + strings.Join(rows, ",") + "]", "pretty": pretty, "packed": packed.String(),
	} {
		where, about := "row %d", "JSON"
		if name == "lines" {
			where, about = "line %d", "JSON Lines, a review a row"
		}
		want := []string{
			fmt.Sprintf(where, 1) + ` #1 7   "@@"; a: "nan"; b: ""` + missing,
			fmt.Sprintf(where, 2) + ` #2 8   "@@"; a: "Two, [{\"\\\n"; b: ""`,
		}
		got, recs, bad, err := openAll(Source{Name: "-", Text: strings.NewReader(in)}, Options{})
		if d := cmp.Diff(want, append(showAll(recs), bad...)); err != nil || d != "" {
			t.Errorf("%s: %v\n%s", name, err, d)
		}
		if want := about + ", columns: id, diff=patch, review=comment, system=Model; taken by their names: review=comment, system=Model (--map says otherwise)"; got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestJSONShapes tells rows from the interchange format, and refuses by name what has no rows.
func TestJSONShapes(t *testing.T) {
	row := `{"id":1,"diff":"@@","review":"x"}`
	review := `line 1 #1 1   "@@"; review: "x"`
	for _, tt := range []struct {
		name, in, columns string
		want              []string
		final             string
	}{
		{name: "nested", in: `[{"id":1,"diff":"@@","reviews":[{"id":"a","text":"x"}],"review":"y"}]`, want: []string{`row 1 #1 1   "@@"; a: "x"`}},
		{name: "CodeReviewer", in: `{"idx":1,"patch":"@@","msg":"x","comment":"y"}`, want: []string{`line 1 #1 1   "@@"; msg: "x"`}},
		{name: "a system of msg", in: `{"idx":1,"patch":"@@","msg":"x","system":"s"}`, want: []string{`line 1 #1 1   "@@"; s: "x"`}},
		{name: "no reviews yet", in: `{"id":1,"diff":"@@"}`, want: []string{`line 1 #1 1   "@@"`}},
		{name: "first null", in: `{"id":1,"diff":"@@","review":null}` + "\n" + `{"id":2,"diff":"@@","review":"x"}`,
			want: []string{`line 1 #1 1   "@@"; review: "" (the review is missing: the cell of "review" is null (a review that says nothing is written ""))`, `line 2 #2 2   "@@"; review: "x"`}},
		{name: "other keys", in: row + "\n" + `{"id":2,"review":"y","diff":"@@","path":"b.go","more":{}}`, want: []string{review, `line 2 #2 2  b.go "@@"; review: "y"`}},
		{name: "a late key", in: row + strings.Repeat("\n"+row, 40_000) + "\n" + `{"id":2,"review":"y","diff":"@@","Path":"b.go"}`,
			want: []string{`line 40002: the key "Path" is in none of the first rows, which say what is read: write it there, too, with null where nothing is known`}},
		{name: "bad elements", in: `[` + row + `, {"id": }, 7, null, [{}], {"id":2,"diff":"@@","review":5}, {"diff":"@@","diff":"","id":3},, {"id":4,"diff":"@@","review":"x"},]`, want: []string{
			`row 1 #1 1   "@@"; review: "x"`, `row 9 #2 4   "@@"; review: "x"`,
			"row 2: not JSON: invalid character '}' looking for beginning of value (byte 8 of the line)", "row 3: not a JSON object but of type number",
			"row 4: not a JSON object but null", "row 5: not a JSON object but of type array", `row 6: "review": a JSON number may not stand here`, `row 7: the key "diff" stands twice`,
		}},
		{name: "a line end in a text", in: "[{\"id\":1,\"diff\":\"@\n@\",\"review\":\"x\"}]", want: []string{`row 1: not JSON: invalid character '\r' in string literal (byte 18 of the line)`}},
		{name: "NaN", in: "[{\"id\":1,\"lang\":NaN,\"diff\":\"@@\",\"review\":\"x NaN\"}]", want: []string{`row 1 #1 1   "@@"; review: "x NaN"`}},
		{name: "several lines", in: "{\n \"id\": 1,\n \"diff\": \"@@\", \"review\": \"}\"\n}\n{\n \"id\": 2, \"diff\": \"@@\",\n \"review\": \"x\"\n}\n{\n", want: []string{
			`row 1 #1 1   "@@"; review: "}"`, `row 2 #2 2   "@@"; review: "x"`, "row 3: not JSON: the line ends in the middle of a value",
		}},
		{name: "msg and model", in: `{"idx":1,"patch":"@@","msg":"x","model":"m"}`, final: `msg is the person's review in CodeReviewer's rows, and model could say whose it is: say so, as in --map review=msg,system=model, or --map system=`},
		{name: "below a key", in: `{"features":[],"rows":[{"id":1}]}`, final: `say which ones hold the diff and the review, as in --map diff=COLUMN,review=COLUMN; the rows seem to stand below "rows": take them out, as with jq -c '.rows[]'`},
		{name: "cut", in: "[" + row + `,{"id":2,"diff":"@@","review":"x"},{"id":3`, want: []string{"row" + review[4:]}, final: "the JSON array has no end: unexpected EOF"},
		{name: "more", in: "[" + row + `,{"id":2,"diff":"@@","review":"x"}]` + "\n" + row, want: []string{"row" + review[4:]}, final: "text follows the end of the JSON array"},
		{name: "mapped", in: `{"number":1,"change":"@@","said":"x","text":"y","tool":"t"}`, columns: "id=number,diff=change,review:bot=said,system=", want: []string{`line 1 #1 1   "@@"; bot: "x"`}},
		{name: "mapped and nested", in: `{"id":1,"change":"@@","reviews":[{"id":"a","text":"x"}],"repo":"r","pull":3}`, columns: "diff=change", want: []string{`line 1 #1 1   "@@"; a: "x"`}},
		{name: "a row among changes", in: `{"id":1,"diff":"@@","reviews":[]}` + "\n" + row, want: []string{`line 1 #1 1   "@@"`, `line 2: this row is a review, with the field "review", and a change with "reviews" was expected`}},
		{name: "no diff", in: `{"id":1,"change":"@@","comment":"x"}`, final: `there is no column diff or patch (columns: "change", "comment", "id"): say which one holds the diff, as in --map diff=COLUMN`},
		{name: "nothing", in: `{"id":1,"change":"@@","said":"x"}`, final: `say which ones hold the diff and the review, as in --map diff=COLUMN,review=COLUMN`},
		{name: "two names", in: `{"id":1,"diff":"@@","text":"x","BODY":"y"}`, final: `"BODY", "text" could each be the review: say which, as in --map review=BODY, or none, as in --map review=`},
		{name: "columns", in: `{"id":{"0":1},"diff":{"0":"@@"}}`, final: `this is what to_json(orient="columns") of pandas writes: write the rows with df.to_json("FILE", orient="records", lines=True)`},
		{name: "index", in: `{"0":{"id":1}}`, final: `to_json(orient="index")`},
		{name: "split", in: `{"columns":["id"],"index":[0],"data":[[1]]}`, final: `to_json(orient="split")`},
		{name: "table", in: `{"schema":{"fields":[]},"data":[{"id":1}]}`, final: `to_json(orient="table")`},
		{name: "values", in: `[[1,"@@"]]`, final: `to_json(orient="values")`},
	} {
		var o Options
		if tt.columns != "" {
			var err error
			if o.Columns, err = ParseColumns(strings.Split(tt.columns, ",")); err != nil {
				t.Fatal(err)
			}
		}
		_, recs, bad, err := openAll(Source{Name: "-", Text: strings.NewReader(tt.in)}, o)
		if tt.name == "a late key" {
			recs = nil
		}
		if d := cmp.Diff(tt.want, append(showAll(recs), bad...)); d != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
		if (err != nil) != (tt.final != "") || err != nil && !strings.HasSuffix(err.Error(), tt.final) && !strings.Contains(err.Error(), tt.final+" of pandas") {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.final)
		}
	}
}

// TestUsualNames takes columns by the names that others give them, and leaves alone what those
// names could change.
func TestUsualNames(t *testing.T) {
	for header, want := range map[string]string{
		"ID,Diff,Review,SYSTEM":             "id=ID, diff=Diff, review=Review, system=SYSTEM",
		"diff,Review Comment,tool,Language": "diff, lang=Language, review=Review Comment, system=tool",
		"diff,review,comment,model":         "diff, review, system=model",
		"diff,msg,model":                    "msg is the person's review in CodeReviewer's rows, and model could say whose it is: say so, as in --map review=msg,system=model, or --map system=",
		"diff,review:a,review:b,text,model": "diff, review:a, review:b",
		"diff,reviews,text,model":           "diff, reviews",
		"diff,text,relevance":               "diff, review=text",
		"diff,text,Rel,Con,COMP":            "diff, review=text, con=Con, comp=COMP, rel=Rel",
		"diff,DIFF,text":                    "diff, review=text",
		"Diff,DIFF,text":                    `"Diff", "DIFF" could each be the diff`,
		"diff,text,tool,model":              `"tool", "model" could each be the system: say which, as in --map system=tool, or none, as in --map system=`,
	} {
		cols, _, err := (Columns)(nil).bind(strings.Split(header, ","), false)
		var got []string
		for _, c := range cols {
			switch {
			case c.Field == c.Column || c.field() == c.Column:
				got = append(got, c.Column)
			case c.Column == "msg":
				got = append(got, "msg")
			default:
				got = append(got, c.String())
			}
		}
		text := strings.Join(got, ", ")
		if err != nil {
			text = err.Error()
		}
		if !strings.HasPrefix(text, want) || err == nil && text != want {
			t.Errorf("%s: %s, want %s", header, text, want)
		}
	}
}

// TestManyKeys is quick with a late row of many keys.
func TestManyKeys(t *testing.T) {
	var b strings.Builder
	row := `{"id":1,"diff":"@@","review":"x"`
	for i := range 1000 {
		row += fmt.Sprintf(`,"n%d":0`, i)
	}
	b.WriteString(strings.Repeat(row+"}\n", 1+sampleBytes/len(row)) + `{"id":2,"diff":"@@","review":"y"`)
	for i := range 20_000 {
		fmt.Fprintf(&b, `,"k%d":0`, i)
	}
	start := time.Now()
	_, _, _, _ = openAll(Source{Name: "-", Text: strings.NewReader(b.String() + "}\n")}, Options{})
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestHugeArray reads an array in memory that does not grow with it, and goes on behind an
// element that is too long.
func TestHugeArray(t *testing.T) {
	row := `{"id":1,"diff":"@@","reviews":[{"id":"a","text":"x"}]},`
	in := io.MultiReader(strings.NewReader("["), strings.NewReader(strings.Repeat(row, 50_000)),
		strings.NewReader(`{"id":"`), io.LimitReader(zeros{}, limits.LineBytes), strings.NewReader(`"},`+row[:len(row)-1]+"]"))
	r, err := Open(Source{Name: "-", Text: in}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	n, bad := 0, 0
	for {
		_, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.As(err, new(*LineError)) {
			bad++
		} else if err != nil {
			t.Fatal(err)
		} else {
			n++
		}
	}
	if n != 50_001 || bad != 1 || r.Lines() != 50_002 {
		t.Errorf("%d changes, %d bad, %d elements", n, bad, r.Lines())
	}
}

type zeros struct{}

func (zeros) Read(to []byte) (int, error) {
	for i := range to {
		to[i] = '0'
	}
	return len(to), nil
}

// FuzzArray holds that an array gives the elements that encoding/json finds in it.
func FuzzArray(f *testing.F) {
	for _, in := range []string{`[]`, `[1,"a,]\"\\",{"b":[2,{}]}]`, " [\n{\n}\n,\n[ ]\n] \n", `[,]`, `[1`, `[1]]`, "[\"\\\n\"]"} {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		if !strings.HasPrefix(in, "[") {
			return
		}
		text := lines{raw: strings.NewReader(in)}
		if err := text.open(); err != nil {
			return
		}
		text.elements([]byte(in))
		var got []string
		for {
			b, _, err := text.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				got = nil
				if valid(in) != nil {
					t.Fatalf("%q: %v", in, err)
				}
				return
			}
			got = append(got, compact(string(b)))
		}
		if want := valid(in); want != nil && cmp.Diff(want, got) != "" {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	})
}

// valid returns the elements of a text that is a JSON array with some, and nil for others.
func valid(in string) (out []string) {
	var raw []json.RawMessage
	if json.Unmarshal([]byte(in), &raw) != nil {
		return nil
	}
	for _, v := range raw {
		out = append(out, compact(string(v)))
	}
	return out
}

func compact(in string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(in)) != nil {
		return in
	}
	return b.String()
}

// FuzzJSON reads any text as JSON. Whatever is read has an id, and every error its place.
func FuzzJSON(f *testing.F) {
	for _, in := range []string{
		`{"id":1,"diff":"@@","review":"x"}`, `[{"id":1.0,"Patch":"@@","model":"a","text":null},{"id":1,"model":"b","text":"y"}]`,
		`{"id":{"0":1}}`, `[[1]]`, `{"id":1,"diff":"@@","reviews":[{"id":"a","text":"x"}]}` + "\n" + `{"id":2,"review":"x"}`, `[{"diff":"@@","review":5},{},`,
	} {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		_, recs, bad, _ := openAll(Source{Name: "a.json", Text: strings.NewReader(in)}, Options{group: 100})
		for _, b := range bad {
			if !strings.HasPrefix(b, "line ") && !strings.HasPrefix(b, "row ") {
				t.Errorf("error without its place: %q", b)
			}
		}
		for i, r := range recs {
			if r.Line < 1 || r.Number < 1 || i > 0 && r.Number <= recs[i-1].Number {
				t.Errorf("record %d: %+v", i, r)
			}
		}
	})
}

// late fails a test that waits for it.
type late struct{ *testing.T }

func (l late) Read([]byte) (int, error) {
	l.Error("a row that is there is read only when the next ones are, too")
	return 0, io.EOF
}

// TestPipe: rows with a change each are read as they come, behind what reads ahead.
func TestPipe(t *testing.T) {
	row := `{"id": "a", "diff": "@@ -1 +1 @@\n-a\n+b\n", "reviews": [{"id": "s", "text": "Fine."}]}` + "\n"
	blank := strings.Repeat("\n", 1<<17)
	d, err := Open(Source{Text: io.MultiReader(strings.NewReader(blank+row+blank), late{t})}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if rec, err := d.Next(); err != nil || rec.ID != "a" {
		t.Fatalf("%+v, %v", rec, err)
	}
}
