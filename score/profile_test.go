package score

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestParseProfile(t *testing.T) {
	for _, good := range []struct{ text, signature string }{
		{`{"mode":"hard","tau":0.4}`, "mode=hard tau=0.4"},
		{`{"mode":"hard","tau":0}`, "mode=hard tau=0"},
		{`{"mode":"soft"}`, "mode=soft"},
		{`{"mode":"soft","comp":"noisy-or"}`, "mode=soft comp=noisy-or"},
		{`{"mode":"ramp","tau":0.6,"low":0.2,"comp":"noisy-or","weights":"smell=0.5"}`, "mode=ramp tau=0.6 low=0.2 comp=noisy-or weights=smell=0.5"},
		{`{"mode":"hard","tau":0.4,"comp":"best"}`, "mode=hard tau=0.4"},
		{`{"mode":"ramp","tau":0.6,"low":0.2}`, "mode=ramp tau=0.6 low=0.2"},
		{`{"mode":"ramp","tau":0.6,"low":0}`, "mode=ramp tau=0.6 low=0"},
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
		`{`:                                             "JSON",
		``:                                              "not JSON",
		`[]`:                                            "a JSON array, not an object",
		`{"mode":1}`:                                    `"mode": a JSON number may not stand here`,
		`{"mode":"hard","tau":"x"}`:                     `"tau": a JSON string may not stand here`,
		`{"mode":"medium","tau":0.4}`:                   "medium",
		`{"mode":"hard","tau":4}`:                       "tau is 4",
		`{"mode":"soft","tau":4}`:                       "tau is 4",
		`{"mode":"hard"}`:                               "no tau",
		`{"mode":"ramp","tau":null,"low":0}`:            "no tau",
		`{"mode":"ramp","tau":0.4}`:                     "no low in it, which mode ramp needs",
		`{"mode":"ramp","tau":0.4,"low":null}`:          "no low",
		`{"mode":"soft","weigths":"smell=0"}`:           `"weigths", which is none of its fields`,
		`{"mode":"soft"} {}`:                            "not JSON",
		`{"mode":"hard","tau":0.4,"low":0.1}`:           "no lower threshold",
		`{"mode":"ramp","tau":0.4,"low":0.5}`:           "lower threshold is 0.5",
		`{"mode":"calibrated","tau":0.4}`:               "slope is 0",
		`{"mode":"calibrated","tau":0.4,"slope":-1}`:    "slope is -1",
		`{"mode":"hard","tau":0.4,"slope":10}`:          "no slope",
		`{"mode":"soft","comp":"most"}`:                 `unknown comp "most"`,
		`{"mode":"soft","comp":1}`:                      `"comp": a JSON number may not stand here`,
		`{"mode":"hard","tau":0.4,"comp":"noisy-or"}`:   "mode hard does not use comp noisy-or",
		`{"mode":"hard","tau":0.4,"weights":"smell"}`:   "no number",
		`{"mode":"calibrated","tau":0.4,"slope":1e999}`: "1e999",
		`{"mode":"hard","tau":0.4,"weights":"smell=0.5,claim=-0.1"}`: "-0.1",
	} {
		if _, err := ParseProfile([]byte(bad)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestParseProfiles(t *testing.T) {
	const hard, ramp = `{"mode":"hard","tau":0.4,"similarity":"similarity=a","splitter":"s"}`, `{"mode":"ramp","tau":0.4,"low":0.1,"similarity":"similarity=a","splitter":"s"}`
	list, err := ParseProfiles([]byte("[" + ramp + "," + hard + "]"))
	if err != nil || len(list) != 2 || list[0].Mode != Ramp || list[1].Tau != 0.4 {
		t.Errorf("%+v, %v", list, err)
	}
	for bad, why := range map[string]string{
		hard:                          "list",
		`[]`:                          "empty",
		`[` + hard + `,` + hard + `]`: "profile 2 of a list: there are two of mode hard",
		`[` + hard + `,{"mode":"soft","similarity":"similarity=b","splitter":"s"}]`: "the first one was made with similarity a, not b",
		`[` + hard + `,{"mode":"x"}]`: "profile 2 of a list: reading the profile",
	} {
		if _, err := ParseProfiles([]byte(bad)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestMismatch names what differs, and nothing else.
func TestMismatch(t *testing.T) {
	const made = "similarity=hybrid/1(idf@x;names=0.5) encoder=e@1 pooling=mean"
	p := Profile{Similarity: ReadSignature(made), Splitter: "markdown/1"}
	for _, tt := range []struct{ similarity, splitter, want string }{
		{made, p.Splitter, ""},
		{made, p.Splitter + "-raw", ""},
		{"similarity=hybrid/1(idf@x;names=0.5) encoder=e@1 backend=go/2 arch=arm64 pooling=mean", p.Splitter, ""},
		{made, "paper/1", "splitter markdown/1, not paper/1"},
		{"similarity=cosine encoder=e@2 pooling=mean", p.Splitter, "encoder e@1, not e@2; similarity hybrid/1(idf@x;names=0.5), not cosine"},
		{made + " maxtokens=5", p.Splitter, "no maxtokens, not 5"},
		{"encoder=e@1 pooling=mean similarity=hybrid/1(idf@x;names=0.5)", p.Splitter, made + ", not encoder=e@1 pooling=mean similarity=hybrid/1(idf@x;names=0.5)"},
	} {
		if got := p.Mismatch(ReadSignature(tt.similarity), tt.splitter); got != tt.want {
			t.Errorf("%s, %s: %q, want %q", tt.similarity, tt.splitter, got, tt.want)
		}
		if fits := p.Fits(ReadSignature(tt.similarity), tt.splitter); fits != (tt.want == "") {
			t.Errorf("%s, %s: fits %v", tt.similarity, tt.splitter, fits)
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

// TestProfileOfRampMode: a lower threshold of 0 is one, and is written.
func TestProfileOfRampMode(t *testing.T) {
	b, err := json.Marshal(Profile{Mode: Ramp, Tau: 0.4, Weights: "smell=0.5"})
	const want = `{"mode":"ramp","tau":0.4,"low":0,"weights":"smell=0.5","similarity":"","splitter":"","rule":"","data":"","claims":"","smells":""}`
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
		if q, err := ParseProfile(again); err != nil || !reflect.DeepEqual(q, p) {
			t.Fatalf("%+v became %+v: %v", p, q, err)
		}
	})
}
