package hostile

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"crscore/internal/dataset"
)

// TextShape is a kind of review or comment that readers of Markdown do not expect.
type TextShape struct {
	// Name identifies the shape.
	Name string
	make func(size int, r *rand.Rand) string
}

// Text makes a text of about size bytes, the same for the same seed: a larger one goes on.
func (s TextShape) Text(size int, seed uint64) string {
	return s.make(size, rand.New(rand.NewPCG(seed, 0)))
}

// marks are what Markdown, HTML, bots and code begin, end or part something with, and words.
var marks = strings.Split("- §* §+ §  - §-   §1. §9) §- [ ] §- [x] §> §>§> - §- > §-§=§_§*§**§***§__§~§~~§~~~§`§``§```§```\n§~~~\n§```suggestion\n§``` a §#§# §## a\n§---\n§===\n§* * *\n§\t§    a\n§    §"+
	"[§]§![§[![§[]§[a]§[a](§[a](b/c)§](§](a/b §![a](b/c)§![a](§[![a](b/c)](d/e)§[^1]§[^1]: §[a]: b\n§(§)§|§| a |\n§|a|b|\n|-|-|\n§|-|-|\n§|:-:§\\§\\*§\\[§&§&amp;§&#8§:a§:tada: §:+1:§@a §#1 §http://§https://a/b §www.§"+
	"<§>§<a§<a>§</a>§<b>a</b>§<!--§-->§<!-- a -->§<!-- severity: high -->§<sub>§</sub>§<sup><sub>§<img§<img alt=\"high\">§<img alt=\"§<details>§</details>§<details></details>§<details><summary>§<summary>§</summary>§<summary>a</summary>§<details><summary>Prompt for AI agents</summary>\n§<br>§<br/>§<p>§<pre>§<code>§<code>high</code>§<table><tr><td>§<|a|>§<|§|>§"+
	"**a§**High**: §**[high]** §[high] §(severity: high) §_⚠️ Potential issue_ | §🔴 §Severity: high\n§P1: §Was this helpful? §React with 👍\n§**a**\n§## a\n\n§at a.go:1 §`a.go:1` §lines 1-2, §"+
	". §.§? §!§… §.\" §.)§.*§a. §A. §A.\n§e.g. §1. a §: 1. §.</a>§a, §a,\n§the\n§nit: §It §Also §not so §\"§'§“§”§(§« §{§}§a§ab §A§a_§aB§a.b§a::b§a->§a(§0§0.§_a§$a§@§\n§\r§\r\n§\n\n§ §\f§\v§\x00§\x1b[1m§\u00a0§\u200b§\u2028§é§e\u0301§\u0301§"+
	"漢§漢。§。§！§かな、§한§👍§👍🏽§👩‍👩‍👧§🏳️‍🌈§\u200d§\ufe0f§\u200f§\u202e§\ufeff§{ return §if (a) {\n§}\n§//§/*§\"\"\"§+ a\n§@@ -1 +1 @@\n§diff --git a/a b/a\n", "§")

// heads come once, before all else: what they open is never closed.
var heads = []string{"", "a", "- ", "> ", "```\n", "`", "``", "<", "[", "![", "[a](", "<!--", "<details>", "<details><summary>", "**", "_", "|a|b|\n|-|-|\n", "    ", "\"", "# ", "a. ", ":"}

