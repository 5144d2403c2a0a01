// Command train makes the built-in sentence model from commits. It learns one vector a
// word, such that two sentences of a commit message, or a sentence and the changed
// lines of the same commit, lie close together. The engine must not import it.
// ../README.md has the arguments and results of the built-in model.
//
//	go run ./sts/builtin/train --corpus DIR --out sts/builtin/model
package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"crscore/sts"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

// config is everything that shapes the model.
type config struct {
	rules       string // how texts become words: a Text constant of package sts
	vocab       int
	pieces      int
	minCommits  int
	dim         int
	epochs      int
	batch       int
	block       int
	temperature float64
	rate        float64
	seed        uint64
	threads     int
}

func run(args []string, log io.Writer) error {
	var cfg config
	flags := flag.NewFlagSet("train", flag.ContinueOnError)
	flags.SetOutput(log)
	dir := flags.String("corpus", "", "`folder` of *.jsonl.gz files, one a repository")
	out := flags.String("out", "", "`folder` to write the model to; without it nothing is written")
	words := flags.String("words", "", "`file` to write the table of words to, for the hybrid similarity")
	holdout := flags.String("holdout", "", "comma-separated `repositories` (file names without .jsonl.gz) that are not trained on but measured")
	flags.StringVar(&cfg.rules, "text", sts.TextCodeStems, "how texts become words")
	flags.IntVar(&cfg.vocab, "vocab", 33000, "size of the vocabulary")
	flags.IntVar(&cfg.pieces, "pieces", 12000, "how many of the vocabulary are continuations of rare words")
	flags.IntVar(&cfg.minCommits, "min-commits", 3, "a word of fewer commits is unknown")
	flags.IntVar(&cfg.dim, "dim", 384, "values a vector")
	flags.IntVar(&cfg.epochs, "epochs", 1, "passes over all commits")
	flags.IntVar(&cfg.batch, "batch", 512, "pairs a step")
	flags.IntVar(&cfg.block, "block", 512, "commits of one repository that follow each other")
	flags.Float64Var(&cfg.temperature, "temperature", 0.07, "of the softmax")
	flags.Float64Var(&cfg.rate, "rate", 0.008, "learning rate of the first step; it falls to zero in a line")
	flags.Uint64Var(&cfg.seed, "seed", 1, "of all chance")
	flags.IntVar(&cfg.threads, "threads", 2, "changes the speed, not the result")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *dir == "" {
		return fmt.Errorf("--corpus is missing")
	}
	if cfg.dim < lanes || cfg.dim%lanes != 0 {
		return fmt.Errorf("--dim %d is not a multiple of %d", cfg.dim, lanes)
	}
	prepare, err := sts.TextPreparation(cfg.rules)
	if err != nil {
		return err
	}
	start := time.Now()
	c, err := readCorpus(*dir, prepare)
	if err != nil {
		return err
	}
	training, held, err := c.split(*holdout)
	if err != nil {
		return err
	}
	fmt.Fprintf(log, "corpus: %d commits to train on, %d held out, %d words, %v\n", countCommits(training), countCommits(held), len(c.words), time.Since(start).Round(time.Second))

	m, v, err := train(c, training, held, cfg, log)
	if err != nil {
		return err
	}
	packed := m.pack()
	for _, kind := range []struct {
		name string
		rank ranker
	}{
		{"served ", m.measured()},
		{"overlap", overlap(v)},
		{"both   ", both(m.measured(), overlap(v), sts.DefaultHybridWeights().Dense)},
	} {
		for _, r := range measure(c, v, kind.rank, held) {
			fmt.Fprintln(log, kind.name, r)
		}
	}
	if *words != "" {
		if err := os.WriteFile(*words, c.wordTable(training), 0o644); err != nil {
			return fmt.Errorf("writing the table of words: %w", err)
		}
	}
	if *out == "" {
		return nil
	}
	if err := export(*out, cfg.rules, v.tokens, packed); err != nil {
		return fmt.Errorf("writing the model: %w", err)
	}
	return nil
}

// split takes the named repositories out of the corpus.
func (c *corpus) split(names string) (training, held []repository, err error) {
	var list []string
	if names != "" {
		list = strings.Split(names, ",")
	}
	for _, repo := range c.repos {
		if slices.Contains(list, repo.name) {
			held = append(held, repo)
		} else {
			training = append(training, repo)
		}
	}
	if len(held) != len(list) {
		return nil, nil, fmt.Errorf("--holdout names %d repositories, the corpus has %d of them", len(list), len(held))
	}
	return training, held, nil
}

