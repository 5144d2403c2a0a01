package revision_test

import (
	"context"
	"fmt"

	"crscore/eval/revision"
	"crscore/internal/dataset"
)

// The answer has the edit of the target, and one more.
func ExampleScorer_Score() {
	s, err := revision.New(false)
	if err != nil {
		panic(err)
	}
	scores, err := s.Score(context.Background(), &dataset.Revision{
		Lang:        "go",
		Source:      "func f(a int) int { return a }",
		Target:      "func f(a int) int { return a + 1 }",
		Predictions: []string{"func f(a int) int { return a + 1 + 2 }"},
	})
	if err != nil {
		panic(err)
	}
	fmt.Printf("EXM %v, EM %v, REE %.0f\n", scores.EXM, scores.EM, *scores.REE)
	// Output: EXM false, EM true, REE 1
}
