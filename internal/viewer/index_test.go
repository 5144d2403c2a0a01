package viewer

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"crscore/eval/agreement"
	"crscore/internal/dataset"
	"crscore/internal/limits"
	"crscore/score"
)

// TestRescore holds the scores of kept similarities against package score with the whole
// matrices, for every mode and for weights.
func TestRescore(t *testing.T) {
	m := make1(t, sizes{changes: 300, systems: 6})
	v := view(t, m.options())
	n := 0
	for _, rule := range []score.Rule{
		{Mode: score.Hard, Tau: 0.25}, {Mode: score.Soft}, {Mode: score.Ramp, Tau: 0.4, Low: 0.1}, {Mode: score.Calibrated, Tau: 0.3, Slope: 12},
		{Mode: score.Ramp, Tau: 0.4, Low: 0.1, Weights: score.Weights{"smell": 0.3, "claim@symbolic": 2}}, {Mode: score.Soft, Weights: score.Weights{"claim": 0, "smell": 0}},
		{Mode: score.Soft, Comp: score.CoverNoisyOr}, {Mode: score.Ramp, Tau: 0.4, Low: 0.1, Comp: score.CoverNoisyOr, Weights: score.Weights{"smell": 0.3}},
	} {
		got, err := v.rescore(rule)
		if err != nil {
			t.Fatal(err)
		}
		for k, b := range m.blocks {
			c := &v.changes[k]
			for i := range b.Reviews {
				at := v.find(c, v.systems.at[b.Reviews[i].ID])
				sim, _ := b.Rows(i)
				want, err := score.ScoreRefs(sim, refsOf(b), rule)
				if err != nil {
					if got.states[at] != unscored || !math.IsNaN(got.numbers[at][2]) {
						t.Fatalf("%s: change %s, %s is %v, not unscored: %v", rule.Signature(), b.ID, b.Reviews[i].ID, got.numbers[at], err)
					}
					continue
				}
				n++
				if got.states[at] != scored || got.numbers[at] != (numbers{want.Con, want.Comp, want.Rel}) {
					t.Fatalf("%s: change %s, %s is %v, not %v %v %v", rule.Signature(), b.ID, b.Reviews[i].ID, got.numbers[at], want.Con, want.Comp, want.Rel)
				}
			}
		}
	}
	if n < 7000 || len(v.problems) > 0 {
		t.Errorf("%d scores, problems %+v", n, v.problems)
	}
	if _, err := v.rescore(score.Rule{Mode: score.Hard, Tau: 2}); err == nil {
		t.Error("a bad rule is taken")
	}
}

// naive is a row of scores as a plain program would read it.
type naive struct {
	ID, Review, Status string
	Con, Comp, Rel     *float64
}

// TestList holds answers against a plain computation over the rows.
func TestList(t *testing.T) {
	m := make1(t, sizes{changes: 250, systems: 5})
	v := view(t, m.options())
	rows := map[[2]string]naive{}
	text, err := os.ReadFile(m.rows)
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(text)) {
		var r naive
		if err := json.Unmarshal([]byte(l), &r); err != nil {
			t.Fatal(err)
		}
		rows[[2]string{r.ID, r.Review}] = r
	}
	rel := func(id, system string) float64 {
		if r, ok := rows[[2]string{id, system}]; ok && r.Rel != nil {
			return *r.Rel
		}
		return math.NaN()
	}
	systems := []string{"system01", "system02", "system03", "system04", "msg"}
	each := func(keep func(id string) bool, key func(id string) float64) []string {
		var ids []string
		for i := range 250 {
			if id := fmt.Sprint(i + 1); keep(id) {
				ids = append(ids, id)
			}
		}
		slices.SortStableFunc(ids, func(a, b string) int {
			x, y := key(a), key(b)
			switch {
			case math.IsNaN(x) && math.IsNaN(y):
				return 0
			case math.IsNaN(x):
				return 1
			case math.IsNaN(y), x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		})
		return ids
	}
	all := func(string) bool { return true }
	none := func(string) float64 { return 0 }
	for _, tt := range []struct {
		query string
		want  []string
	}{
		{"", each(all, none)},
		{"sort=system.system02", each(all, func(id string) float64 { return rel(id, "system02") })},
		{"sort=system.system02&down=1", each(all, func(id string) float64 { return -rel(id, "system02") })},
		{"a=system01&b=msg&sort=diff&down=1", each(all, func(id string) float64 { return rel(id, "msg") - rel(id, "system01") })},
		{"a=system01&b=msg&least=0.2&most=0.5", each(func(id string) bool {
			d := rel(id, "system01") - rel(id, "msg")
			return d >= 0.2 && d <= 0.5
		}, none)},
		{"of=system03&min=0.5&max=0.7", each(func(id string) bool { v := rel(id, "system03"); return v >= 0.5 && v <= 0.7 }, none)},
		{"min=0.95", each(func(id string) bool {
			return slices.ContainsFunc(systems, func(s string) bool { return rel(id, s) >= 0.95 })
		}, none)},
		{"only=unscored", each(func(id string) bool {
			return slices.ContainsFunc(systems, func(s string) bool { return rows[[2]string{id, s}].Status == "unscored" })
		}, none)},
		{"lang=go&sort=mean", each(func(id string) bool { return mod5(id) == 2 }, func(id string) float64 {
			sum, n := 0.0, 0.0
			for _, s := range systems {
				if v := rel(id, s); !math.IsNaN(v) {
					sum, n = sum+v, n+1
				}
			}
			return sum / n
		})},
		{"system=system01&system=msg&sort=spread", each(all, func(id string) float64 {
			a, b := rel(id, "system01"), rel(id, "msg")
			switch p, q := math.IsNaN(a), math.IsNaN(b); {
			case p && q:
				return a
			case p || q:
				return 0 // there is one number
			}
			return math.Abs(a - b)
		})},
	} {
		q, _, err := v.parse(tt.query)
		if err != nil {
			t.Fatalf("%s: %v", tt.query, err)
		}
		s, err := v.scoresOf(q)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range v.list(q, s, nil).order {
			got = append(got, v.changes[n].key)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n%v\nwant\n%v", tt.query, got, tt.want)
		}
		if len(got) == 0 {
			t.Errorf("%s has no changes: the test tests nothing", tt.query)
		}
	}
}

