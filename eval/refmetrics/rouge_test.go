package refmetrics

import (
	"strings"
	"testing"
)

// unseen reports whether an error is of a text without tokens.
func unseen(err error) bool { return err != nil && strings.Contains(err.Error(), "finds no token") }

// TestUnseen: where a metric sees nothing of a text that says something, there is no score; an
// empty text has 0 as ever.
func TestUnseen(t *testing.T) {
	builtin := newBuiltin(t)
	const latin, chinese, thai = "Close the file.", "请关闭文件。", "ปิดไฟล์"
	for _, tt := range []struct {
		spec, review string
		references   []string
		want         string // of the error
	}{
		{"rouge-1", chinese, []string{latin}, "rouge-1 finds no token in the review"},
		{"rouge-2", latin, []string{thai}, "rouge-2 finds no token in the reference"},
		{"rouge-l", "!!!", []string{chinese, thai}, "rouge-l finds no token in the review"},
		{"rouge-l", latin, []string{chinese, thai}, "rouge-l finds no token in the reference"},
		{"rouge-l", latin, []string{chinese, "nothing in common"}, ""},
		{"rouge-l", "", []string{latin}, ""},
		{"rouge-l", " \n", []string{latin}, ""},
		{"rouge-l", latin, []string{""}, ""},
		{"greedy-matching", chinese, []string{latin}, "finds no token in the review"},
		{"embedding-similarity", latin, []string{chinese}, "finds no token in the reference"},
		{"greedy-matching", "", []string{latin}, ""},
		{"chrf", chinese, []string{latin}, ""},
		{"bleu", thai, []string{latin}, ""},
	} {
		v, err := newMetric(t, tt.spec, builtin).Score(t.Context(), tt.review, tt.references)
		if tt.want == "" && (err != nil || v != 0) || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s of %q with %q: %v, %v; want 0 or the error %q", tt.spec, tt.review, tt.references, v, err, tt.want)
		}
	}
	if v, err := newMetric(t, "rouge-l", Needs{Compat: true}).Score(t.Context(), chinese, []string{latin}); v != 0 || err != nil {
		t.Errorf("as the literature's code: %v, %v; want 0", v, err)
	}
}

func TestGoldensOfROUGE(t *testing.T) {
	checkGoldens(t, "rouge-l", Needs{}, [8]float64{.6667, .4, 1, 0, 0, .2857, .4211, .5714})
	checkGoldens(t, "rouge-l:stem=no", Needs{}, [8]float64{.6667, .4, 1, 0, 0, .2857, .4211, .5})
	for spec, want := range map[string][2]float64{"rouge-1": {.8333, .6429}, "rouge-2": {.4, .2308}} {
		m := newMetric(t, spec, Needs{})
		for i, pair := range []goldenPair{goldenPairs()[0], goldenPairs()[7]} {
			if got := checkScore(t, m, pair.hypothesis, pair.reference); !nearGolden(got, want[i]) {
				t.Errorf("%s of %q: %.6f, want %.4f", spec, pair.hypothesis, got, want[i])
			}
		}
	}
}
