package crscore

import (
	"context"
	"strings"
	"testing"

	"crscore/change/changetest"
	"crscore/pseudoref"
	"crscore/score"
	"crscore/sts"
	"crscore/sts/builtin"
)

func compatOptions(t *testing.T, c Compat) Options {
	t.Helper()
	enc, err := sts.NewBuiltin(context.Background(), sts.EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Similarity: sts.Cosine{Encoder: enc}, Closer: enc, Splitter: sts.Paper{}, Mode: score.Hard, Tau: ptr(0.9), Compat: c,
		Claims: []Source{DataClaims("m")}, Smells: []Source{DataSmells()},
	}
}

// TestCompat: empty lists are one empty text, and the first text of a list says which
// tokens of the others count.
func TestCompat(t *testing.T) {
	plain, code := newEngine(t, compatOptions(t, "")), newEngine(t, compatOptions(t, CompatCode))
	change := changetest.Parse(t, pushDiff)
	for _, tt := range []struct {
		name          string
		claims        []string
		review        string
		plain, code   score.Result // Con, Comp, Rel and Empty are compared
		plainUnscored bool
		sentences     int // with the habits
	}{
		{name: "an empty review", claims: []string{"parser"}, plain: score.Result{Empty: true}, sentences: 1},
		{name: "no references", review: "parser", plainUnscored: true, sentences: 1},
		{name: "neither", plainUnscored: true, sentences: 1},
		// Alone, "the parser" and "parser" say the same.
		{name: "one text each", claims: []string{"the parser"}, review: "parser", plain: score.Result{Con: 1, Comp: 1, Rel: 1}, code: score.Result{Con: 1, Comp: 1, Rel: 1}, sentences: 1},
		// Behind "cache" all that is left of "the parser" is "the", of "parser broken" it is
		// "parser", and so it is of "cache parser" behind "the token".
		{name: "a list loses", claims: []string{"cache", "the parser"}, review: "parser", plain: score.Result{Con: 1, Comp: 0.5, Rel: 2.0 / 3}, sentences: 1},
		{name: "a list wins", claims: []string{"cache", "parser broken"}, review: "parser", code: score.Result{Con: 1, Comp: 0.5, Rel: 2.0 / 3}, sentences: 1},
		{name: "sentences", claims: []string{"parser"}, review: "the token\ncache parser", code: score.Result{Con: 0.5, Comp: 1, Rel: 2.0 / 3}, sentences: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := Input{Change: change, Claims: map[string][]string{"m": tt.claims}, Smells: []string{}}
			judge := func(e *Engine) Result {
				_, results, err := e.Judge(context.Background(), in, tt.review)
				if err != nil {
					t.Fatal(err)
				}
				return results[0]
			}
			same := func(what string, got, want score.Result) {
				if got.Con != want.Con || got.Comp != want.Comp || got.Rel != want.Rel || got.Empty != want.Empty {
					t.Errorf("%s: con %v comp %v rel %v empty %v, want %v %v %v %v", what, got.Con, got.Comp, got.Rel, got.Empty, want.Con, want.Comp, want.Rel, want.Empty)
				}
			}
			p := judge(plain)
			if (p.Status == Unscored) != tt.plainUnscored {
				t.Errorf("without habits: %s", p.Status)
			}
			same("without habits", p.Result, tt.plain)
			c := judge(code)
			if c.Status != Scored || len(c.Sentences) != tt.sentences || !strings.Contains(c.Signature, " compat=crscore-code ") {
				t.Fatalf("with habits: %s, %d sentences, %s %s", c.Status, len(c.Sentences), c.Signature, c.Reason)
			}
			same("with habits", c.Result, tt.code)
		})
	}
}

// TestCompatReviewByReview: each review is a list of its own, whatever other reviews of
// the change there are; one beyond the limits stays unscored.
func TestCompatReviewByReview(t *testing.T) {
	e := newEngine(t, compatOptions(t, CompatCode))
	in := Input{Change: changetest.Parse(t, pushDiff), Claims: map[string][]string{"m": {"parser cache", "the token"}}, Smells: []string{}}
	reviews := []string{"parser\nthe token", "", "the token\nparser cache", strings.Repeat("push ", MaxReviewBytes/5+1)}
	_, together, err := e.Judge(context.Background(), in, reviews...)
	if err != nil {
		t.Fatal(err)
	}
	for i, review := range reviews[:3] {
		_, alone, err := e.Judge(context.Background(), in, review)
		if err != nil {
			t.Fatal(err)
		}
		for k, row := range alone[0].Match.Sim {
			for j := range row {
				if together[i].Match.Sim[k][j] != row[j] {
					t.Errorf("review %d: %v, alone %v", i, together[i].Match.Sim, alone[0].Match.Sim)
				}
			}
		}
	}
	if last := together[3]; last.Status != Unscored || !strings.Contains(last.Reason, "limit of 4 MiB") {
		t.Errorf("a review that is too large: %s, %s", last.Status, last.Reason)
	}
}

func TestCompatErrors(t *testing.T) {
	with := func(change func(*Options)) Options {
		o := compatOptions(t, CompatCode)
		change(&o)
		return o
	}
	made, err := score.ParseProfiles(builtin.Profiles())
	if err != nil {
		t.Fatal(err)
	}
	plain := newEngine(t, compatOptions(t, ""))
	made[0].Similarity, made[0].Splitter = plain.Provenance().Similarity.Portable(), plain.Provenance().Splitter
	for why, o := range map[string]Options{
		"unknown program":             with(func(o *Options) { o.Compat = "bleu" }),
		"needs the similarity cosine": {Compat: CompatCode},
		"an encoder that is a model":  {Compat: CompatCode, Similarity: sts.Cosine{}},
		"made with no compat":         with(func(o *Options) { o.Mode, o.Tau, o.Profile = "", nil, &made[0] }), // a profile made without
	} {
		e, err := New(context.Background(), o)
		if err == nil {
			e.Close()
		}
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
	}
}

// TestCompatPointsBack: what the splitter does is no habit, and stays as it is.
func TestCompatPointsBack(t *testing.T) {
	for _, c := range []Compat{"", CompatCode} {
		o := compatOptions(t, c)
		o.Splitter = sts.Markdown{}
		e := newEngine(t, o)
		m, err := e.Match(context.Background(), RefSet{Refs: []pseudoref.Ref{{Text: "parser"}}}, "The parser. It is late.")
		if err != nil {
			t.Fatal(err)
		}
		if sim := m[0].Sim; len(sim) != 2 || sim[0][0] < 0.99 || sim[1][0] < 0.79 || sim[1][0] > 0.81 {
			t.Errorf("compat %q: %v", c, sim)
		}
	}
}
