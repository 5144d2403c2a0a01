package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"crscore/sts"

	"golang.org/x/sync/errgroup"
)

// row is one line of a corpus file: one commit.
type row struct {
	Repo    string   `json:"repo"`
	Message string   `json:"message"`
	Diff    []string `json:"diff"` // changed lines with + or -, context with @
}

// wordID is the number of a word in a corpus' words.
type wordID int32

// commit is a row's texts as prepared words.
type commit struct {
	sentences [][]wordID
	diff      []wordID // every word of the changed lines once, in order
}

// repository is the commits of one file.
type repository struct {
	name    string
	commits []commit
}

// corpus is the prepared text of all repositories.
type corpus struct {
	repos []repository
	words []string // by wordID
	stop  []bool   // by wordID, stop words
}

// Limits of a text. A sentence with fewer content words does not identify its commit. A
// sentence of more than maxRepeats commits is boilerplate: its other commits would be
// false negatives.
const (
	minContent   = 2
	maxSentence  = 64
	maxSentences = 12
	maxDiffWords = 96
	maxRepeats   = 5
	maxLine      = 16 << 20
)

// readCorpus reads every *.jsonl.gz file of dir, sorted by name.
func readCorpus(dir string, prepare func(string) string) (*corpus, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no *.jsonl.gz file in %s", dir)
	}
	slices.Sort(paths)
	texts := make([][]rawCommit, len(paths))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, path := range paths {
		group.Go(func() (err error) {
			if texts[i], err = readFile(path, prepare); err != nil {
				return fmt.Errorf("reading %s: %w", path, err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}

	repeats := map[string]int{}
	for _, commits := range texts {
		for _, c := range commits {
			for _, s := range c.sentences {
				repeats[s]++
			}
		}
	}
	stop := sts.NewStopWords()
	c := &corpus{}
	ids := map[string]wordID{}
	intern := func(text string) []wordID {
		fields := strings.Fields(text)
		out := make([]wordID, len(fields))
		for i, w := range fields {
			id, ok := ids[w]
			if !ok {
				id = wordID(len(c.words))
				w = strings.Clone(w)
				ids[w] = id
				c.words = append(c.words, w)
				c.stop = append(c.stop, stop.Contains(w))
			}
			out[i] = id
		}
		return out
	}
	for i, commits := range texts {
		repo := repository{name: strings.TrimSuffix(filepath.Base(paths[i]), ".jsonl.gz")}
		for _, raw := range commits {
			var out commit
			for _, s := range raw.sentences {
				if repeats[s] > maxRepeats {
					continue
				}
				if words := intern(s); c.content(words) >= minContent && len(words) <= maxSentence && len(out.sentences) < maxSentences {
					out.sentences = append(out.sentences, words)
				}
			}
			if words := unique(intern(raw.diff)); c.content(words) >= minContent {
				out.diff = words[:min(len(words), maxDiffWords)]
			}
			if len(out.sentences) > 1 || len(out.sentences) == 1 && out.diff != nil {
				repo.commits = append(repo.commits, out)
			}
		}
		c.repos = append(c.repos, repo)
	}
	return c, nil
}

// content is the number of words without stop words.
func (c *corpus) content(words []wordID) int {
	n := 0
	for _, w := range words {
		if !c.stop[w] {
			n++
		}
	}
	return n
}

// unique keeps the first occurrence of every word.
func unique(words []wordID) []wordID {
	seen := make(map[wordID]bool, len(words))
	return slices.DeleteFunc(words, func(w wordID) bool {
		old := seen[w]
		seen[w] = true
		return old
	})
}

// rawCommit holds texts after preparation and before interning.
type rawCommit struct {
	sentences []string
	diff      string
}

func readFile(path string, prepare func(string) string) (commits []rawCommit, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	gz, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return readRows(gz, prepare)
}

func readRows(r io.Reader, prepare func(string) string) ([]rawCommit, error) {
	var commits []rawCommit
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		var row row
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		var out rawCommit
		for _, s := range messageSentences(row.Message) {
			// A body that repeats the subject teaches nothing.
			if s = prepare(s); !slices.Contains(out.sentences, s) {
				out.sentences = append(out.sentences, s)
			}
		}
		if len(out.sentences) == 0 {
			continue
		}
		var changed strings.Builder
		for _, line := range row.Diff {
			if line != "" && line[0] != '@' {
				changed.WriteString(line[1:])
				changed.WriteByte('\n')
			}
		}
		out.diff = prepare(changed.String())
		commits = append(commits, out)
	}
	return commits, lines.Err()
}

// Parts of a commit message that say nothing about the change.
var (
	// Whole commits that say nothing: merges and updates made by programs.
	noise = regexp.MustCompile(`^(?i:merge (pull request|branch|branches|remote|tag|commit|pr)\b|bump .* (from|to) |(build|chore|fix)\((deps|deps-dev)\)|update dependency |\[pre-commit\.ci\]|update pre-commit hooks|chore\(release\)|release v?\d)`)
	// Lines that name people and tickets.
	trailer = regexp.MustCompile(`^\s*(?i:[a-z]+(-[a-z]+)*-by|reviewers?|authors?|change-id|piperorigin-revid|git-svn-id|cc|co-authored-with|issue|bug|refs?|see|closes|fixes|resolves|related)\s*(:|#|GH-|\d)`)
	// The kind of change before the subject: "fix(parser)!: ", "MINOR: ",
	// "KAFKA-123: ", "[DOC] ".
	prefix = regexp.MustCompile(`^\s*(\[[^\]]{1,24}\]\s*|[A-Z]{2,}-\d+\s*[:;]?\s*|(?i:feat|feature|fix|docs?|chore|refactor|refact|tests?|style|perf|ci|build|revert|minor|hotfix|breaking|new|update|upgrade)(\([^)]{1,40}\))?!?:\s*)+`)
	// Links, addresses, ticket numbers, commit hashes.
	clutter = regexp.MustCompile(`https?://\S+|\]\([^)]*\)|\S+@\S+\.\S+|@[\w-]+|\(#\d+\)|\b(?i:gh-|pr |issue )#?\d+|#\d+|\b[0-9a-f]{7,40}\b`)
	// The start of a list item or heading.
	item = regexp.MustCompile(`^\s*([-*+#>]+|\d+[.)])\s+`)
	// The end of a sentence.
	sentenceEnd = regexp.MustCompile(`[.!?][)"'` + "`" + `]*\s+`)
)

// messageSentences are the sentences of a message about its change.
func messageSentences(message string) []string {
	if noise.MatchString(prefix.ReplaceAllString(message, "")) || noise.MatchString(message) || strings.Contains(message, "\nupdated-dependencies:") {
		return nil
	}
	var paragraphs []string
	var current strings.Builder
	flush := func() {
		if current.Len() > 0 {
			paragraphs = append(paragraphs, current.String())
			current.Reset()
		}
	}
	fenced := false
	for i, line := range strings.Split(message, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			flush()
			continue
		}
		if fenced || trailer.MatchString(line) {
			continue
		}
		if strings.TrimSpace(line) == "" || item.MatchString(line) {
			flush()
			line = item.ReplaceAllString(line, "")
		}
		if current.Len() == 0 {
			// Squashed commits repeat their subjects as a list, kind and all.
			line = prefix.ReplaceAllString(line, "")
		}
		current.WriteString(line)
		current.WriteByte('\n')
		if i == 0 {
			flush() // The subject is a text of its own.
		}
	}
	flush()
	var out []string
	for _, p := range paragraphs {
		p = clutter.ReplaceAllLiteralString(p, " ")
		for _, s := range sentenceEnd.Split(p, -1) {
			if s = strings.TrimSpace(s); s != "" {
				out = append(out, s)
			}
		}
	}
	return out
}
