package viewer

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crscore/internal/report/figures/browsertest"
	"crscore/score"
)

// attack is hostile text. It stands in every field of a run.
const attack = "</script><script>alert(1)</script><img src=x onerror=alert(2)> \u202egnp.exe\u202c \x1b[31mred {{.}} ${1} javascript:alert(4)"

// TestHostile shows hostile text in every field, and nothing of it is obeyed.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is started")
	}
	quoted := func(s string) string {
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	rule := signatureOf(score.Rule{Mode: score.Hard, Tau: 0.3})
	id, system, long := attack+" change", attack+" system", strings.Repeat("a_name_without_end", 5000)
	data := fmt.Sprintf(`{"id":%s,"lang":%s,"path":%s,"diff":%s,"reviews":[{"id":%s,"text":%s,"human":{"con":1,"comp":2,"rel":3}},{"id":%s,"text":%s},{"id":"u","text":"x"}]}`,
		quoted(id), quoted(attack), quoted(attack), quoted("@@ -1 +1 @@\n-"+attack+"\n+"+long+"\n"), quoted(system), quoted(attack), quoted(long), quoted(long)) + "\n" + attack + "\n"
	explain := fmt.Sprintf(`{"sentences":[{"text":%s,"ref":1,"similarity":0.5,"credit":1}],"refs":[{"kind":%[1]s,"source":%[1]s,"text":%[1]s,"path":%[1]s,"sentence":1,"similarity":0.5,"credit":1}]}`, quoted(attack))
	rows := fmt.Sprintf(`{"id":%s,"review":%s,"status":"scored","con":1,"comp":1,"rel":1,"mode":"hard","tau":0.3,"signature":%s,"note":%s,"explain":%s}
{"id":%[1]s,"review":%[6]s,"status":"unscored","reason":%[4]s,"signature":%[4]s}
{"id":%[4]s,"review":%[4]s,"con":1,"comp":1,"rel":1}
{"id":%[1]s,"review":%[2]s,"status":"scored","metrics":{%[4]s:0.5},"signature":%[4]s}
`, quoted(id), quoted(system), quoted(rule), quoted(attack), explain, quoted(long))
	v, err := open1(t, data, rows)
	if err != nil {
		t.Fatal(err)
	}
	b := browse(t, v)
	b.Go(t, b.url+"/style.css") // nothing, so that the next page begins with the listener
	b.size(t, 1280, 900)
	b.at(t, "")
	browsertest.Eval[bool](t, b.Page, `globalThis.violated = [], addEventListener("securitypolicyviolation", (e) => violated.push(e.violatedDirective)), true`)
	for selector, want := range map[string]string{
		"#cell-1-0": "</script><script>alert(1)</script><img src=x onerror=alert(2)> ⟨U+202E⟩gnp.exe⟨U+202C⟩ ⟨U+001B⟩[31mred", "#cell-1-1": "{{.}} ${1}", "#cell-0-2": "onerror=alert(2)",
		"#notes": "Problems in the files: 2", "#systems": "javascript:alert(4)",
	} {
		if got := b.text(t, selector); !strings.Contains(got, want) {
			t.Errorf("%s shows %.300q, not %q", selector, got, want)
		}
	}
	b.looks(t, "hostile")
	browsertest.Eval[bool](t, b.Page, `(document.querySelector("#cell-1-2").click(), true)`)
	b.Wait(t, `document.getElementById("detail").open && !document.getElementById("detail-result").hidden && document.getElementById("sentences").textContent !== ""`)
	for selector, want := range map[string]string{
		"#detail-title": "⟨U+202E⟩gnp.exe", "#detail-where": "language </script>", "#sentences": "onerror=alert(2)", "#pane-change": "⟨U+001B⟩[31mred", "#reviews-list": "onerror=alert(2)",
		"#detail-texts": "The reviews as they are written (3)",
	} {
		if got := browsertest.Eval[string](t, b.Page, fmt.Sprintf("document.querySelector(%q).textContent", selector)); !strings.Contains(got, want) || strings.ContainsAny(got, "\u202e\x1b") {
			t.Errorf("%s shows %.300q, not %q", selector, got, want)
		}
	}
	b.looks(t, "hostile-change")
	if n := browsertest.Eval[int](t, b.Page, `document.body.querySelectorAll("script, img, style, iframe, [onload], [onerror]").length`); n != 0 {
		t.Errorf("%d elements came from the texts", n)
	}
	if v := browsertest.Eval[[]string](t, b.Page, "violated"); len(v) > 0 {
		t.Errorf("the policy was violated: %v", v)
	}
	for _, h := range b.Heard() {
		if !strings.Contains(h, "404") {
			t.Error(h)
		}
	}
	// So that these checks can fail: the policy is in force.
	browsertest.Eval[bool](t, b.Page, `(() => { const s = document.createElement("div"); s.setAttribute("style", "color: red"); document.body.append(s); return true })()`)
	b.Wait(t, `violated.includes("style-src-attr")`)
	b.Heard()
}

// looks looks at the page on all screens.
func (b *browser) looks(t *testing.T, name string) {
	t.Helper()
	for _, f := range b.Faults(t, "view-"+name, false) {
		t.Error(f)
	}
	b.size(t, 1280, 900)
}

// TestLooks looks at the page, of runs with and without much to show.
func TestLooks(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is started")
	}
	m := make1(t, sizes{changes: 300, systems: 5, explain: true})
	b := browse(t, view(t, m.options()))
	for _, one := range []struct{ name, query, ready string }{
		{"table", "", "true"},
		{"beside", "?beside=human.rel&sort=under&a=system01&b=msg", "true"},
		{"nothing", "?q=nothing+has+this", `document.getElementById("count").textContent === "0 of 300 changes"`},
		{"change", "?open=3", `!document.getElementById("detail-result").hidden`},
		{"unscored", "?open=100", `document.getElementById("detail-where").textContent !== "Reading…"`},
		{"missing", "?open=none", `document.getElementById("detail-notes").textContent !== ""`},
	} {
		b.at(t, one.query)
		b.Wait(t, one.ready)
		b.looks(t, one.name)
	}
	for _, h := range b.Heard() {
		if !strings.Contains(h, "Failed to load resource") {
			t.Error(h)
		}
	}
	// Bare rows of one system, damaged and of a run without labels or similarities.
	dir := t.TempDir()
	text, err := os.ReadFile(m.rows)
	if err != nil {
		t.Fatal(err)
	}
	o := m.options()
	o.Matrices, o.Runs = nil, []string{write(t, dir, "rows.jsonl", string(text[:len(text)/3]))}
	v := view(t, o)
	v.warn("The run %s is not finished: changes are missing, and its last row may be.", filepath.Base(dir))
	b = browse(t, v)
	b.at(t, "?only=unscored")
	b.looks(t, "damaged")
	// Of rows of metrics alone, the first is shown.
	v, err = open1(t, twoChanges, `{"id":"1","review":"s","status":"scored","metrics":{"chrf":33.5,"ter":80},"signature":"crscore/1 references=msg"}`)
	if err != nil {
		t.Fatal(err)
	}
	b = browse(t, v)
	b.at(t, "")
	if got := b.text(t, "#cell-1-2") + " " + browsertest.Eval[string](t, b.Page, `document.getElementById("f-measure").value`); got != "33.50 metric.chrf" {
		t.Errorf("metrics alone: %s", got)
	}
	b.at(t, "?open=1")
	b.Wait(t, `document.getElementById("detail-texts").textContent.includes("one")`)
	b.looks(t, "metrics-change")
}
