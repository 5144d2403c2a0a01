package dataset

import (
	"fmt"
	"strings"
	"testing"
)

// TestMade: a row tells how its numbers were made. For one that does not, its signature does.
func TestMade(t *testing.T) {
	const (
		signed = `"signature":"crscore/1 similarity=a splitter=b mode=soft weights=smell=0.5 claims=data:gpt-4 judge=1 smells=none"`
		judge  = `"signature":"crscore/1 judge=grade/2 model=m"`
		ter    = `"signature":"crscore/1 references=msg ter=ter|better:lower chrf=chrf|a"`
	)
	for _, tt := range []struct{ row, metric, want string }{
		{`"rel":1,"con":1,"comp":1,"mode":"ramp","tau":0.5,"low":0.1,"kind":"score","signature":"x"`, "", "score  ramp mode=ramp tau=0.5 low=0.1 false"},
		{`"rel":1,"mode":"soft","comp_by":"noisy-or","weights":"smell=0.5","kind":"score",` + judge, "", "score  soft mode=soft comp=noisy-or weights=smell=0.5 false"},
		{`"rel":1,` + signed, "", "score  soft mode=soft weights=smell=0.5 false"},
		{`"rel":1,"mode":"hard","kind":"rust",` + signed, "", "score  soft mode=soft weights=smell=0.5 false"}, // another program's kind
		{`"score":1,` + judge, "", "judge grade  none false"},
		{`"score":1,"kind":"judge","protocol":"criteria",` + signed, "", "judge criteria  none false"},
		{`"metrics":{"ter":1,"chrf":2},` + ter, "ter", "metrics   none true"},
		{`"metrics":{"ter":1,"chrf":2},` + ter, "chrf", "metrics   none false"},
		{`"metrics":{"ter":1,"chrf":2},"kind":"metrics","lower_is_better":["chrf"],` + ter, "chrf", "metrics   none true"},
		{`"metrics":{"ter":1,"chrf":2},"kind":"metrics",` + ter, "ter", "metrics   none true"},
		{`"metrics":{"ter":1,"chrf":2},"kind":"metrics","lower_is_better":[],` + ter, "ter", "metrics   none false"},
		{`"rel":1,"kind":"score","signature":"crscore/1 mode=soft claims=data:ter |better:lower smells=none"`, "", "score   none false"},
		{`"metrics":{"ter":1},"lower_is_better":["ter"]`, "ter", "   none true"},
		{`"score":1,"lower_is_better":["score"]`, "", "   none true"},
		{`"con":1,"rel":1,"lower_is_better":["con","rel"]`, "", "   none true"},
		{`"con":1,"lower_is_better":["ter"],"signature":"v ter|better:lower"`, "", "   none false"},
		{`"score":1,"signature":"v ter|better:lower"`, "", "   none true"},
	} {
		r := NewScoreReader(Source{Name: "x", Text: strings.NewReader(strings.Repeat(`{"id":"1","review":"a",`+tt.row+"}\n", 2))})
		r.KeepNothing()
		choice := Choice{Metric: tt.metric}
		for range 2 {
			s, err := r.Next()
			if err == nil {
				s, err = choice.Take(s)
			}
			rule := "none"
			if s.Rule != nil {
				rule = s.Rule.Signature()
			}
			if got := fmt.Sprint(s.Kind, " ", s.Protocol, " ", s.Mode, " ", rule, " ", s.Lower); err != nil || got != tt.want {
				t.Errorf("%s: %q, want %q, %v", tt.row, got, tt.want, err)
			}
		}
	}
}