// mod5 is the place of an id's language, from 1.
func mod5(id string) int {
	n := 0
	fmt.Sscan(id, &n)
	return (n-1)%5 + 1
}

// TestGaps holds what is over- and underrated against the study of agreement.
func TestGaps(t *testing.T) {
	m := make1(t, sizes{changes: 400, systems: 5})
	v := view(t, m.options())
	var rows []agreement.Row
	for k := range v.changes {
		c := &v.changes[k]
		for i := c.first; i < c.behind; i++ {
			r := &v.reviews[i]
			if name := v.systems.names[r.system]; r.state == scored && !math.IsNaN(r.human[2]) && name != dataset.HumanReference {
				rows = append(rows, agreement.Row{Change: c.key, Review: name,
					Metric: &agreement.Scores{Con: r.numbers[0], Comp: r.numbers[1], Rel: r.numbers[2]}, Human: &agreement.Scores{Con: r.human[0], Comp: r.human[1], Rel: r.human[2]}})
			}
		}
	}
	worst, err := agreement.FindWorst(rows, 1000)
	if err != nil || worst.Overrated.Reviews == 0 || worst.Underrated.Reviews == 0 {
		t.Fatalf("%+v, %v", worst, err)
	}
	q, _, err := v.parse("beside=human.rel&sort=over")
	if err != nil {
		t.Fatal(err)
	}
	l := v.list(q, v.given(), nil)
	for _, c := range slices.Concat(worst.Overrated.Cases, worst.Underrated.Cases) {
		i := v.find(&v.changes[v.byKey[c.Change]], v.systems.at[c.Review])
		if math.Abs(l.gaps[i]+c.RankDifference) > 1e-12 {
			t.Errorf("change %s, %s: %v, in the study %v", c.Change, c.Review, l.gaps[i], -c.RankDifference)
		}
	}
	// The first change of the table has the most overrated review of all.
	row := v.rowOf(l, &v.changes[l.order[0]])
	top := math.Inf(-1)
	for _, g := range l.gaps {
		if !math.IsNaN(g) {
			top = max(top, g)
		}
	}
	c := &v.changes[l.order[0]]
	if row.Mark == nil || l.gaps[v.find(c, q.systems[*row.Mark])] != top {
		t.Errorf("the first row is %+v, and the largest gap is %v", row, top)
	}
}

