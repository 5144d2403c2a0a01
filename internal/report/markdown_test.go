package report

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	unsafe "github.com/yuin/goldmark/renderer/html"
)

func TestMarkdown(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a-b. (c)", "a-b. (c)"},
		{"The method `get` of snake_case takes `default: list[str]`.", "The method <code>get</code> of snake_case takes <code>default: list[str]</code>."},
		{"``a ` b`` and `", "<code>a \\` b</code> and \\`"},
		{"`__init__` and __init__", `<code>\_\_init\_\_</code> and \_\_init\_\_`},
		{"a < b && c > d * e", "a < b && c > d * e"},
		{"- a", `\- a`},
		{"12. a 1.5", `12\. a 1.5`},
		{"1) a", `1\) a`},
		{"2.5 seconds", "2.5 seconds"},
		{"# a #12 #b !3", "\\# a #&#8203;12 #b !&#8203;3"},
		{"see WWW.x.y https://x", "see WWW&#46;x.y https&#58;//x"},
		{"![a](b) [c] $d$ \\* \\d", `![a\](b) [c] &#36;d&#36; \\\* \d`},
		{"<b>@you</b> and a@b.c | d", "&lt;b>@&#8203;you&lt;/b> and a@&#8203;b.c \\| d"},
		{"`@Override` <!-- &lt; &x", "<code>@Override</code> &lt;!-- &amp;lt; &x"},
		{"~~a~~ [^1] [x][y]", `\~\~a\~\~ \[^1] [x\][y]`},
		{"GH-1 gh-22 G-1 `GH-1`", "GH-&#8203;1 gh-&#8203;22 G-1 <code>GH-1</code>"},
		{"0123456789abcdef0123456789abcdef01234567 (0123456789abcdef0123456789abcdef01234567) 0123456789abcdef0123456789abcdef01234567f `0123456789abcdef0123456789abcdef01234567`", "0&#8203;123456789abcdef0123456789abcdef01234567 (0&#8203;123456789abcdef0123456789abcdef01234567) 0123456789abcdef0123456789abcdef01234567f <code>0123456789abcdef0123456789abcdef01234567</code>"},
		{"a\n\n    b\x1b[2J", "a      b[2J"},
	} {
		if got := Markdown(c.in); got != c.want {
			t.Errorf("%q: %s, want %s", c.in, got, c.want)
		}
	}
}

var aTag = regexp.MustCompile(`<[^>]*>`)

// shownBy is what a renderer of GitHub's Markdown shows of a page that has a text in each
// place where it can stand: the tags, and the text between markers.
func shownBy(t *testing.T, text string) (tags, shown []string) {
	t.Helper()
	md := Markdown(text)
	page := "A" + md + "Z\n\n- A " + md + " Z\n- " + md + "\n\n## " + md + "\n\n| a | b |\n| --: | :-- |\n| 1 | " + md + ": " + md + " |\n\n<sub>" + md + "</sub>\n\n" + md + "\n"
	var out bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote), goldmark.WithRendererOptions(unsafe.WithUnsafe())).Convert([]byte(page), &out); err != nil {
		t.Fatal(err)
	}
	for _, tag := range aTag.FindAllString(out.String(), -1) {
		if tag != "<code>" && tag != "</code>" {
			tags = append(tags, tag)
		}
	}
	for line := range strings.Lines(html.UnescapeString(aTag.ReplaceAllString(out.String(), ""))) {
		if line = plainWords(line); line != "" {
			shown = append(shown, line)
		}
	}
	return tags, shown
}

// plainWords is a text without spaces, backticks and what parts references.
func plainWords(s string) string {
	return strings.NewReplacer("`", "", "\u200b", "").Replace(strings.Join(strings.Fields(s), ""))
}

// checkMarkdown holds a text against a harmless one: the same tags come out, and the text
// is shown as it is.
func checkMarkdown(t *testing.T, text string) {
	t.Helper()
	want, _ := shownBy(t, "word")
	got, shown := shownBy(t, text)
	if strings.Join(got, "") != strings.Join(want, "") {
		t.Errorf("%q is %q, which renders as %v", text, Markdown(text), got)
	}
	w := plainWords(Plain(text))
	if all := strings.Join(shown, "\n"); strings.Count(all, w) < 7 {
		t.Errorf("%q is %q, which shows\n%s", text, Markdown(text), all)
	}
}

// hostileMarkdown are texts that try to be something else than text.
var hostileMarkdown = []string{
	"<b>x</b>", "<img src=x onerror=alert(1)>", "</code></sub></details><script>alert(1)</script>", "`</code><b>`", "`a</code>", "<!-- a", "<?a", "<a@b.c>", "<https://a.b>",
	"[a](https://b.c)", "![a](https://b.c)", "[a](b)", "[x]", "[a][x]", "[x][]", "[x]: https://a.b", "[^1]", "[^1]: a", "[ ] a", "[x] a", "[X]0", "a ![x] b", "[[x]]", "[a`](b)`](c)",
	"https://a.b", "http://a.b/c_d_e", "www.a.b", "ftp://a.b", "mailto:a@b.c", "a.b@c.de", "`https://a.b`", "xmpp:a@b.c",
	"@you", "a/b#12", "*a*", "**a**", "_a_", "__a__", "a_b_c", "_a_b", "a __b", "~~a~~", "~a~", "***", "---", "===", "- - -", "* a", "+ a", "> a", "# a", "1. a", "2) a", "a | b", "| a |", "|:-|", "`a | b`", "a \\| b", "\\`a`", "`a\\`", "``", "`` `a` ``", "` a", "```", "~~~", "&lt;b&gt;", "&#60;b>", "\\<b>", "    code", "a  ", "a\\", "<", "<1", "a<b>c", "`", "`*`", "`a` `b` *", "*`a`*", "_`a`_", "a`_`b", "^a^", "\\", "\\\\", "a\\_b_",
}

func TestMarkdownIsInert(t *testing.T) {
	for _, text := range hostileMarkdown {
		checkMarkdown(t, text)
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, text := range hostileMarkdown {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ToValidUTF8(text, "") == text && strings.TrimSpace(Plain(text)) == text && plainWords(text) != "" {
			checkMarkdown(t, text)
		}
	})
}
