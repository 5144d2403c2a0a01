package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"crscore"
	"crscore/eval/agreement"
	"crscore/eval/resample"
	"crscore/internal/dataset"
	"crscore/score"
	"crscore/sts/builtin"
)

//go:embed reproduction.md.tmpl
var page string

// The systems by the paper's names and the ids in the data, in its order; what
// Table 10 says of them: human con, comp and rel (normalised), then the metric's.
var systems = []struct {
	id, name      string
	human, metric [3]string
}{
	{"knn", "BM25", [3]string{"0.0301", "0.0112", "0.0163"}, [3]string{"0", "0", "0"}},
	{"lstm", "LSTM", [3]string{"0.1048", "0.0361", "0.0515"}, [3]string{"0.0372", "0.0123", "0.0179"}},
	{"codereviewer", "CodeReviewer", [3]string{"0.5146", "0.1692", "0.2311"}, [3]string{"0.4639", "0.2413", "0.2974"}},
	{"stable_code", "Stable-Code-3B", [3]string{"0.3222", "0.1383", "0.1718"}, [3]string{"0.3353", "0.2091", "0.2319"}},
	{"deepseekcoder", "DeepSeekCoder-6.7B", [3]string{"0.6108", "0.3153", "0.3797"}, [3]string{"0.5037", "0.3989", "0.4043"}},
	{"magicoder", "Magicoder-6.7B", [3]string{"0.4915", "0.3127", "0.3351"}, [3]string{"0.4381", "0.4746", "0.4032"}},
	{"llama3", "Llama-3-8B", [3]string{"0.6091", "0.3368", "0.4046"}, [3]string{"0.3503", "0.3967", "0.3404"}},
	{"codellama_13b", "CodeLlama-13B", [3]string{"0.1985", "0.1546", "0.1564"}, [3]string{"0.2493", "0.2528", "0.2309"}},
	{"gpt3.5", "GPT-3.5", [3]string{"0.6564", "0.4132", "0.4759"}, [3]string{"0.5622", "0.6301", "0.5507"}},
	{dataset.HumanReference, "human reference", [3]string{"0.5129", "0.2190", "0.2819"}, [3]string{"0.2510", "0.1598", "0.1741"}},
}

// best is the system whose reviews the paper finds τ by (τ_best); τ_GT is from the
// human references.
const best = "gpt3.5"

// grid are the thresholds of the sweeps. The paper's are on another scale.
var grid = []float64{0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6}

// settings are the ways to score, the default one first.
func settings() []setting {
	return []setting{
		{name: "ours, default"},
		{name: "ours, GPT-4o", claims: crscore.DataClaims("gpt4o"), noSmells: true},
		{name: "ours, Magicoder" + seen, claims: crscore.DataClaims("magicoder")},
		{name: "ours, annotators" + oracle, claims: crscore.DataClaims("edited")},
		{name: "paper's rules" + seen, claims: crscore.DataClaims("magicoder"), cosine: true},
		{name: "code's habits" + seen, claims: crscore.DataClaims("magicoder"), cosine: true, compat: crscore.CompatCode},
	}
}

// scorer is a metric with its agreement: a row of most tables.
type scorer struct {
	name  string
	rows  []agreement.Row
	table agreement.Table
	rank  agreement.Ranking
	// reference are the means of the human references, which no ranking has.
	reference agreement.ByDimension[agreement.MeanPair]
}

// study is what the page is made of.
type study struct {
	ctx      context.Context
	set      labelled
	rated    map[string]rating
	options  agreement.Options
	measured []measured
	scorers  []scorer
	// references are the metrics that need a human reference.
	references []compared
}

