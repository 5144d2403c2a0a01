package dataset

import (
	"slices"

	"crscore/score"
)

// tell sets how a score was made. get returns the fields of the row. Where the row does not tell,
// its signature does: rows of earlier versions have no kind, and other programs know none.
func (r *ScoreReader) tell(s *Score, get func(name string) string) {
	kind := get("kind")
	if s.told = slices.Contains(score.Kinds(), kind); r.last == nil || r.last.Signature != s.Signature || r.last.told != s.told {
		r.last = &Score{Signature: s.Signature, told: s.told}
		r.last.read(kind, get)
	}
	s.Kind, s.Protocol, s.Mode, s.Rule = r.last.Kind, r.last.Protocol, r.last.Mode, r.last.Rule
	s.LowerIsBetter = s.turned(s.Metric)
}

func (s *Score) read(kind string, get func(name string) string) {
	var fields score.Signature
	if s.told {
		for _, name := range []string{"mode", "tau", "low", "slope", "weights"} {
			fields = append(fields, score.Field{Name: name, Value: get(name)})
		}
		fields = append(fields, score.Field{Name: "comp", Value: get("comp_by")})
		s.Kind, s.Protocol = kind, get("protocol")
	} else {
		fields = score.ReadSignature(s.Signature)
		s.Kind, s.Protocol = fields.Kind()
	}
	s.Mode = fields.Get("mode")
	if rule, ok := fields.Rule(); ok {
		s.Rule = &rule
	}
}

// turned reports whether lower numbers of a metric are better; of an empty name, those of con,
// comp and rel.
func (s *Score) turned(metric string) bool {
	if s.lower == nil { // a table of metrics may have lost the column
		return (!s.told || s.Kind == score.KindMetrics) && score.LowerIsBetter(s.Signature)
	}
	return slices.Contains(s.lower, metric) || metric == "" && slices.ContainsFunc(ownNumbers[:], func(name string) bool { return slices.Contains(s.lower, name) })
}
