package crscore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"crscore/change/changetest"
	"crscore/chat"
	"crscore/pseudoref/llm"
	"crscore/score"
)

// scripted is a model with one answer, or none.
type scripted struct {
	answer string
	fail   error
}

func (scripted) Name() string { return "ollama:m" }

func (s scripted) Digest(context.Context) (string, error) {
	if s.answer == "" {
		return "", s.fail
	}
	return "sha256:0123456789abcdef", nil
}

func (s scripted) Generate(ctx context.Context, _ chat.Request) (chat.Response, error) {
	return chat.Response{Text: s.answer}, errors.Join(s.fail, ctx.Err())
}

const modelSignature = "ollama:m@0123456789ab/" + llm.PromptVersion + "/json/" + llm.CheckVersion

func modelClaims(t *testing.T, m chat.Model, opts ModelOptions) Source {
	t.Helper()
	s, err := ModelClaims(m, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestModelClaims(t *testing.T) {
	m := scripted{answer: "{\"summary\":[\"The parameter `hash` was added to `push`.\",\"`push` got a parameter `salt`.\"],\"implications\":[\"The items are tuples now.\"]}"}
	e := newEngine(t, Options{Similarity: words{}, Mode: score.Soft, Claims: []Source{modelClaims(t, m, ModelOptions{})}, Smells: []Source{}})
	set, results, err := e.Judge(t.Context(), Input{Change: changetest.Parse(t, pushDiff)}, "push takes a hash")
	if err != nil || results[0].Status != Scored {
		t.Fatalf("%+v, %v", results, err)
	}
	if len(set.Refs) != 2 || len(set.Dropped) != 1 || set.Dropped[0].Reason != llm.UnknownName {
		t.Errorf("references %+v, dropped %+v", set.Refs, set.Dropped)
	}
	if got := e.Signature(); !strings.HasSuffix(got, "claims="+modelSignature+" smells=none") || results[0].Signature != got {
		t.Errorf("signatures %s and %s", got, results[0].Signature)
	}
}

// TestModelThinks: claims that stood among the model's thoughts are claims, and the signature says so.
func TestModelThinks(t *testing.T) {
	m := scripted{answer: "<reasoning_content>\n{\"summary\":[\"The parameter `hash` was added to `push`.\"],\"implications\":[]}"}
	e := newEngine(t, Options{Similarity: words{}, Mode: score.Soft, Claims: []Source{modelClaims(t, m, ModelOptions{})}, Smells: []Source{}})
	set, results, err := e.Judge(t.Context(), Input{Change: changetest.Parse(t, pushDiff)}, "push takes a hash")
	if err != nil || results[0].Status != Scored || len(set.Refs) != 1 || !strings.Contains(results[0].Signature, "claims="+modelSignature+"(reasoning_content) ") {
		t.Errorf("%+v, %v", results, err)
	}
}

// TestModelFails: a change is unscored with the reason, or, with a fallback,
// scored with a signature of its own.
func TestModelFails(t *testing.T) {
	gone := errors.New("start it with `ollama serve`")
	in := Input{Change: changetest.Parse(t, pushDiff)}
	for name, m := range map[string]scripted{"no server": {fail: gone}, "the call fails": {answer: "x", fail: gone}} {
		e := newEngine(t, Options{Similarity: words{}, Mode: score.Soft, Claims: []Source{modelClaims(t, m, ModelOptions{})}})
		_, results, err := e.Judge(t.Context(), in, "push takes a hash")
		if err != nil || results[0].Status != Unscored || !strings.Contains(results[0].Reason, "start it with") {
			t.Errorf("%s: %+v, %v", name, results[0], err)
		}
		if warned := len(e.Warnings()) == 1; warned != (name == "no server") {
			t.Errorf("%s: warnings %q", name, e.Warnings())
		}

		e = newEngine(t, Options{Similarity: words{}, Mode: score.Soft, Claims: []Source{modelClaims(t, m, ModelOptions{Fallback: SymbolicClaims()})}})
		set, results, err := e.Judge(t.Context(), in, "push takes a hash")
		if err != nil || results[0].Status != Scored || len(set.Refs) == 0 {
			t.Fatalf("%s, with a fallback: %+v, %v", name, results[0], err)
		}
		sig := results[0].Signature
		if !strings.Contains(sig, "claims="+SymbolicClaims().Signature()+"(instead-of:ollama:m@") || sig == e.Signature() {
			t.Errorf("%s: signature %s", name, sig)
		}
		if !slices.ContainsFunc(set.Warnings, func(w string) bool { return strings.Contains(w, "start it with") }) {
			t.Errorf("%s: warnings %q", name, set.Warnings)
		}
	}
}

func TestModelCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	e := newEngine(t, Options{Similarity: words{}, Mode: score.Soft, Claims: []Source{modelClaims(t, scripted{answer: "x"}, ModelOptions{Fallback: SymbolicClaims()})}})
	cancel()
	if _, _, err := e.Judge(ctx, Input{Change: changetest.Parse(t, pushDiff)}, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestFold: what the model says in the words of another source, or twice, counts
// once; like sentences about other things, or of
// what follows, count each.
func TestFold(t *testing.T) {
	symbolic := "The parameter `hash` was added to the function `push`."
	m := scripted{answer: "{\"summary\":[" +
		"\"The parameter `hash` was added to the `push` function.\"," +
		"\"The parameter `hash` was added to the function `len`.\"," +
		"\"`items` now holds tuples.\",\"`items` now holds tuples, all of them.\"]," +
		"\"implications\":[\"The parameter `hash` was added to `push` for callers.\"]}"}
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		sources := []Source{DataClaims("d"), modelClaims(t, m, ModelOptions{})}
		e := newEngine(t, Options{Claims: []Source{sources[order[0]], sources[order[1]]}, Smells: []Source{}})
		set, err := e.Refs(t.Context(), Input{Change: changetest.Parse(t, pushDiff), Claims: map[string][]string{"d": {symbolic}}})
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, r := range set.Refs {
			texts = append(texts, r.Text)
		}
		slices.Sort(texts)
		want := []string{symbolic, "The parameter `hash` was added to the function `len`.", "The parameter `hash` was added to `push` for callers.", "`items` now holds tuples."}
		slices.Sort(want)
		if d := cmp.Diff(want, texts); d != "" {
			t.Error(d, set.Dropped)
		}
		for _, dr := range set.Dropped {
			if dr.Reason != llm.Duplicate || dr.Detail == "" {
				t.Errorf("%+v", dr)
			}
		}
	}
}

// TestFallbackIsWhole: what takes a model's place says what it says elsewhere, and
// beside itself nothing twice.
func TestFallbackIsWhole(t *testing.T) {
	alike := []string{"The parameter `hash` was added to the function `push`.", "The parameter `hash` was added to the `push` function."}
	ready := DataClaims("d")
	in := Input{Change: changetest.Parse(t, pushDiff), Claims: map[string][]string{"d": alike}}
	failing := modelClaims(t, scripted{fail: errors.New("gone")}, ModelOptions{Fallback: ready})
	for _, sources := range [][]Source{{failing}, {ready, failing}} {
		set, err := newEngine(t, Options{Claims: sources, Smells: []Source{}}).Refs(t.Context(), in)
		if err != nil || len(set.Refs) != len(alike) || len(set.Dropped) != 0 {
			t.Errorf("%d sources: %+v, dropped %+v, %v", len(sources), set.Refs, set.Dropped, err)
		}
	}
}

// TestFoldKinds: what follows from a change is another point than what it does.
func TestFoldKinds(t *testing.T) {
	const text = "The parameter `hash` was added to the function `push`."
	m := modelClaims(t, scripted{answer: "{\"summary\":[],\"implications\":[\"The function `push`: the parameter `hash` was added.\"]}"}, ModelOptions{})
	set, err := newEngine(t, Options{Claims: []Source{DataClaims("d"), m}, Smells: []Source{}}).Refs(t.Context(), Input{Change: changetest.Parse(t, pushDiff), Claims: map[string][]string{"d": {text}}})
	if err != nil || len(set.Refs) != 2 {
		t.Errorf("%+v, dropped %+v, %v", set.Refs, set.Dropped, err)
	}
}