// reproduce writes the page.
func reproduce(ctx context.Context, set labelled, rated map[string]rating, o agreement.Options) ([]byte, error) {
	s := study{ctx: ctx, set: set, rated: rated, options: o}
	for _, tau := range releasedTaus {
		if err := s.add("released, τ "+tau, set.releasedRows(tau)); err != nil {
			return nil, err
		}
	}
	for _, one := range settings() {
		m, err := one.measure(ctx, set)
		if err != nil {
			return nil, err
		}
		s.measured = append(s.measured, m)
		rules, err := m.rules(&set)
		if err != nil {
			return nil, err
		}
		for _, rule := range rules {
			rows, err := m.rows(&set, rule.Rule)
			if err != nil {
				return nil, err
			}
			if err := s.add(m.name+", "+rule.name, rows); err != nil {
				return nil, err
			}
		}
	}
	var err error
	if s.references, err = compareReferences(ctx, &s.set, o); err != nil {
		return nil, err
	}
	t, err := template.New("page").Parse(page)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, &s)
	return b.Bytes(), err
}

// namedRule is a rule as the tables call it.
type namedRule struct {
	name string
	score.Rule
}

// rules are those that a setting is scored by: hard at the default threshold, and
// the default rule where it is another; with cosine hard at the paper's two.
func (m *measured) rules(set *labelled) ([]namedRule, error) {
	if m.cosine {
		var out []namedRule
		for _, t := range []struct{ name, system string }{{"τ_GT", dataset.HumanReference}, {"τ_best", best}} {
			tau, err := m.paperTau(set, t.system)
			if err != nil {
				return nil, err
			}
			out = append(out, namedRule{fmt.Sprintf("hard %s %.4f", t.name, tau), score.Rule{Mode: score.Hard, Tau: tau}})
		}
		return out, nil
	}
	out := []namedRule{{"hard", m.hard}}
	if m.rule.Mode != score.Hard {
		out = append(out, namedRule{string(m.rule.Mode), m.rule})
	}
	return out, nil
}

// add measures the agreement of a metric.
func (s *study) add(name string, rows []agreement.Row) (err error) {
	c := scorer{name: name, rows: rows}
	if c.table, err = agreement.Tabulate(s.ctx, rows, s.options); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if c.rank, err = agreement.Rank(s.ctx, rows, s.options); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var references []agreement.Row
	for _, r := range rows {
		if r.Review == dataset.HumanReference && r.Metric != nil {
			r.Review = "human reference" // by another id, because msg is left out
			references = append(references, r)
		}
	}
	if len(references) >= agreement.MinReviews {
		rank, err := agreement.Rank(s.ctx, references, s.options)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		c.reference = rank.Systems[0].Means
	}
	s.scorers = append(s.scorers, c)
	return nil
}

