package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"crscore/change"
	"crscore/eval/bench"
	"crscore/internal/comments"
	"crscore/internal/gate"
)

// The groups of comments. A comment stands at its own hunk, or it was put at another.
const (
	valid       = "valid"              // AACR-Bench: experts call it valid
	invalid     = "invalid"            // AACR-Bench: experts call it invalid
	hunk        = "other hunk"         // of the same file
	file        = "other file"         // of the same pull request
	pull        = "other pull request" // of the same repository
	repo        = "other repository"   // of the same language
	remark      = "remark"             // praise, process and boilerplate of our own
	remarkApart = "remark kept apart"
	rated       = "rated"  // CRScore's reviews, with Con from 1 to 5
	judged      = "judged" // ClearCRC's comments, with relevance 0 or 1
)

// comment is a text at a hunk.
type comment struct {
	group   string
	cluster string // the pull request or the change that the text was written for
	source  string // its repository
	text    string
	change  int // index of the change that it stands at
	at      comments.Comment
	label   float64

	con, z, l, e float64
	absent       float64    // Evidence.Absent
	topic        gate.Topic // "" without a score
	why          string
}

// study holds the changes and the comments on them.
type study struct {
	changes  []*change.Change
	comments []comment
}

// target is a hunk of a change.
type target struct {
	change int
	pull   *bench.PullRequest
	file   *change.File
	hunk   *change.Hunk
}

func (t target) place(text string) comments.Comment {
	c := comments.Comment{Body: text, Path: t.file.Path(), Side: comments.New, StartLine: t.hunk.NewStart}
	if c.EndLine = t.hunk.NewStart + t.hunk.NewLines - 1; t.hunk.NewLines == 0 {
		c.Side, c.StartLine, c.EndLine = comments.Old, t.hunk.OldStart, t.hunk.OldStart+t.hunk.OldLines-1
	}
	return c
}

// seed draws the hunks that comments are put at, and foreign is how many hunks of other pull
// requests and repositories each comment is put at.
const seed, foreign = 1, 5

// readAACR reads the comments of AACR-Bench whose diffs are in the folder, and puts them at other
// hunks, too. remarks are put at hunks each in turn.
func (s *study) readAACR(dir string, seen, apart []string) (files [2]*bench.File, err error) {
	for i, name := range []string{"positive_samples.json.gz", "negative_samples.json.gz"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return files, err
		}
		if files[i], err = bench.ReadTruth(text); err != nil {
			return files, fmt.Errorf("%s: %w", name, err)
		}
	}
	diffs, err := readDiffs(filepath.Join(dir, "changes.jsonl.gz"))
	if err != nil {
		return files, err
	}
	var targets []target
	pulls := bench.Join(files[0], files[1])
	at := map[string]int{}
	for i := range pulls {
		p := &pulls[i]
		c := diffs[p.URL]
		if c == nil {
			continue
		}
		at[p.ID] = len(s.changes)
		for f := range c.Files {
			for h := range c.Files[f].Hunks {
				targets = append(targets, target{len(s.changes), p, &c.Files[f], &c.Files[f].Hunks[h]})
			}
		}
		s.changes = append(s.changes, c)
	}
	random := rand.New(rand.NewPCG(seed, 0))
	for i := range pulls {
		p := &pulls[i]
		if here, ok := at[p.ID]; ok {
			for _, r := range p.References {
				s.add(valid, p, here, r, targets, random)
			}
			for _, r := range p.Invalid {
				s.add(invalid, p, here, r, nil, random)
			}
		}
	}
	for i, text := range slices.Concat(seen, apart) {
		t := targets[random.IntN(len(targets))]
		c := comment{group: remark, cluster: fmt.Sprint(i), text: text, change: t.change, at: t.place(text)}
		if i >= len(seen) {
			c.group = remarkApart
		}
		s.comments = append(s.comments, c)
	}
	return files, nil
}

// add adds a comment at its own place, and at other hunks.
func (s *study) add(group string, p *bench.PullRequest, here int, r bench.Reference, targets []target, random *rand.Rand) {
	c := comment{group: group, cluster: p.ID, source: p.Repo, text: r.Note, change: here}
	c.at = comments.Comment{Body: r.Note, Path: r.Path, Side: comments.New, StartLine: r.From, EndLine: r.To}
	if r.Side == bench.Left {
		c.at.Side = comments.Old
	}
	s.comments = append(s.comments, c)
	own := func(t target) bool {
		n := &t.hunk.NewStart
		return t.change == here && t.file.Path() == r.Path && *n <= r.To && *n+t.hunk.NewLines > r.From
	}
	for _, g := range []struct {
		group string
		times int
		fits  func(t target) bool
	}{
		{hunk, 1, func(t target) bool { return t.change == here && t.file.Path() == r.Path && !own(t) }},
		{file, 1, func(t target) bool { return t.change == here && t.file.Path() != r.Path }},
		{pull, foreign, func(t target) bool { return t.change != here && t.pull.Repo == p.Repo }},
		{repo, foreign, func(t target) bool { return t.pull.Repo != p.Repo && t.pull.Language == p.Language }},
	} {
		var fitting []target
		for _, t := range targets {
			if g.fits(t) {
				fitting = append(fitting, t)
			}
		}
		for range g.times {
			if len(fitting) > 0 {
				t := fitting[random.IntN(len(fitting))]
				c := c
				c.group, c.change, c.at = g.group, t.change, t.place(r.Note)
				s.comments = append(s.comments, c)
			}
		}
	}
}

// readDiffs reads the changes of pull requests by their addresses.
func readDiffs(name string) (map[string]*change.Change, error) {
	text, err := os.ReadFile(name)
	if err == nil {
		text, err = bench.Unpack(text)
	}
	if err != nil {
		return nil, err
	}
	out := map[string]*change.Change{}
	for line := range bytes.Lines(text) {
		var row struct{ URL, Diff string }
		if err := json.Unmarshal(line, &row); err != nil {
			return nil, err
		}
		if out[row.URL], err = change.Parse([]byte(row.Diff), change.Options{}); err != nil {
			return nil, fmt.Errorf("%s: %w", row.URL, err)
		}
	}
	return out, nil
}

// labelled is a change with reviews that people rated, of CRScore's data or ClearCRC.
type labelled struct {
	ID, Path, Lang, Diff string
	Reviews              []struct {
		ID, Text string
		Human    struct{ Con, Relevance *float64 }
	}
}

// readLabelled reads changes with reviews, each review at its whole change.
func (s *study) readLabelled(name string) error {
	text, err := os.ReadFile(name)
	if err == nil {
		text, err = bench.Unpack(text)
	}
	if err != nil {
		return err
	}
	for line := range bytes.Lines(text) {
		var row labelled
		if err := json.Unmarshal(line, &row); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		path := row.Path
		if path == "" {
			path = "file." + row.Lang
		}
		c, err := change.Parse([]byte(row.Diff), change.Options{Path: path})
		if err != nil {
			continue // such as a change without a changed line
		}
		here := len(s.changes)
		s.changes = append(s.changes, c)
		for _, r := range row.Reviews {
			c := comment{cluster: row.ID, text: r.Text, change: here, at: comments.Comment{Body: r.Text, Path: c.Files[0].Path(), Side: comments.New}}
			switch {
			case strings.TrimSpace(r.Text) == "" || r.ID == "msg":
				continue
			case r.Human.Con != nil:
				c.group, c.label = rated, *r.Human.Con
			case r.Human.Relevance != nil:
				c.group, c.label = judged, *r.Human.Relevance
			default:
				continue
			}
			s.comments = append(s.comments, c)
		}
	}
	return nil
}
