package fact_test

import (
	"testing"

	"crscore/pseudoref/symbolic/fact"
)

func TestWeightName(t *testing.T) {
	for weight, want := range map[int]string{
		fact.File + 1: "file", fact.Signature: "signature", fact.Signature - 1: "declaration", fact.Follows: "consequence",
		fact.Text: "text", fact.Format: "format", 0: "format",
	} {
		if got := fact.WeightName(weight); got != want {
			t.Errorf("%d is %s, want %s", weight, got, want)
		}
	}
}
