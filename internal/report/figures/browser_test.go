package figures

import (
	"os"
	"path/filepath"
	"testing"

	"crscore/internal/report/figures/browsertest"
)

// TestBrowser looks at pages in Chromium: one as it should be, one of few values, one
// whose values leave the axes, and those whose texts or numbers are as bad as they come.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("a browser is started for each page")
	}
	pages := map[string]Page{"demo": demo(), "few": few(), "beyond": beyond(), "nothing": {}}
	long := everything("a_long_name_without_any_place_to_break_it", 7, 0.1, 0.9, 0.5)
	words := everything("many words that stand one behind the other and need several lines", 7, 1e6, 3e6, 2e6)
	pages["long"] = Page{Title: "Long", Sections: append(long.Sections, words.Sections...)}
	for name, page := range pages {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), name+".html")
			if err := os.WriteFile(file, []byte(html(t, page)), 0o644); err != nil {
				t.Fatal(err)
			}
			browsertest.Look(t, file)
		})
	}
}
