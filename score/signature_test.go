package score

import (
	"slices"
	"strings"
	"testing"
)

// TestReadSignature reads the signatures of files that have no fields.
func TestReadSignature(t *testing.T) {
	for _, tt := range []struct {
		text           string
		fields         int
		kind, protocol string
	}{
		{"", 1, "", ""},
		{"crscore/1 similarity=cosine encoder=a@1 splitter=markdown/3 mode=hard tau=0.4 claims=symbolic/12 smells=none", 8, KindScore, ""},
		{"crscore/1 similarity=a splitter=b mode=soft claims=data:gpt-4 judge=1 smells=none", 6, KindScore, ""}, // a name with judge= in it
		{"crscore/1 similarity=a splitter=b mode=soft claims=data:a  b tau=c\u00a0d tau=2 smells=none", 6, KindScore, ""},
		{"crscore/1 judge=criteria/3 model=ollama:m votes=1", 4, KindJudge, "criteria"},
		{"judge=grade/1", 1, KindJudge, "grade"},
		{"crscore/1 references=msg written=raw bleu:tok=intl=bleu|tok:intl", 4, KindMetrics, ""},
		{"ter=ter|better:lower", 1, "", ""},
		{"sacrebleu/2 tok=13a", 2, "", ""},
		{"crscore=1", 1, "", ""},
		{"= a", 1, "", ""},
	} {
		s := ReadSignature(tt.text)
		if kind, protocol := s.Kind(); len(s) != tt.fields || s.String() != tt.text || kind != tt.kind || protocol != tt.protocol {
			t.Errorf("%q: %q, %q %q", tt.text, s, kind, protocol)
		}
	}
}

// TestAround takes the rule out, and leaves the weights, which a page does not change.
func TestAround(t *testing.T) {
	for _, around := range [][2]string{{"crscore/1 encoder=a", "claims=b tau=c smells=none"}, {"crscore/1", "weights=smell=0.5 claims=b"}, {"a=b", ""}} {
		for _, rule := range []string{"mode=hard tau=0.3", "mode=soft comp=noisy-or", "mode=ramp tau=0.5 low=0.1 comp=noisy-or", "mode=calibrated tau=0.5 slope=9"} {
			text := strings.TrimSpace(around[0] + " " + rule + " " + around[1])
			if got := ReadSignature(text).Around(); !slices.Equal(got, around[:]) {
				t.Errorf("%q: %q", text, got)
			}
		}
	}
	if got := ReadSignature("crscore/1 judge=grade/1").Around(); got != nil {
		t.Errorf("without a rule: %q", got)
	}
}

// TestRuleOf reads the rule of a row.
func TestRuleOf(t *testing.T) {
	for signature, want := range map[string]string{
		"a mode=hard tau=0.3 b=c": "mode=hard tau=0.3", "mode=soft weights=smell=0.5": "mode=soft weights=smell=0.5", "mode=hard": "", "mode=soft comp=noisy-or": "mode=soft comp=noisy-or",
		"mode=soft comp=most": "", "mode=hard tau=x": "", "nothing": "", "mode=hard tau=0.30": "", "mode=ramp tau=0.5 low=0.1": "mode=ramp tau=0.5 low=0.1", "mode=soft weights=x": "",
	} {
		r, ok := ReadSignature(signature).Rule()
		if ok != (want != "") || ok && r.Signature() != want {
			t.Errorf("%s: %+v, %v", signature, r, ok)
		}
	}
}

func FuzzReadSignature(f *testing.F) {
	f.Add("crscore/1 a=1 b a=2  =c", "crscore/2 =a")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := ReadSignature(a), ReadSignature(b)
		if x.String() != a || (len(x.Differences(y)) == 0) != (a == b) {
			t.Errorf("%q reads as %q, and differs from %q by %v", a, x, b, x.Differences(y))
		}
	})
}