// Texts are the shapes of reviews and comments: runs of every mark behind every head, marks that
// nest, ladders and soups. Random shapes have another text for each seed.
func Texts() []TextShape {
	var out []TextShape
	add := func(name string, make func(size int, r *rand.Rand) string) { out = append(out, TextShape{name, make}) }
	seen := map[string]bool{}
	for _, m := range marks {
		if seen[m] {
			continue
		}
		seen[m] = true
		for _, h := range heads {
			add(fmt.Sprintf("%q run %q", h, m), func(size int, _ *rand.Rand) string { return h + repeat(m, size) + "b" })
		}
		add(fmt.Sprintf("lines %q", m), func(size int, _ *rand.Rand) string { return repeat(m+"a\n", size) })
		add(fmt.Sprintf("paragraphs %q", m), func(size int, _ *rand.Rand) string { return repeat(m+"\n\n", size) })
		add(fmt.Sprintf("ladder %q", m), func(size int, _ *rand.Rand) string {
			var b strings.Builder
			for i := 1; b.Len() < size; i++ {
				b.WriteString(repeat(m, i) + "a\n")
			}
			return b.String()
		})
	}
	for _, n := range textNests {
		for _, gap := range []string{"", "\n", " a "} {
			add(fmt.Sprintf("nest %q", n[0]+gap+n[1]), func(size int, _ *rand.Rand) string {
				times := max(1, size/(len(n[0])+len(n[1])+2*len(gap)))
				return strings.Repeat(n[0]+gap, times) + "a" + gap + strings.Repeat(n[1]+gap, times)
			})
		}
	}
	for i, between := range [][]string{{""}, {"", " "}, {"", " ", "\n"}} {
		add(fmt.Sprintf("soup of marks %d", i), func(size int, r *rand.Rand) string { return soup(r, size, marks, between...) })
		for k := range uint64(40) { // a few marks again and again
			add(fmt.Sprintf("soup of few marks %d-%d", i, k), func(size int, r *rand.Rand) string {
				r = rand.New(rand.NewPCG(r.Uint64(), k))
				few := make([]string, 2+r.IntN(3))
				for i := range few {
					few[i] = marks[r.IntN(len(marks))]
				}
				return soup(r, size, few, between...)
			})
			add(fmt.Sprintf("pattern of marks %d-%d", i, k), func(size int, r *rand.Rand) string {
				r = rand.New(rand.NewPCG(r.Uint64(), k))
				return repeat(soup(r, 1+r.IntN(40), marks, between...), size)
			})
		}
	}
	return out
}

// textNests are marks to nest: the opening and the closing part.
var textNests = [][2]string{{"<details>", "</details>"}, {"<details><summary>a</summary>", "</details>"}, {"<details><summary>Prompt for AI agents</summary>", "</details>"}, {"<details><summary>", "</summary></details>"},
	{"<b>", "</b>"}, {"<sub>", "</sub>"}, {"<!--", "-->"}, {"<", ">"}, {"[", "]"}, {"[", "](a/b)"}, {"![", "](a/b)"}, {"[![", "](a/b)](c/d)"}, {"(", ")"}, {"\"", "\""}, {"“", "”"}, {"**", "**"}, {"_", "_"}, {"~~", "~~"}, {"`", "`"}, {"```\n", "```\n"}, {"~~~\n", "~~~\n"}, {"> ```\n", "> ```\n"}, {"<table><tr><td>", "</td></tr></table>"}}

// textSizes are the sizes of hostile reviews, small ones more often. A review has 4 MiB at most.
var textSizes = []int{64 << 10, 64 << 10, 64 << 10, 256 << 10, 256 << 10, 1 << 20, 1 << 20, 4<<20 - 64<<10, 8 << 20}

// TextRow returns a normal change with a random hostile review: the same for the same seed and number.
func TextRow(seed, number uint64) Row {
	r := rand.New(rand.NewPCG(seed, number))
	all := Texts()
	s, size := all[r.IntN(len(all))], textSizes[r.IntN(len(textSizes))]
	row := Normal(fmt.Sprintf("text/%s/%d/seed %d row %d", s.Name, size, seed, number))
	row.Reviews = []dataset.Review{{ID: "bot", Text: s.Text(size, r.Uint64())}}
	row.text = true
	return row
}

// most is the bound of time of a row, given the bound of a hostile change. A hostile review has a
// fifth of it (2 s of 10 s) a MB, and a fifth at least.
func (r Row) most(change time.Duration) time.Duration {
	if !r.text {
		return change
	}
	return max(change/5, time.Duration(len(r.Reviews[0].Text))*(change/5)>>20)
}

// refused reports whether a hostile review may have no score for this reason: it is beyond a limit,
// or has no sentence.
func (r Row) refused(reason string) bool {
	return r.text && (strings.Contains(reason, "limit of") || strings.Contains(reason, "no sentence"))
}

// comment is the request for a decision about the review as a comment.
func (r Row) comment() []byte {
	b, err := json.Marshal(map[string]any{"diff": r.Diff, "path": r.Path,
		"comments": []map[string]any{{"path": r.Path, "line": 2, "body": r.Reviews[0].Text}}})
	if err != nil {
		panic(err) // impossible: all of it has JSON
	}
	return b
}
