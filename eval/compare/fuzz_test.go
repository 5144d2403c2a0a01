package compare

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"crscore/eval/resample"
	"crscore/internal/dataset"
)

// FuzzStudy reads two files of scores as the command does, and compares what they hold:
// nothing is lost, no number is none, and probabilities are some.
func FuzzStudy(f *testing.F) {
	f.Add(table("a b", "py 1 0", "java 0.5 -", "? 0 ."), `{"id":"c1","review":"a","con":0.5,"comp":null,"rel":1e99,"signature":"x tau=1"}`, byte(0))
	f.Add("id,review,rel\n1,a,NaN\n1,a,1\n1,a,0\n", "id,review,score,lang\n1,msg,-1e100,py\n2,msg,1e100,js\n", byte(1))
	f.Add("", "\x1f\x8b", byte(6))
	f.Add(`{"id":"c1","review":"a","metrics":{"ter":0.5},"signature":"v ter=ter|better:lower"}`, "id,review,metrics.ter,signature\nc1,b,7,v ter=ter|better:lower\n", byte(0))
	f.Fuzz(func(t *testing.T, one, two string, choice byte) {
		in := NewInput([]string{"one", "two"}, same)
		added := 0
		for i, text := range []string{one, two} {
			r := dataset.NewScoreReader(dataset.Source{Text: strings.NewReader(text)})
			r.KeepNothing()
			choice := dataset.Choice{}
			for {
				sc, err := r.Next()
				if err == nil {
					sc, err = choice.Take(sc)
				}
				var bad *dataset.LineError
				if errors.Is(err, io.EOF) {
					break
				} else if errors.As(err, &bad) {
					continue
				} else if err != nil || in.Add(i, sc) != nil {
					return
				}
				added++
			}
		}
		o := Options{
			Metric: append(Metrics(), "")[int(choice)%4], Correction: resample.Correction(resample.Corrections()[int(choice)/3%3]), Over: ChangeSet(ChangeSets()[int(choice)/9%2]),
			Mixed: choice >= 128, Bootstrap: resample.Bootstrap{Resamples: resample.MinResamples, Workers: 1}, Flips: resample.Flips{Draws: resample.MinFlips, Workers: 1},
		}
		r, err := Study(t.Context(), in, o)
		if err != nil {
			return
		}
		if _, err := json.Marshal(r); err != nil {
			t.Fatal(err)
		}
		reviews := 0
		for _, s := range r.Systems {
			reviews += s.Scored + s.Unscored
			if s.Scored+s.Unscored+s.Absent != r.All || s.Changes > s.Scored {
				t.Errorf("%+v of %d changes", s, r.All)
			}
			for d, e := range s.means() {
				if s.Score == nil || d == 2 {
					check(t, *e, s.Changes)
				}
			}
		}
		if reviews != added {
			t.Errorf("%d reviews of %d", reviews, added)
		}
		for i := 1; i < len(r.Systems); i++ {
			a, b := r.Systems[i-1].Mean(r.Metric).Value, r.Systems[i].Mean(r.Metric).Value
			if a == nil && b != nil || a != nil && b != nil && *a != *b && *a < *b != r.LowerIsBetter {
				t.Errorf("%s before %s", r.Systems[i-1].Name, r.Systems[i].Name)
			}
		}
		for _, p := range r.Pairs {
			check(t, p.Difference, p.Changes)
			if p.Better+p.Tied+p.Worse != p.Changes {
				t.Errorf("%+v", p)
			}
			if p.Corrected != nil && !(*p.Corrected >= *p.Difference.P && *p.Corrected <= 1) {
				t.Errorf("p = %g, corrected %g", *p.Difference.P, *p.Corrected)
			}
		}
	})
}

func check(t *testing.T, e resample.Estimate, changes int) {
	t.Helper()
	switch {
	case e.Value == nil && e.Undefined == "", e.Value != nil && math.IsNaN(*e.Value):
		t.Errorf("%v of %d changes, and no reason", e, changes)
	case e.P != nil && !(*e.P > 0 && *e.P <= 1):
		t.Errorf("p = %g", *e.P)
	case e.Interval != nil && !(e.Interval[0] <= e.Interval[1]):
		t.Errorf("interval %v", *e.Interval)
	}
}
