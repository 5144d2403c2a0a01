package dataset

import (
	"fmt"
	"slices"

	"crscore/score"
)

// tell sets how a score was made. Where the row does not tell, its signature does: rows of earlier versions have
// no kind, and other programs know none.
func (r *ScoreReader) tell(s *Score) {
	if s.told = slices.Contains(score.Kinds(), s.Kind); r.last == nil || r.last.Signature != s.Signature || r.last.told != s.told {
		r.last = &Score{Row: s.Row, told: s.told}
		r.last.read()
	}
	s.Kind, s.Protocol, s.Mode, s.Rule = r.last.Kind, r.last.Protocol, r.last.Mode, r.last.Rule
	s.Lower = s.turned(s.Metric)
}

func (s *Score) read() {
	var fields score.Signature
	if s.told {
		for _, c := range rowColumns {
			value := ""
			switch v := c.Of(&s.Row).(type) {
			case *string:
				value = *v
			case **float64:
				if *v != nil {
					value = fmt.Sprint(**v)
				}
			}
			switch c.Name {
			case "mode", "tau", "low", "slope", "weights":
				fields = append(fields, score.Field{Name: c.Name, Value: value})
			case "comp_by":
				fields = append(fields, score.Field{Name: "comp", Value: value})
			}
		}
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
	if s.LowerIsBetter == nil { // a table of metrics may have lost the column
		return (!s.told || s.Kind == score.KindMetrics) && score.LowerIsBetter(s.Signature)
	}
	return slices.Contains(s.LowerIsBetter, metric) || metric == "" && slices.ContainsFunc(ownNumbers[:], func(name string) bool { return slices.Contains(s.LowerIsBetter, name) })
}
