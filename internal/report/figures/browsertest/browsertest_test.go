package browsertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bad is a page with all the faults that are looked for.
const bad = `<!DOCTYPE html><html><head><title></title><style>
.pair { display: grid; grid-template-columns: 1fr 50px 1fr; } .links { width: 50px; height: 10px; }
</style></head><body>
<h1></h1><h3>skips</h3>
<p style="color: #999; background: #fff">pale</p>
<div style="width: 2000px">wide</div>
<img src="https://example.invalid/a.png" alt="">
<figure><svg role="img" width="200" height="40"><text x="0" y="20">first</text><text x="4" y="20">second</text>
<text x="150" y="20">out of the drawing</text><text x="0" y="36" font-size="6">tiny</text><path class="far" d="M0 0L999 0"/><path d="MNaN 0"/></svg></figure>
<div class="pair"><ol><li>a<br>b<br>c</li></ol><svg class="links" viewBox="0 0 10 10"><path d="M0 0L10 0"/></svg><ol><li>d</li></ol></div>
<button style="width: 1rem; padding: 0; white-space: normal; overflow-wrap: anywhere">squeezed</button>
<p id="x">1</p><p id="x" onclick="">2</p>
<script>console.log("hello"); throw new Error("no")</script></body></html>`

const good = `<!DOCTYPE html><html lang="en"><head><title>A page</title><meta name="viewport" content="width=device-width"></head>
<body><main><h1>A page</h1><h2>A part</h2><p>Text.</p></main></body></html>`

func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is started for each page")
	}
	dir := t.TempDir()
	look := func(page string) string {
		file := filepath.Join(dir, "page.html")
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		return strings.Join(faults(t, file), "\n")
	}
	if f := look(good); f != "" {
		t.Errorf("a good page: %s", f)
	}
	f := look(bad)
	wants := []string{
		"it asks for https://example.invalid/a.png", "it writes on the console", "it throws", "the page is ", "<div> leaves the screen",
		"no viewport", "a drawing without title", "a drawing without description", "text leaves its drawing: out of", `text covers "second"`,
		"text below 10 pixels: tiny", "a path (far) leaves", "not made of numbers", "a link ends at", "contrast 2.8",
		"1 words on ", "has scripts", "refers to something outside", "ids are not unique",
	}
	if axe(t) != "" {
		for _, scheme := range []string{"light", "dark"} {
			wants = append(wants, scheme+", details open: true: document-title", scheme+", details open: true: color-contrast")
		}
		wants = append(wants, "html-has-lang", "heading-order", "empty-heading")
	}
	for _, want := range wants {
		if !strings.Contains(f, want) {
			t.Errorf("%q is not found:\n%s", want, f)
		}
	}
}