func countCommits(repos []repository) (n int) {
	for _, r := range repos {
		n += len(r.commits)
	}
	return n
}

// train makes a model of the training repositories and reports, as it goes, how
// it does on the held-out ones.
func train(c *corpus, training, held []repository, cfg config, log io.Writer) (*model, *vocabulary, error) {
	rng := rand.New(rand.NewPCG(cfg.seed, 0))
	v := newVocabulary(c, training, cfg.vocab, cfg.pieces, cfg.minCommits)
	if len(v.tokens) <= unkID+1 {
		return nil, nil, fmt.Errorf("no word occurs in %d commits", cfg.minCommits)
	}
	m := newModel(v, cfg.dim, cfg.threads, rng)
	var commits []tokenCommit
	for number, repo := range training {
		for _, commit := range repo.commits {
			if t := v.commit(c, commit); t.usable() {
				t.repo = number
				commits = append(commits, t)
			}
		}
	}
	size := min(cfg.batch, len(commits))
	if size < 2 {
		return nil, nil, fmt.Errorf("%d commits with two texts are too few to train on", len(commits))
	}
	fmt.Fprintf(log, "vocabulary: %d tokens; %d commits to train on\n", len(v.tokens), len(commits))
	for _, r := range measure(c, v, tfidf(v), held) {
		fmt.Fprintln(log, "tf-idf ", r)
	}

	start := time.Now()
	b := newBatch(m, size)
	steps := len(commits) / size
	for epoch := range cfg.epochs {
		rng.Shuffle(len(commits), func(i, j int) { commits[i], commits[j] = commits[j], commits[i] })
		commits = blocks(commits, cfg.block, rng)
		var loss float64
		for s := range steps {
			done := float64(epoch*steps+s) / float64(cfg.epochs*steps)
			m.rate = float32(cfg.rate * (1 - done))
			var pairs [2][][]int32
			for _, commit := range commits[s*size : (s+1)*size] {
				first, second := commit.pair(rng)
				pairs[0] = append(pairs[0], first)
				pairs[1] = append(pairs[1], second)
			}
			loss += m.trainStep(b, pairs, float32(cfg.temperature)) / float64(steps)
		}
		fmt.Fprintf(log, "epoch %d: loss %.4f, %v\n", epoch+1, loss, time.Since(start).Round(time.Second))
		results := measure(c, v, m.measured(), held)
		for _, r := range results[max(0, len(results)-2):] { // the means
			fmt.Fprintln(log, "trained", r)
		}
	}
	return m, v, nil
}

// blocks reorders shuffled commits so that size commits of one repository follow each
// other. The model should learn to tell texts of one repository apart; texts of other
// repositories differ by their subject anyway.
func blocks(commits []tokenCommit, size int, rng *rand.Rand) []tokenCommit {
	var repos [][]tokenCommit
	for _, c := range commits {
		for len(repos) <= c.repo {
			repos = append(repos, nil)
		}
		repos[c.repo] = append(repos[c.repo], c)
	}
	var list [][]tokenCommit
	for _, r := range repos {
		list = slices.AppendSeq(list, slices.Chunk(r, max(1, size)))
	}
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return slices.Concat(list...)
}

// tokenCommit is a commit's texts as tokens.
type tokenCommit struct {
	repo      int
	sentences [][]int32
	diff      []int32
}

func (v *vocabulary) commit(c *corpus, commit commit) tokenCommit {
	var out tokenCommit
	for _, s := range commit.sentences {
		if tokens := v.tokensOf(c, s); len(tokens) > 0 {
			out.sentences = append(out.sentences, tokens)
		}
	}
	out.diff = v.tokensOf(c, commit.diff)
	return out
}

func (t tokenCommit) usable() bool {
	return len(t.sentences) > 1 || len(t.sentences) == 1 && len(t.diff) > 0
}

// pair draws two texts of the commit: two sentences, or a sentence and the diff,
// with equal chance where there are both.
func (t tokenCommit) pair(rng *rand.Rand) (first, second []int32) {
	i := rng.IntN(len(t.sentences))
	if len(t.sentences) > 1 && (len(t.diff) == 0 || rng.IntN(2) == 0) {
		j := rng.IntN(len(t.sentences) - 1)
		if j >= i {
			j++
		}
		return t.sentences[i], t.sentences[j]
	}
	return t.sentences[i], t.diff
}
