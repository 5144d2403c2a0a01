package refmetrics

import (
	"context"
	"strings"
	"unicode"
)

// exactInfo is exact match: 1 where the texts are the same, else 0.
func exactInfo() Info {
	return Info{
		Name: "exact", About: "whether the texts are the same",
		Source: "equality of bytes, or of letters without white space, case and trailing .!?,;:",
		Max:    1,
		build: func(o *options, _ Needs) (Metric, error) {
			return exact{normalised: o.choice("text", "bytes", "normalised") == "normalised"}, nil
		},
	}
}

type exact struct{ normalised bool }

func (m exact) Score(_ context.Context, hypothesis string, references []string) (float64, error) {
	if m.normalised {
		hypothesis = normalised(hypothesis)
	}
	for _, ref := range references {
		if m.normalised {
			ref = normalised(ref)
		}
		if hypothesis == ref {
			return 1, nil
		}
	}
	return 0, nil
}

// normalised drops white space, case and punctuation at the end.
func normalised(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
	return strings.TrimRight(text, ".!?,;:")
}
