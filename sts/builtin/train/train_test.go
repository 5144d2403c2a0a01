package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"crscore/sts"
)

// writeCorpus makes two repositories of commits about subjects, where a commit's
// texts share a subject and use different words for it.
func writeCorpus(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	subjects := [][2][]string{
		{{"parser", "grammar", "token"}, {"lexer", "syntax", "scan"}},
		{{"socket", "network", "timeout"}, {"connection", "retry", "packet"}},
		{{"cache", "evict", "memory"}, {"lru", "bounded", "entries"}},
		{{"button", "colour", "screen"}, {"widget", "layout", "render"}},
		{{"database", "query", "index"}, {"sql", "transaction", "rollback"}},
		{{"password", "login", "session"}, {"auth", "credential", "cookie"}},
	}
	rng := rand.New(rand.NewPCG(7, 7))
	for r := range 2 {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("repo%d.jsonl.gz", r)))
		if err != nil {
			t.Fatal(err)
		}
		gz := gzip.NewWriter(f)
		for i := range 150 {
			s := subjects[rng.IntN(len(subjects))]
			say := func(side int) string {
				w := s[side]
				return fmt.Sprintf("%s the %s of %s number%s", w[rng.IntN(3)], w[rng.IntN(3)], w[rng.IntN(3)], strings.Repeat("x", i%7))
			}
			line, err := json.Marshal(row{
				Repo:    "made/up",
				Message: "fix(core): " + say(0) + "\n\n" + say(1) + ".\n\nSigned-off-by: Nobody <no@body.example>",
				Diff:    []string{"@func main() {", "-" + s[1][rng.IntN(3)] + "_old = 1", "+" + s[1][rng.IntN(3)] + "New()"},
			})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(gz, "%s\n", line)
		}
		if err := gz.Close(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var tiny = config{
	rules: sts.TextCodeStems, vocab: 200, pieces: 100, minCommits: 1, dim: 16, epochs: 8,
	batch: 32, block: 32, temperature: 0.07, rate: 0.02, seed: 3, threads: 2,
}

// trainTiny reads the corpus and trains on all of it.
func trainTiny(t *testing.T, dir string, cfg config, log io.Writer) (*corpus, *model, *vocabulary) {
	t.Helper()
	prepare, err := sts.TextPreparation(cfg.rules)
	if err != nil {
		t.Fatal(err)
	}
	c, err := readCorpus(dir, prepare)
	if err != nil {
		t.Fatal(err)
	}
	m, v, err := train(c, c.repos, nil, cfg, log)
	if err != nil {
		t.Fatal(err)
	}
	return c, m, v
}

func TestLossFalls(t *testing.T) {
	var log bytes.Buffer
	trainTiny(t, writeCorpus(t), tiny, &log)
	var losses []float64
	for line := range strings.Lines(log.String()) {
		var epoch int
		var loss float64
		if n, _ := fmt.Sscanf(line, "epoch %d: loss %f", &epoch, &loss); n == 2 {
			losses = append(losses, loss)
		}
	}
	if len(losses) != tiny.epochs || losses[len(losses)-1] > 0.8*losses[0] {
		t.Errorf("losses by epoch: %v, want the last clearly below the first", losses)
	}
}

// The gradient that trainStep applies is compared with finite differences of its
// own loss, through a plain step: Adam's first step only shows its sign.
func TestGradientSign(t *testing.T) {
	c, _, v := trainTiny(t, writeCorpus(t), tiny, io.Discard)
	rng := rand.New(rand.NewPCG(1, 2))
	var pairs [2][][]int32
	for _, commit := range c.repos[0].commits[:8] {
		a, b := v.commit(c, commit).pair(rng)
		pairs[0], pairs[1] = append(pairs[0], a), append(pairs[1], b)
	}
	fresh := func() *model {
		m := newModel(v, 16, 1, rand.New(rand.NewPCG(5, 5)))
		m.rate = 1e-4
		return m
	}
	loss := func(m *model) float64 {
		clone := *m
		clone.rows, clone.wts = slices.Clone(m.rows), slices.Clone(m.wts)
		clone.optimizer = fresh().optimizer
		return clone.trainStep(newBatch(&clone, 8), pairs, 0.07)
	}
	m := fresh()
	before := slices.Clone(m.rows)
	wtsBefore := slices.Clone(m.wts)
	m.trainStep(newBatch(m, 8), pairs, 0.07)
	checked := 0
	check := func(what string, value *float32, moved float32) {
		const h = 1e-2
		old := *value
		*value = old + h
		up := loss(m)
		*value = old - h
		down := loss(m)
		*value = old
		slope := (up - down) / (2 * h)
		if math.Abs(slope) < 0.02 {
			return // Too flat to tell its sign from rounding.
		}
		checked++
		if (slope > 0) != (moved < 0) {
			t.Errorf("%s: slope of the loss is %.4f, but the step moved it by %g", what, slope, moved)
		}
	}
	after, wtsAfter := slices.Clone(m.rows), slices.Clone(m.wts)
	copy(m.rows, before)
	copy(m.wts, wtsBefore)
	for _, token := range pairs[0][0] {
		for k := range m.dim {
			i := int(token)*m.dim + k
			check(fmt.Sprintf("row %d[%d]", token, k), &m.rows[i], after[i]-before[i])
		}
		check(fmt.Sprintf("weight %d", token), &m.wts[token], wtsAfter[token]-wtsBefore[token])
	}
	if checked < 10 {
		t.Errorf("only %d slopes were steep enough to check", checked)
	}
}

func exported(t *testing.T, cfg config, dir string) (string, *corpus, *model, *vocabulary) {
	t.Helper()
	c, m, v := trainTiny(t, dir, cfg, io.Discard)
	out := t.TempDir()
	if err := export(out, cfg.rules, v.tokens, m.pack()); err != nil {
		t.Fatal(err)
	}
	return out, c, m, v
}

// The number of threads must not change a bit either.
func TestSameSeedSameBytes(t *testing.T) {
	dir := writeCorpus(t)
	one, other := tiny, tiny
	one.threads, other.threads = 1, 3
	a, _, _, _ := exported(t, one, dir)
	b, _, _, _ := exported(t, other, dir)
	for _, name := range []string{"model.onnx", "tokenizer.json", "config.json", "SHA256SUMS"} {
		x, err := os.ReadFile(filepath.Join(a, name))
		if err != nil {
			t.Fatal(err)
		}
		y, err := os.ReadFile(filepath.Join(b, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(x, y) {
			t.Errorf("%s differs between two trainings with the same seed", name)
		}
	}
	other.seed++
	d, _, _, _ := exported(t, other, dir)
	x, _ := os.ReadFile(filepath.Join(a, "model.onnx"))
	y, _ := os.ReadFile(filepath.Join(d, "model.onnx"))
	if bytes.Equal(x, y) {
		t.Error("another seed gives the same model")
	}
}

// What is measured is what is served: text preparation, tokens, pooling and
// vectors of the packed model agree.
func TestServedAsTrained(t *testing.T) {
	dir, c, m, v := exported(t, tiny, writeCorpus(t))
	ctx := context.Background()
	e, err := sts.NewEncoder(ctx, os.DirFS(dir), sts.EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if e.Dim() != tiny.dim {
		t.Fatalf("dimension is %d, want %d", e.Dim(), tiny.dim)
	}
	texts := []string{
		"The parser's grammar scans tokens", "cacheLRU_evict2", "this is not there", "unknowable wordsmithery",
		"sql: transactions, rollbacks; índex", "", "!?", "日本語", "numberxxxxx loginSession",
	}
	got, err := e.Encode(ctx, texts)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]wordID{}
	for id, w := range c.words {
		ids[w] = wordID(id)
	}
	tokenIDs := map[string]int32{}
	for id, w := range v.tokens {
		tokenIDs[w] = int32(id)
	}
	zero := 0
	for i, text := range texts {
		var words []wordID
		for _, w := range strings.Fields(sts.CodeWords(text, true)) {
			id, ok := ids[w]
			if !ok { // A word the corpus does not have: make it one.
				id = wordID(len(c.words))
				ids[w] = id
				c.words = append(c.words, w)
				c.stop = append(c.stop, sts.NewStopWords().Contains(w))
				v.byWord = append(v.byWord, wordPieces(w, tokenIDs))
			}
			words = append(words, id)
		}
		want := make([]float32, tiny.dim)
		if m.encode(v.tokensOf(c, words), want) == 0 {
			zero++
		}
		for k := range want {
			if math.Abs(float64(want[k]-got[i][k])) > 1e-6 {
				t.Errorf("%q: value %d is %v served and %v measured", text, k, got[i][k], want[k])
				break
			}
		}
	}
	if zero == 0 || zero > len(texts)-4 {
		t.Errorf("%d of %d texts have no direction: the test shows little", zero, len(texts))
	}
}

// Packing loses at most half of a step, of which the largest value has 126.
func TestPack(t *testing.T) {
	_, m, _ := trainTiny(t, writeCorpus(t), tiny, io.Discard)
	m.wts[2], m.wts[3] = -3, 0 // Weights are learned and may be anything.
	var want []float64
	var most float64
	for t := range m.wts {
		for _, x := range m.row(int32(t)) {
			want = append(want, float64(m.wts[t]*x))
			most = max(most, math.Abs(want[len(want)-1]))
		}
	}
	m.pack()
	for i, x := range m.rows {
		const step = 1 << 24
		if got := float64(x) / step / 126 * most; math.Abs(got-want[i]) > 0.501*most/126 {
			t.Errorf("value %d is %v packed, was %v", i, got, want[i])
		}
	}
	empty := newModel(&vocabulary{tokens: []string{padToken, unkToken}, idf: make([]float32, 2)}, 8, 1, rand.New(rand.NewPCG(1, 1)))
	for _, p := range empty.pack() {
		if p != 0 {
			t.Error("a model of zeros packs as something else")
		}
	}
}

func TestBlocks(t *testing.T) {
	var commits []tokenCommit
	for i := range 100 {
		commits = append(commits, tokenCommit{repo: i % 3, diff: []int32{int32(i)}})
	}
	got := blocks(commits, 8, rand.New(rand.NewPCG(1, 1)))
	seen := map[int32]bool{}
	changes := 0
	for i, c := range got {
		seen[c.diff[0]] = true
		if i > 0 && got[i-1].repo != c.repo {
			changes++
		}
	}
	// 34, 33 and 33 commits are 5 blocks each.
	if len(got) != 100 || len(seen) != 100 || changes > 14 || changes < 3 {
		t.Errorf("%d commits, %d of them different, %d changes of repository", len(got), len(seen), changes)
	}
}

func TestCurve(t *testing.T) {
	tests := []struct {
		name string
		sims [][]float32 // the diagonal belongs together
		want float64
	}{
		{"perfect", [][]float32{{1, 0}, {-1, 0.5}}, 1},
		{"wrong", [][]float32{{-1, 1}, {0, -0.5}}, 0},
		{"equal", [][]float32{{0, 0}, {0, 0}}, 0.5},
		{"one of four pairs of pairs wrong", [][]float32{{0.9, 0.5}, {0.1, 0.3}}, 0.75},
		{"rounding", [][]float32{{1.0000001, -1.0000001}, {0, 1}}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var all curve
			for i, sims := range tt.sims {
				var c curve
				c.add(i, sims)
				all.merge(&c)
			}
			if got := all.area(); got != tt.want {
				t.Errorf("area is %v, want %v", got, tt.want)
			}
		})
	}
	if got := new(curve).area(); got != 0 {
		t.Errorf("area of nothing is %v", got)
	}
}

func TestMessageSentences(t *testing.T) {
	tests := []struct {
		name, message string
		want          []string
	}{
		{"subject and body", "feat(api)!: add a limit (#12)\n\nThe limit is\nper user. It resets daily.\n", []string{"add a limit", "The limit is\nper user", "It resets daily"}},
		{"ticket before subject", "KAFKA-123: Close the log", []string{"Close the log"}},
		{"kind in capitals", "MINOR: Close the log", []string{"Close the log"}},
		{"list", "Clean up\n\n- drop a\n* rename b\n1. move c", []string{"Clean up", "drop a", "rename b", "move c"}},
		{"trailers", "Do it\n\nSigned-off-by: A <a@b.c>\nCo-authored-by: B <b@c.d>\nReviewers: C\nCloses #3", []string{"Do it"}},
		{"links and numbers", "See https://x.example/y and 1234567abc for GH-12 or #4", []string{"See   and   for   or"}},
		{"fenced code", "Fix x\n\n```\nnot this\n```\nbut this", []string{"Fix x", "but this"}},
		{"merge", "Merge pull request #1 from a/b\n\nText", nil},
		{"bot", "Bump a from 1 to 2", nil},
		{"bot with kind", "ci(deps): bump a from 1 to 2", nil},
		{"squashed", "fix: stop it (#1)\n\n* fix: stop it\n\n* chore: more of it", []string{"stop it", "stop it", "more of it"}},
		{"bot body", "Update things\n\n---\nupdated-dependencies:\n- a", nil},
		{"identifier stays", "Call foo.bar before baz", []string{"Call foo.bar before baz"}},
		{"empty", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := messageSentences(tt.message)
			for i := range got {
				got[i] = strings.TrimSpace(got[i])
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCommandErrors(t *testing.T) {
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, "x.jsonl.gz"), []byte("not gzip"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, want string
		args       []string
	}{
		{"no corpus", "--corpus", nil},
		{"empty folder", "no *.jsonl.gz", []string{"--corpus", t.TempDir()}},
		{"unknown rules", "text preparation", []string{"--corpus", broken, "--text", "nothing/9"}},
		{"not gzip", "x.jsonl.gz", []string{"--corpus", broken}},
		{"odd dimension", "multiple of 4", []string{"--corpus", broken, "--dim", "15"}},
		{"unknown repository", "--holdout", []string{"--corpus", writeCorpus(t), "--holdout", "nosuch"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := run(tt.args, io.Discard); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestHoldout(t *testing.T) {
	var log bytes.Buffer
	err := run([]string{
		"--corpus", writeCorpus(t), "--holdout", "repo1", "--dim", "16", "--batch", "32", "--min-commits", "1", "--rate", "0.02",
	}, &log)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"trained mean", "tf-idf  mean", "served  repo1", "served  mean"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("log has no %q:\n%s", want, log.String())
		}
	}
}

// TestWordTable counts sentences, not words, and leaves rare and stop words out.
func TestWordTable(t *testing.T) {
	c := &corpus{words: []string{"parser", "the", "fix", "rare"}, stop: []bool{false, true, false, false}}
	c.repos = []repository{{commits: []commit{
		{sentences: [][]wordID{{0, 1, 0}, {0, 2, 1}}},
		{sentences: [][]wordID{{2, 1, 0}, {3, 2}, {2, 0}}, diff: []wordID{3, 3}},
	}}}
	table := c.wordTable(c.repos)
	if want := "5\nfix\t4\nparser\t4\n"; string(table) != want {
		t.Errorf("table\n%s, want\n%s", table, want)
	}
	if _, err := sts.ParseLexicon(table); err != nil {
		t.Error(err)
	}
}
