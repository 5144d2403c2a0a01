package sts

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestMarkdownSplit(t *testing.T) {
	long := "This line of the paragraph is long enough that one would have"
	tests := []struct {
		name, text string
		want       []string
	}{
		{"empty", "", nil},
		{"blank", " \n\t\r\n ", nil},
		{"no stop", "please rename this", []string{"please rename this"}},
		{"two", "This is fine. That is not!", []string{"This is fine.", "That is not!"}},
		{"question", "Why this? We have that. Right?", []string{"Why this?", "We have that.", "Right?"}},
		{"lower-case start", "let's wait! this is unused. ok?", []string{"let's wait!", "this is unused.", "ok?"}},
		{"interrobang", "Really?! Yes!! Sure.", []string{"Really?!", "Yes!!", "Sure."}},
		{"control characters", "a\x00b\x1b[31m is. \x07Next", []string{"a b [31m is.", "Next"}},
		{"invalid UTF-8", "bad \xff byte. Next", []string{"bad \uFFFD byte.", "Next"}},
		{"invisible", "\ufeffFoo\u200bBar. Baz", []string{"FooBar.", "Baz"}},
		{"CRLF", "One.\r\nTwo.\r\n\r\nThree", []string{"One.", "Two.", "Three"}},
		{"only punctuation", "... !!! ?", nil},
		{"only emoji", "👍 🎉", nil},

		// names, numbers, abbreviations
		{"dotted names", "Use foo.bar in file.py, not a.b.c. Then stop.", []string{"Use foo.bar in file.py, not a.b.c.", "Then stop."}},
		{"versions", "Needs 1.2.3 or v2.0. The timeout is 0.5 s.", []string{"Needs 1.2.3 or v2.0.", "The timeout is 0.5 s."}},
		{".NET", "This is a .NET file. It runs.", []string{"This is a .NET file.", "It runs."}},
		{"e.g.", "Use a set, e.g. HashSet, i.e. No order. Ok.", []string{"Use a set, e.g. HashSet, i.e. No order.", "Ok."}},
		{"in brackets", "A flag (e.g. Foo) or (i.e. Bar) vs. Baz w.r.t. Qux.", []string{"A flag (e.g. Foo) or (i.e. Bar) vs. Baz w.r.t. Qux."}},
		{"etc. inside", "Lists, sets etc. are fine.", []string{"Lists, sets etc. are fine."}},
		{"etc. last", "Lists, sets, etc. Maps too.", []string{"Lists, sets, etc.", "Maps too."}},
		{"etc. enclosed", "Some (lists, etc.) are. Others (etc.) Are not.", []string{"Some (lists, etc.) are.", "Others (etc.)", "Are not."}},
		{"No.", "See No. 5 and Fig. 2. No. This is wrong.", []string{"See No. 5 and Fig. 2.", "No.", "This is wrong."}},
		{"titles", "Ask Mr. Smith. He knows approx. Everything.", []string{"Ask Mr. Smith.", "He knows approx. Everything."}},
		{"flat list", "Two points: 1. Rename it. 2. Test it. Done.", []string{"Two points: 1. Rename it.", "2. Test it.", "Done."}},
		{"number last", "The limit is 2. Raise it.", []string{"The limit is 2.", "Raise it."}},
		{"URL", "See https://example.org/a.b?c=d. It helps.", []string{"See https://example.org/a.b?c=d.", "It helps."}},

		// ellipses, closers, spaced stops
		{"ellipsis inside", "this is odd... but fine. I think... We should", []string{"this is odd... but fine.", "I think...", "We should"}},
		{"ellipsis rune", "Hmm… maybe. Well… No", []string{"Hmm… maybe.", "Well…", "No"}},
		{"quotes", `He said "Stop." Then left.`, []string{`He said "Stop."`, "Then left."}},
		{"quote goes on", `The comment "Use a Set." should go. Ok?`, []string{`The comment "Use a Set." should go.`, "Ok?"}},
		{"brackets", "(Move it back.) Thanks. Done (I hope!)", []string{"(Move it back.)", "Thanks.", "Done (I hope!)"}},
		{"ternary", "It is a ? b : c here. Why ? Because.", []string{"It is a ? b : c here.", "Why ?", "Because."}},
		{"emoji", "Great!🎉 Thanks. 👍 Bye", []string{"Great!🎉", "Thanks.", "👍 Bye"}},
		{"CJK", "这是错的。为什么？改一下！好", []string{"这是错的。", "为什么？", "改一下！", "好"}},
		{"CJK quotes", "「はい。」と言った。次", []string{"「はい。」と言った。", "次"}},
		{"semicolon", "Rename it; then test.", []string{"Rename it; then test."}},

		// inline marks
		{"code span", "Use `foo. Bar? Baz` here. `x.y()`. Next", []string{"Use foo. Bar? Baz here.", "x.y().", "Next"}},
		{"double backticks", "Use ``a ` b. C`` now. Ok", []string{"Use a ` b. C now.", "Ok"}},
		{"code is no abbreviation", "Remove `etc`. Then go. Keep `vs`. Go", []string{"Remove etc.", "Then go.", "Keep vs.", "Go"}},
		{"unclosed backtick", "Use `foo here. Then bar", []string{"Use foo here.", "Then bar"}},
		{"emphasis", "**Note.** This is *really* bad. ***All*** ~~gone~~.", []string{"Note.", "This is really bad.", "All gone."}},
		{"not emphasis", "a * b and 2**n and __init__ and _x in ~/.config", []string{"a * b and 2**n and __init__ and _x in ~/.config"}},
		{"link", "See [the docs](https://a.b/c). And ![pic](x.png) a[i](x).", []string{"See the docs.", "And a[i](x)."}},
		{"escape", `\*args and \[x\]. Ok`, []string{"*args and [x].", "Ok"}},
		{"tags", "A <b>bold.</b> One<br>two<br/>three <kbd>x</kbd>", []string{"A bold.", "One", "two", "three x"}},
		{"not tags", "Use Map<String, Object> or List<a> if x<y. The <name> too", []string{"Use Map<String, Object> or List<a> if x<y.", "The <name> too"}},
		{"details", "<details>\n<summary>More</summary>\n\nText here.\n</details>", []string{"More", "Text here."}},
		{"comment", "A <!-- hidden. Text --> b.\n<!-- one\n\ntwo --> Shown", []string{"A b.", "Shown"}},
		{"control token", "Remove this.<|im_end|>", []string{"Remove this."}},

		// blocks
		{"bullets", "Points:\n- one\n* two\n+ three. Four", []string{"Points:", "one", "two", "three.", "Four"}},
		{"numbers", "1. First\n2) Second\n   goes on\n10. Tenth", []string{"First", "Second goes on", "Tenth"}},
		{"checkboxes", "- [ ] open\n- [x] done\n- [link](http://a/b) kept", []string{"open", "done", "link kept"}},
		{"headings", "# Title\nText\n## Two ##\n### C#\n#123 is open", []string{"Title", "Text", "Two", "C#", "#123 is open"}},
		{"underlined heading", "Title\n=====\nText\n---\nMore", []string{"Title", "Text", "More"}},
		{"quote", "> quoted text\n> goes on\nreply", []string{"quoted text goes on", "reply"}},
		{"nested", "> - a\n> - b\n>> c", []string{"a", "b", "c"}},
		{"alert", "> [!NOTE]\n> Careful.", []string{"Careful."}},
		{"table", "| File | Issue |\n|---|:-:|\n| `a.py` | Bad. Fix it |\n| b | ok |\n\nEnd", []string{"a.py Bad. Fix it", "b ok", "End"}},
		{"pipes in prose", "a || b is\nwrong | right", []string{"a || b is wrong | right"}},
		{"fence", "Do this:\n```go\nfoo()\n// A. B.\n```\nDone.", []string{"Do this:", "Done."}},
		{"tilde fence", "Do:\n~~~\n```\nx. y\n~~~\nDone.", []string{"Do:", "Done."}},
		{"unclosed fence", "Do:\n```\nx = 1\ny. z", []string{"Do:"}},
		{"fence in a quote", "> a\n> ```\n> x\nb", []string{"a", "b"}},
		{"fence in a list", "- a\n  ```\n  x\n  ```\n- b", []string{"a", "b"}},
		{"fence with a longer close", "````\n```\nx\n`````\nb", []string{"b"}},
		{"one-line fence is inline", "```x.y``` is odd. Ok", []string{"x.y is odd.", "Ok"}},
		{"only fences", "```go\nfoo(a)\n  bar\n```\n~~~\nbaz\n~~~", []string{"foo(a) bar", "baz"}},
		{"indented code", "Do:\n\n    x = 1\n\n    y = 2\nDone", []string{"Do:", "Done"}},
		{"only indented", "    All of it. Is indented.", []string{"All of it.", "Is indented."}},

		// line breaks
		{"wrapped", "This is a\nwrapped line. And\nanother one", []string{"This is a wrapped line.", "And another one"}},
		{"a sentence a line", "Rename the variable\nAdd a test\n`x` is unused\nUse 2 workers", []string{"Rename the variable", "Add a test", "x is unused", "Use 2 workers"}},
		{"labels", "nit: rename this\nnit: add a test", []string{"nit: rename this", "nit: add a test"}},
		{"unfinished line", "This is an instance of\nFoo, or of the\n`Bar` class", []string{"This is an instance of Foo, or of the Bar class"}},
		{"visibly wrapped", long + " wrapped it\nthere; the break before a name such as the one of that famous company\nIBM Research is within the sentence, which ends on this line. Ok",
			[]string{long + " wrapped it there; the break before a name such as the one of that famous company IBM Research is within the sentence, which ends on this line.", "Ok"}},
		{"long lines of their own", long + " wrapped\nAdd a test", []string{long + " wrapped", "Add a test"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := (Markdown{}).Split(tt.text)
			checkSentences(t, tt.text, got)
			if diff := cmp.Diff(tt.want, texts(got)); diff != "" {
				t.Errorf("Split(%q) (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestMarkdownSpans(t *testing.T) {
	text := "## Review\n\n- **Bad name.** Use `a. b`.\n> See [docs](http://x/y)\n> for more. ```x``` ok"
	var got []string
	for _, s := range (Markdown{}).Split(text) {
		got = append(got, text[s.Start:s.End])
	}
	want := []string{"Review", "**Bad name.**", "Use `a. b`.", "See [docs](http://x/y)\n> for more.", "```x``` ok"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
}

func TestPaperSplit(t *testing.T) {
	tests := []struct {
		text string
		want []Sentence
	}{
		{"", nil},
		{" \n. ? \n", nil},
		{"One. Two? Three.", []Sentence{{Text: "One", Start: 0, End: 3}, {Text: "Two", Start: 5, End: 8}, {Text: "Three.", Start: 10, End: 16}}},
		{"e.g. this!  Not split\n```\n- x", []Sentence{{Text: "e.g", Start: 0, End: 3}, {Text: "this! Not split", Start: 5, End: 21}, {Text: "```", Start: 22, End: 25}, {Text: "- x", Start: 26, End: 29}}},
	}
	for _, tt := range tests {
		got := (Paper{}).Split(tt.text)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("Split(%q) (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestNewSplitter(t *testing.T) {
	for name, signature := range map[string]string{"markdown": "markdown/3", "paper": "paper/1"} {
		s, err := NewSplitter(name, false)
		if err != nil {
			t.Fatal(err)
		}
		if s.Signature() != signature {
			t.Errorf("%s has the signature %q", name, s.Signature())
		}
	}
	_, err := NewSplitter("nltk", false)
	if err == nil || !strings.Contains(err.Error(), "markdown or paper") {
		t.Errorf("an unknown name gives %v, which does not list the choices", err)
	}
}

// hostile holds texts that are made to hurt, about size bytes each.
func hostile(size int) map[string]string {
	fill := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
	return map[string]string{
		"words":          fill("word "),
		"one word":       fill("x"),
		"backticks":      fill("`"),
		"lone backticks": fill("` "),
		"growing backticks": func() string {
			var b strings.Builder
			for n := 1; b.Len() < size; n++ {
				b.WriteString(strings.Repeat("`", n) + " ")
			}
			return b.String()
		}(),
		"quotes":            fill(">"),
		"quoted lines":      fill("> > > a\n"),
		"deep fence":        strings.Repeat(">", size/3) + "```\n" + fill("a\n"),
		"bullets":           fill("- "),
		"lines":             fill("\n"),
		"carriage returns":  fill("\r"),
		"fences":            fill("```\n"),
		"unclosed fence":    "```\n" + fill("a b. "),
		"comments":          fill("a<!--"),
		"comment lines":     fill("<!--\n-->"),
		"tags":              fill("<a "),
		"open links":        fill("[a]("),
		"links":             fill("[](/a)") + fill("1. "),
		"brackets":          fill("["),
		"closers":           fill(".)"),
		"stops":             fill("."),
		"spaced stops":      fill(". "),
		"openers":           "." + fill(" ("),
		"stops and openers": fill(". ("),
		"numbers":           fill(" ") + "x" + fill("1. "),
		"asterisks":         fill("*"),
		"spaced asterisks":  fill("a* "),
		"escapes":           fill("\\"),
		"table":             "|a|\n|-|\n" + fill("|x|\n"),
		"delimiters":        fill("a|\n|-|\n"),
		"one table row":     "a|\n|-|\n" + fill("|"),
		"wrapped lines":     fill("some words of a line that is wrapped\n"),
		"NULs":              fill("\x00"),
		"invalid":           fill("\xff\xfe"),
		"half a rune":       fill("\xe3\x80"),
		"wide stops":        fill("。"),
		"emoji":             fill("!🎉"),
		"closing tags":      fill(".</b>"),
	}
}

// checkSentences checks what holds for any text.
func checkSentences(t *testing.T, text string, got []Sentence) {
	t.Helper()
	end := 0
	for i, s := range got {
		switch {
		case s.Start < end || s.End <= s.Start || s.End > len(text):
			t.Fatalf("sentence %d spans [%d, %d) after %d in a text of %d bytes", i, s.Start, s.End, end, len(text))
		case s.Text == "" || !utf8.ValidString(s.Text):
			t.Fatalf("sentence %d is %q", i, s.Text)
		case strings.ContainsFunc(s.Text, unicode.IsControl) || strings.TrimSpace(s.Text) != s.Text || strings.Contains(s.Text, "  "):
			t.Fatalf("sentence %d is not clean: %q", i, s.Text)
		}
		if rest := notWithin(s.Text, text[s.Start:s.End]); rest != "" {
			t.Fatalf("sentence %d is %q, but %q is not in its span %q", i, s.Text, rest, text[s.Start:s.End])
		}
		end = s.End
	}
}

// notWithin returns what is left of the letters and digits of text after those
// of span were used up in order: "" when text was made from span alone.
func notWithin(text, span string) string {
	for _, r := range span {
		c, n := utf8.DecodeRuneInString(text)
		for n > 0 && !isAlnum(c) {
			text = text[n:]
			c, n = utf8.DecodeRuneInString(text)
		}
		if n > 0 && c == r {
			text = text[n:]
		}
	}
	return strings.TrimFunc(text, func(r rune) bool { return !isAlnum(r) })
}

func texts(sentences []Sentence) []string {
	var out []string
	for _, s := range sentences {
		out = append(out, s.Text)
	}
	return out
}

func FuzzSplit(f *testing.F) {
	for _, text := range hostile(64) {
		f.Add(text)
	}
	f.Add("## A\n\n1. **b.** `c. d` [e](f/g)\n> h\n```x\ny\n```\n| i | j |\n|---|---|\n| k | l |\n")
	f.Add("a <!-- b --> c.\n<details>d</details> e.g. f etc. G 「h。」i")
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range []Splitter{Markdown{}, Paper{}} {
			got := s.Split(text)
			checkSentences(t, text, got)
			if diff := cmp.Diff(got, s.Split(text)); diff != "" {
				t.Fatalf("%s differs from run to run: %s", s.Signature(), diff)
			}
		}
	})
}

// Real reviews, when they are there: every one gives sentences that fit, and
// all but the empty and the purely symbolic ones give at least one.
func TestSplitRealReviews(t *testing.T) {
	serial(t)
	dir := os.Getenv("CRSCORE_DATA")
	if dir == "" {
		t.Skip("CRSCORE_DATA is not set")
	}
	file, err := os.Open(filepath.Join(dir, "dev.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatal("CRSCORE_DATA has no dev.jsonl")
	} else if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reviews, count := 0, map[string]int{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var change struct{ Reviews []struct{ ID, Text string } }
		if err := json.Unmarshal(lines.Bytes(), &change); err != nil {
			t.Fatal(err)
		}
		for _, r := range change.Reviews {
			reviews++
			for _, s := range []Splitter{Markdown{}, Paper{}} {
				got := s.Split(r.Text)
				checkSentences(t, r.Text, got)
				count[s.Signature()] += len(got)
				if len(got) == 0 && strings.ContainsFunc(r.Text, isAlnum) {
					t.Errorf("%s: no sentence in %q", s.Signature(), r.Text)
				}
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d reviews, sentences: %v", reviews, count)
}

func BenchmarkSplit(b *testing.B) {
	review := strings.Repeat("## Summary\n\nThe change to `foo.bar()` is fine, e.g. for lists. Why not a set?\n\n- **Tests**: add one.\n- See [docs](https://example.org/a).\n\n```go\nfoo()\n```\n", 20)
	for _, s := range []Splitter{Markdown{}, Paper{}} {
		b.Run(s.Signature(), func(b *testing.B) {
			b.SetBytes(int64(len(review)))
			b.ReportAllocs()
			for b.Loop() {
				s.Split(review)
			}
		})
	}
}

func ExampleMarkdown() {
	review := "**Naming**: `a.b` is vague, e.g. for readers. Rename it?\n\n- Add a test"
	for _, s := range (Markdown{}).Split(review) {
		fmt.Printf("%d-%d %s\n", s.Start, s.End, s.Text)
	}
	// Output:
	// 0-45 Naming: a.b is vague, e.g. for readers.
	// 46-56 Rename it?
	// 60-70 Add a test
}