func TestParse(t *testing.T) {
	v := view(t, make1(t, sizes{changes: 20, systems: 3}).options())
	for query, want := range map[string]string{
		"x=1":                             `there is no parameter "x"`,
		"sort=id&sort=id":                 "the parameter sort is there twice",
		"mode=loud":                       `unknown mode "loud"`,
		"tau=0.3":                         "there is a tau, but no mode",
		"mode=hard&tau=2":                 "tau is 2",
		"mode=hard&tau=NaN":               `tau: "NaN" is not a number`,
		"mode=calibrated&tau=0.3":         "slope is 0",
		"mode=soft&comp=most":             `unknown comp "most"`,
		"mode=hard&tau=0.3&comp=noisy-or": "mode hard does not use comp noisy-or",
		"comp=noisy-or":                   "there is a comp, but no mode",
		"measure=x":                       `measure: there is no number "x"`,
		"beside=human.x":                  `beside: there is no number "human.x"`,
		"beside=metric.chrf":              `beside: there is no number "metric.chrf"`,
		"system=nobody":                   `system: there is no system "nobody"`,
		"lang=klingon":                    `lang: there is no language "klingon"`,
		"only=bad":                        `only: there is no "bad"`,
		"a=system01":                      "a difference is between two systems",
		"least=1":                         "least and most bound the difference",
		"min=x":                           `min: "x" is not a number`,
		"min=1e999":                       `min: "1e999" is not a number`,
		"q=" + strings.Repeat("x", 201):   "q: the text to search for has 201 characters",
		"sort=best":                       `sort: there is no order "best"`,
		"sort=system.nobody":              `sort: there is no system "nobody"`,
		"sort=diff":                       "a difference needs the systems a and b",
		"sort=over":                       "give beside",
		"down=2":                          "down: the only value is 1",
		"a=%zz":                           "not encoded",
		"q=" + strings.Repeat("x", limits.QueryBytes): "more than the limit",
	} {
		if _, _, err := v.parse(query); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", query, err, want)
		}
	}
	for query, want := range map[string]string{"from=-1": "from: want a whole number", "count=501": "count: want a whole number from 0 to 500", "from=1.5": "from", "count=": "count"} {
		p, _ := url.ParseQuery(query)
		if _, _, err := window(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", query, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	v := view(f, make1(f, sizes{changes: 20, systems: 3}).options())
	for _, seed := range []string{"", "mode=ramp&tau=0.4&low=0.1&sort=mean&down=1", "a=system01&b=msg&least=-1&most=1&sort=diff", "q=value&only=unscored&lang=go&from=3&count=9", "beside=human.rel&sort=under&measure=con&of=msg&min=0&max=1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		q, p, err := v.parse(query, "from", "count")
		if err != nil {
			if q != nil || len(err.Error()) > 1000 {
				t.Fatalf("%q: %v", query, err)
			}
			return
		}
		q.text = "" // no search
		l, _, err := v.listingOf(q)
		if err != nil {
			t.Fatalf("%q: %v", query, err)
		}
		from, count, err := window(p)
		if err != nil {
			return
		}
		for _, n := range l.order[min(from, len(l.order)):min(from+count, len(l.order))] {
			if row := v.rowOf(l, &v.changes[n]); len(row.Cells) != len(q.systems) {
				t.Fatalf("%q: %+v", query, row)
			}
		}
		if _, err := json.Marshal(firstOf(v.distributions(l))); err != nil {
			t.Fatalf("%q: %v", query, err)
		}
	})
}

func firstOf(s []System, _, _ float64) []System { return s }

// TestDistributions counts the reviews of each system, their mean and their bars.
func TestDistributions(t *testing.T) {
	v := view(t, make1(t, sizes{changes: 250, systems: 4}).options())
	for _, query := range []string{"", "lang=go", "measure=human.rel", "mode=soft"} {
		q, _, err := v.parse(query)
		if err != nil {
			t.Fatal(err)
		}
		l, _, err := v.listingOf(q)
		if err != nil {
			t.Fatal(err)
		}
		systems, low, high := v.distributions(l)
		for k, got := range systems {
			want := System{Name: v.systems.names[k], Human: v.systems.names[k] == dataset.HumanReference, Bins: make([]int, bins)}
			sum := 0.0
			for _, n := range l.order {
				i := v.find(&v.changes[n], int32(k))
				if i < 0 {
					continue
				}
				if want.Reviews++; l.scores.states[i] == scored {
					want.Scored++
				} else {
					want.Unscored++
				}
				if value := l.of(v.index, &v.changes[n], int32(k)); !math.IsNaN(value) {
					want.Values++
					sum += value
					place := (value - low) / (high - low) * bins
					want.Bins[int(min(place, bins-1))]++
				}
			}
			want.Mean = new(sum / float64(want.Values))
			if !reflect.DeepEqual(got, want) || got.Values == 0 {
				t.Errorf("%s: %+v, want %+v", query, got, want)
			}
		}
	}
	for _, tt := range []struct {
		v, low, high float64
		want         int
	}{{0, 0, 1, 0}, {1, 0, 1, bins - 1}, {0.5, 0, 1, bins / 2}, {-3, 0, 1, 0}, {7, 1, 5, bins - 1}} {
		if got := bin(tt.v, tt.low, tt.high); got != tt.want {
			t.Errorf("%v from %v to %v is in bar %d, not %d", tt.v, tt.low, tt.high, got, tt.want)
		}
	}
}
