package judge

import (
	"fmt"
	"testing"

	"crscore/chat"
	"crscore/chat/chattest"
	"crscore/eval/resample"
)

// TestBias measures judges with known preferences.
func TestBias(t *testing.T) {
	length := func(_ int, text string) float64 { return float64(len(text)) }
	first := func(place int, _ string) float64 { return float64(place) }
	last := func(place int, _ string) float64 { return float64(-place) }
	for name, tt := range map[string]struct {
		order                      func(int, string) float64
		winner, perPlace, firstLst float64
	}{
		"ignores the order":  {length, 0, 0, 0},
		"prefers the first":  {first, 1, 1, 3},
		"prefers the last":   {last, 1, -1, -3},
		"finds all the same": {func(int, string) float64 { return 0 }, 0, 0, 0},
	} {
		var b Bias
		for i := range 6 {
			c := caseOf(t, "a", "bb", "", "cccc", "ddd", "bb")
			c.ID = fmt.Sprint(i)
			m := &chattest.Fake{Answer: func(r chat.Request) (string, error) { return ranking(r, tt.order), nil }}
			var places [][]Place
			for _, v := range verdicts(t, m, Options{Protocol: Criteria}, c) {
				places = append(places, v.Places)
			}
			b.Add(places)
		}
		rep, err := b.Report(t.Context(), resample.Bootstrap{})
		if err != nil || rep.Changes != 6 {
			t.Fatalf("%s: %d changes, %v", name, rep.Changes, err)
		}
		if w, p, f := *rep.WinnerChanged.Value, *rep.RanksPerPlace.Value, *rep.FirstToLast.Value; w != tt.winner || p != tt.perPlace || f != tt.firstLst {
			t.Errorf("%s: winner changed %g, ranks per place %g, first to last %g", name, w, p, f)
		}
	}
}

// TestNoBias: without a change in two orders there are no numbers.
func TestNoBias(t *testing.T) {
	var b Bias
	b.Add(nil)
	b.Add([][]Place{{{1, 1}}})
	b.Add([][]Place{{{1, 1}, {2, 1}}, nil})
	b.Add([][]Place{{{1, 1.5}, {2, 1.5}}, {{1, 1.5}, {2, 1.5}}})
	rep, err := b.Report(t.Context(), resample.Bootstrap{})
	if err != nil || rep.Changes != 0 || rep.WinnerChanged.Value != nil || rep.RanksPerPlace.Value != nil || rep.FirstToLast.Value != nil || rep.WinnerChanged.Undefined == "" {
		t.Errorf("%+v, %v", rep, err)
	}
}

// TestWinners: a shared first place is a winner too.
func TestWinners(t *testing.T) {
	for _, tt := range []struct {
		first, second []float64 // ranks of two reviews in the two orders
		want          float64
	}{
		{[]float64{1, 2}, []float64{1, 2}, 0},
		{[]float64{1, 2}, []float64{2, 1}, 1},
		{[]float64{1.5, 1.5}, []float64{1, 2}, 1},
		{[]float64{1.5, 1.5}, []float64{1.5, 1.5}, 0},
	} {
		var b Bias
		b.Add([][]Place{{{1, tt.first[0]}, {2, tt.second[0]}}, {{2, tt.first[1]}, {1, tt.second[1]}}})
		rep, err := b.Report(t.Context(), resample.Bootstrap{})
		if err != nil || *rep.WinnerChanged.Value != tt.want {
			t.Errorf("%v, %v: %v, %v", tt.first, tt.second, rep.WinnerChanged, err)
		}
	}
}

func TestResemble(t *testing.T) {
	for _, tt := range []struct {
		system, model string
		want          bool
	}{
		{"gpt3.5", "openai:gpt-4o", true},
		{"GPT-4", "openai:gpt-4o", true},
		{"codellama", "ollama:llama3", true},
		{"llama", "ollama:codellama:7b", true},
		{"deepseek-coder", "openai:deepseek-chat", true},
		{"codereviewer", "ollama:qwen2.5-coder", false},
		{"llm_reviewer", "ollama:qwen2.5-coder", false},
		{"knn", "openai:gpt-4o", false},
		{"knn", "ollama:qwen2.5-coder", false},
		{"openai-bot", "openai:o3-mini", false},
		{"", "openai:gpt-4o", false},
	} {
		if got := Resemble(tt.system, tt.model); got != tt.want {
			t.Errorf("%q and %q: %v", tt.system, tt.model, got)
		}
	}
}