// line is a line of a Markdown table.
func line(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// number is a threshold as people write it.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Data names the file.
func (s *study) Data() string {
	return fmt.Sprintf("`%s` (sha256 `%.12s`): %d changes, %d reviews of nine systems with labels", s.set.name, s.set.sum, len(s.set.records), s.scorers[0].table.All.Reviews)
}

// Resamples is the number of draws behind an interval.
func (s *study) Resamples() int { return cmp.Or(s.options.Resamples, resample.DefaultResamples) }

// Signatures has a line a setting: what its similarities are made with.
func (s *study) Signatures() string {
	var b strings.Builder
	for _, m := range s.measured {
		fmt.Fprintf(&b, "- %s: `%s`\n", m.name, m.made)
	}
	return b.String()
}

// Seen and Oracle are the marks.
func (*study) Seen() string   { return seen }
func (*study) Oracle() string { return oracle }

// DefaultMode is the default mode, empty where that is hard.
func (s *study) DefaultMode() string {
	if r := s.measured[0].rule; r.Mode != score.Hard {
		return string(r.Mode)
	}
	return ""
}

// Profiles says how the modes that are shown were fitted.
func (s *study) Profiles() (string, error) {
	list, err := score.ParseProfiles(builtin.Profiles())
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i, p := range list {
		rule, err := p.Scoring()
		if err != nil {
			return "", err
		}
		if i == 0 || p.Mode == score.Hard {
			fmt.Fprintf(&b, "- `%s`: %s; %s, claims %s, smells %s\n", rule.Signature(), p.Rule, p.Data, p.Claims, p.Smells)
		}
	}
	return b.String(), nil
}

// KeptShare says how many of Magicoder's claims annotators had before them.
func (s *study) KeptShare() string {
	var kept, claims int
	for _, l := range languages {
		e := s.set.edits(l.id)
		kept, claims = kept+e.kept, claims+e.claims
	}
	return fmt.Sprintf("%d of %d", kept, claims)
}

// PairShares says how many pairs there are, and how many of them are linked.
func (s *study) PairShares() string {
	all := slices.DeleteFunc(slices.Clone(s.measured[0].links), func(l agreement.Link) bool { return l.Review == dataset.HumanReference })
	some := addressing(all)
	linked := 0
	for _, l := range all {
		if l.Addressed {
			linked++
		}
	}
	return fmt.Sprintf("Here %d pairs, %d of them (%.0f%%) linked; %d pairs of reviews that address at least one reference, %.0f%% of them linked.",
		len(all), linked, 100*float64(linked)/float64(len(all)), len(some), 100*float64(linked)/float64(len(some)))
}

// ReleasedFits says of which references the released Comp can be a share.
func (s *study) ReleasedFits() string {
	claims, both, none := 0, 0, 0
	for i := range s.set.records {
		rec := &s.set.records[i]
		n := len(rec.Claims["gpt4o"])
		if n == 0 {
			none++
		}
		if s.set.shareOf(rec, n) {
			claims++
		}
		if s.set.shareOf(rec, n+len(rec.Smells)) {
			both++
		}
	}
	return fmt.Sprintf("the released Comp is a fraction of the number of GPT-4o's claims in %d of the %d changes, of claims and smells together in %d (%d changes have no such claims).",
		claims, len(s.set.records), both, none)
}

// Unscored says how many reviews have no score in a setting.
func (s *study) Unscored() string {
	var out []string
	for _, m := range s.measured {
		for _, why := range slices.Sorted(maps.Keys(m.unscored)) {
			out = append(out, fmt.Sprintf("%s: %d (%s)", m.name, m.unscored[why], why))
		}
	}
	if len(out) == 0 {
		return "Every review has a score in every row."
	}
	return "Unscored reviews, which a row leaves out: " + strings.Join(out, "; ") + "."
}

// Table1Edits is what the annotators' list kept of the model's claims.
func (s *study) Table1Edits() string {
	var b strings.Builder
	for _, l := range languages {
		e := s.set.edits(l.id)
		b.WriteString(line(l.name, strconv.Itoa(e.changes), strconv.Itoa(e.claims), percent(e.kept, e.claims), percent(e.other, e.claims)))
	}
	return b.String()
}

// Table1Rating is what readers said of our claims.
func (s *study) Table1Rating() string {
	var b strings.Builder
	for _, l := range languages {
		r := s.rated[l.id]
		b.WriteString(line(l.name, strconv.Itoa(r.claims), percent(r.correct, r.claims), percent(r.incorrect, r.claims), percent(r.unverifiable, r.claims), percent(r.missing, r.claims)))
	}
	return b.String()
}

func percent(n, of int) string {
	if of == 0 {
		return "none"
	}
	return fmt.Sprintf("%.2f", 100*float64(n)/float64(of))
}

// Table2 is the order of the systems by rel.
func (s *study) Table2() string {
	return s.each(func(c *scorer) []string {
		return []string{c.rank.Rel.Spearman.String(), c.rank.Rel.KendallTauB.String()}
	})
}

// Table3 is rel.
func (s *study) Table3() string {
	return s.each(func(c *scorer) []string {
		return []string{c.table.All.Rel.KendallTauB.String(), c.table.All.Rel.Spearman.String()}
	})
}

// Table9 has the three dimensions.
func (s *study) Table9() string {
	return s.each(func(c *scorer) []string {
		var cells []string
		for _, d := range []agreement.Coefficients{c.table.All.Con, c.table.All.Comp, c.table.All.Rel} {
			cells = append(cells, d.KendallTauB.String(), d.Spearman.String())
		}
		return cells
	})
}

// Table11 is rel by language.
func (s *study) Table11() string {
	return s.each(func(c *scorer) []string {
		var cells []string
		for _, l := range languages {
			i := slices.IndexFunc(c.table.Languages, func(g agreement.Group) bool { return g.Name == l.id })
			if i < 0 {
				cells = append(cells, "no reviews", "no reviews")
				continue
			}
			rel := c.table.Languages[i].Rel
			cells = append(cells, rel.KendallTauB.String(), rel.Spearman.String())
		}
		return cells
	})
}

func (s *study) each(cells func(*scorer) []string) string {
	var b strings.Builder
	for i := range s.scorers {
		b.WriteString(line(append([]string{s.scorers[i].name}, cells(&s.scorers[i])...)...))
	}
	return b.String()
}

// inTable10 begin the names of the rows that are columns of Table 10.
var inTable10 = []string{"released, τ 0.7314", "ours, default", "ours, Magicoder"}

// Table10 has the means of one dimension: con, comp or rel.
func (s *study) Table10(dimension string) (string, error) {
	at := slices.Index([]string{"con", "comp", "rel"}, dimension)
	pick := func(d agreement.ByDimension[agreement.MeanPair]) agreement.MeanPair {
		return [3]agreement.MeanPair{d.Con, d.Comp, d.Rel}[at]
	}
	header, rule := []string{"", "paper: people", "here: people", "paper: metric, τ_best"}, []string{"---", "---", "---", "---"}
	shown := slices.DeleteFunc(slices.Clone(s.scorers), func(c scorer) bool {
		return !slices.ContainsFunc(inTable10, func(prefix string) bool { return strings.HasPrefix(c.name, prefix) })
	})
	for _, c := range shown {
		header, rule = append(header, c.name), append(rule, "---")
	}
	var b strings.Builder
	b.WriteString(line(header...) + line(rule...))
	for _, system := range systems {
		cells := []string{system.name, system.human[at], "", system.metric[at]}
		for _, c := range shown {
			mean := pick(c.reference)
			if system.id != dataset.HumanReference {
				i := slices.IndexFunc(c.rank.Systems, func(r agreement.System) bool { return r.Name == system.id })
				if i < 0 {
					return "", fmt.Errorf("the data has no reviews of %s with labels", system.id)
				}
				mean = pick(c.rank.Systems[i].Means)
			}
			if mean.Metric.Value == nil {
				cells = append(cells, "none")
				continue
			}
			cells[2] = normalised(mean.Human).String()
			cells = append(cells, mean.Metric.String())
		}
		b.WriteString(line(cells...))
	}
	return b.String(), nil
}

// normalised brings labels from 1 to 5 to [0,1], as the paper's Table 10 does.
func normalised(e agreement.Estimate) agreement.Estimate {
	if e.Value != nil {
		v := (*e.Value - 1) / 4
		e.Value = &v
	}
	if e.Interval != nil {
		e.Interval = &[2]float64{(e.Interval[0] - 1) / 4, (e.Interval[1] - 1) / 4}
	}
	return e
}

// threshold is a row of a sweep: the same τ for every setting, or each setting's
// own.
type threshold struct {
	name string
	tau  func(m *measured) (float64, bool, error)
}

func (s *study) thresholds() []threshold {
	var out []threshold
	for _, tau := range grid {
		out = append(out, threshold{"", func(*measured) (float64, bool, error) { return tau, true, nil }})
	}
	own := func(system string) func(m *measured) (float64, bool, error) {
		return func(m *measured) (float64, bool, error) {
			tau, err := m.paperTau(&s.set, system)
			return tau, true, err
		}
	}
	return append(out,
		threshold{"the profile's for hard mode", func(m *measured) (float64, bool, error) { return m.hard.Tau, !m.cosine, nil }},
		threshold{"τ_GT", own(dataset.HumanReference)},
		threshold{"τ_best", own(best)},
	)
}

// Table4 is how well a setting's similarities find what annotators linked: of the
// reviews that address something, and of all.
func (s *study) Table4(setting int) (string, error) {
	m := &s.measured[setting]
	var taus []float64
	var names []string
	for _, t := range s.thresholds() {
		tau, ok, err := t.tau(m)
		if err != nil {
			return "", err
		}
		if ok {
			taus, names = append(taus, tau), append(names, t.name)
		}
	}
	all, err := agreement.Match(s.ctx, m.links, taus, s.options.Bootstrap)
	if err != nil {
		return "", err
	}
	some, err := agreement.Match(s.ctx, addressing(m.links), taus, s.options.Bootstrap)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i, tau := range taus {
		at := slices.IndexFunc(some.Thresholds, func(t agreement.Threshold) bool { return t.Tau == tau })
		t, whole := some.Thresholds[at], all.Thresholds[at]
		b.WriteString(line(label(names[i], tau), t.Precision.String(), t.Recall.String(), t.F1.String(), whole.Precision.String(), whole.F1.String()))
	}
	b.WriteString(line("ROC-AUC", some.ROCAUC.String(), "", "", all.ROCAUC.String(), ""))
	b.WriteString(line("pairs, linked", fmt.Sprintf("%d, %d", some.Linked+some.Other, some.Linked), "", "", fmt.Sprintf("%d, %d", all.Linked+all.Other, all.Linked), ""))
	return b.String(), nil
}

// addressing keeps the pairs of reviews that address something.
func addressing(links []agreement.Link) []agreement.Link {
	does := map[agreement.ReviewID]bool{}
	for _, l := range links {
		if l.Addressed {
			does[agreement.ReviewID{Change: l.Change, Review: l.Review}] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(links), func(l agreement.Link) bool {
		return !does[agreement.ReviewID{Change: l.Change, Review: l.Review}]
	})
}

func label(name string, tau float64) string {
	if name == "" {
		return number(tau)
	}
	return fmt.Sprintf("%s, %.4f", name, tau)
}

// Table18 is the agreement of rel in hard mode over τ, for some of the settings.
func (s *study) Table18(settings ...int) (string, error) {
	var b strings.Builder
	for _, t := range s.thresholds() {
		cells := []string{t.name}
		for _, i := range settings {
			m := &s.measured[i]
			tau, ok, err := t.tau(m)
			if err != nil {
				return "", err
			}
			if !ok {
				cells = append(cells, "none", "none")
				continue
			}
			rows, err := m.rows(&s.set, score.Rule{Mode: score.Hard, Tau: tau, Weights: m.hard.Weights})
			if err != nil {
				return "", err
			}
			table, err := agreement.Tabulate(s.ctx, rows, s.options)
			if err != nil {
				return "", err
			}
			before := ""
			if t.name == "" {
				cells[0] = number(tau)
			} else {
				before = fmt.Sprintf("(%.4f) ", tau)
			}
			cells = append(cells, before+table.All.Rel.KendallTauB.String(), table.All.Rel.Spearman.String())
		}
		b.WriteString(line(cells...))
	}
	return b.String(), nil
}

// Compare says which of two rows agrees better in rel, by Spearman's ρ.
func (s *study) Compare(a, b string) (string, error) {
	find := func(prefix string) (*scorer, error) {
		for i := range s.scorers {
			if strings.HasPrefix(s.scorers[i].name, prefix) {
				return &s.scorers[i], nil
			}
		}
		return nil, fmt.Errorf("there is no row %q", prefix)
	}
	x, err := find(a)
	if err != nil {
		return "", err
	}
	y, err := find(b)
	if err != nil {
		return "", err
	}
	c, err := agreement.Compare(s.ctx, x.rows, y.rows, s.options)
	if err != nil {
		return "", err
	}
	return c.Rel.Spearman.Sentence("*"+x.name+"*", "*"+y.name+"*"), nil
}
