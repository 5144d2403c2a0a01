package score

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParseProfile(t *testing.T) {
	for _, good := range []struct{ text, signature string }{
		{`{"mode":"hard","tau":0.4}`, "mode=hard tau=0.4"},
		{`{"mode":"hard","tau":0}`, "mode=hard tau=0"},
		{`{"mode":"soft"}`, "mode=soft"},
		{`{"mode":"ramp","tau":0.6,"low":0.2}`, "mode=ramp tau=0.6 low=0.2"},
		{`{"mode":"calibrated","tau":0.4,"slope":10}`, "mode=calibrated tau=0.4 slope=10"},
		{`{"mode":"hard","tau":0.4,"weights":"smell=0.5"}`, "mode=hard tau=0.4 weights=smell=0.5"},
	} {
		p, err := ParseProfile([]byte(good.text))
		if err != nil {
			t.Errorf("%s: %v", good.text, err)
			continue
		}
		if r, err := p.Scoring(); err != nil || r.Signature() != good.signature {
			t.Errorf("%s: %s, %v", good.text, r.Signature(), err)
		}
	}
	for bad, why := range map[string]string{
		`{`:                                                          "JSON",
		`{"mode":"medium","tau":0.4}`:                                "medium",
		`{"mode":"hard","tau":4}`:                                    "tau is 4",
		`{"mode":"soft","tau":4}`:                                    "tau is 4",
		`{"mode":"hard"}`:                                            "no tau",
		`{"mode":"ramp","tau":null,"low":0}`:                         "no tau",
		`{"mode":"hard","tau":0.4,"low":0.1}`:                        "no lower threshold",
		`{"mode":"ramp","tau":0.4,"low":0.5}`:                        "lower threshold is 0.5",
		`{"mode":"calibrated","tau":0.4}`:                            "slope is 0",
		`{"mode":"calibrated","tau":0.4,"slope":-1}`:                 "slope is -1",
		`{"mode":"hard","tau":0.4,"slope":10}`:                       "no slope",
		`{"mode":"hard","tau":0.4,"weights":"smell"}`:                "no number",
		`{"mode":"calibrated","tau":0.4,"slope":1e999}`:              "1e999",
		`{"mode":"hard","tau":0.4,"weights":"smell=0.5,claim=-0.1"}`: "-0.1",
	} {
		if _, err := ParseProfile([]byte(bad)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestProfileOfHardMode holds what shipped profiles look like: they have no
// fields of other modes.
func TestProfileOfHardMode(t *testing.T) {
	b, err := json.Marshal(Profile{Mode: Hard, Tau: 0.4})
	const want = `{"mode":"hard","tau":0.4,"similarity":"","splitter":"","rule":"","data":"","claims":"","smells":""}`
	if err != nil || string(b) != want {
		t.Errorf("%s, %v", b, err)
	}
}

func FuzzParseProfile(f *testing.F) {
	f.Add([]byte(`{"mode":"ramp","tau":0.6,"low":0.2,"weights":"smell=0.5,claim@symbolic=2"}`))
	f.Add([]byte(`{"mode":"calibrated","tau":0.4,"slope":1e308}`))
	f.Add([]byte(`{"mode":"soft","Profile":{"tau":2}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ParseProfile(b)
		if err != nil {
			return
		}
		r, err := p.Scoring()
		if err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		if _, err := ScoreRefs([][]float32{{0.3, 0.6}}, []Ref{{"claim", "symbolic"}, {"smell", "builtin"}}, r); err != nil && err != ErrNoWeight {
			t.Fatalf("%+v: %v", p, err)
		}
		again, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if q, err := ParseProfile(again); err != nil || q != p {
			t.Fatalf("%+v became %+v: %v", p, q, err)
		}
	})
}
