package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"crscore/change"
	"crscore/internal/comments"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// Comment is one comment of a system.
type Comment struct {
	Place
	// Text is as the system wrote it.
	Text string
}

// Answer is what a system says about a pull request.
type Answer struct {
	// File is where it stands, Comments are in its order. Spent are seconds, input tokens, output tokens
	// and cost, in the unit of the file; nil where the file does not say.
	File     string
	Comments []Comment
	Spent    [4]*float64
}

// spentNames name Answer.Spent. A read-only table.
var spentNames = [4]string{"seconds", "input_tokens", "output_tokens", "cost"}

// System collects the answers of a reviewer.
type System struct {
	// Answers are by the pull request's ID. Unknown are files and instances of pull requests that the
	// truth lacks. Broken tells what could not be read: these pull requests count as missing.
	Name    string
	Answers map[string]*Answer
	Unknown []string
	Broken  []error

	notes notes
	told  []string // which fields are read under other names
}

// index names the pull requests in all ways in which files can name them.
func (b *Benchmark) index() {
	b.known = map[string]string{}
	for _, p := range b.Pulls {
		owner, name, _ := strings.Cut(p.Repo, "/")
		b.known[p.ID] = p.ID
		for _, repo := range []string{name, owner + "_" + name, owner + "__" + name, owner + "-" + name} {
			key := "comments_" + repo + "_" + p.number
			if id, twice := b.known[key]; twice && id != p.ID {
				b.known[key] = ambiguous
			} else {
				b.known[key] = p.ID
			}
		}
	}
}

// ambiguous stands in Benchmark.known for two pull requests.
const ambiguous = ""

var longID = regexp.MustCompile(`^(.+__.+@[0-9a-f]{7})[0-9a-f]*$`)

// ErrUnknown is the error of a name that belongs to no pull request of the truth.
var ErrUnknown = errors.New("the truth has no such pull request")

// find returns the ID of the pull request that a file or an instance is named after.
func (b *Benchmark) find(name string) (string, error) {
	for stem := name; ; {
		if m := longID.FindStringSubmatch(stem); m != nil {
			if _, ok := b.known[m[1]]; ok {
				return m[1], nil
			}
		}
		switch id, ok := b.known[stem]; {
		case ok && id == ambiguous:
			return "", fmt.Errorf("two pull requests could be called %q: "+
				"name the file owner__name@ and seven digits of the commit", stem)
		case ok:
			return id, nil
		}
		ext := path.Ext(stem)
		if ext == "" || ext == stem {
			return "", ErrUnknown
		}
		stem = strings.TrimSuffix(stem, ext)
	}
}

// Add reads a file of a system's comments: a format of package comments, or one of AACR-Bench's
// two, gzipped or not. The file's name tells the pull request, unless the text has an instance_id.
// What is wrong with a file goes to Broken and Unknown.
func (s *System) Add(b *Benchmark, file string, text []byte, format comments.Format) {
	if err := s.add(b, file, text, format); errors.Is(err, ErrUnknown) {
		s.Unknown = append(s.Unknown, path.Base(file))
	} else if err != nil {
		s.Broken = append(s.Broken, fmt.Errorf("%s: %w", file, err))
	}
}

func (s *System) add(b *Benchmark, file string, text []byte, format comments.Format) error {
	text, err := Unpack(text)
	if err != nil {
		return err
	}
	base := path.Base(file)
	if format == "" && hasInstances(text) {
		return s.addInstances(b, file, text)
	}
	id, err := b.find(base)
	if err != nil {
		return err
	}
	a := &Answer{File: file}
	blocks := bytes.Contains(text, []byte("<notesplit")) || strings.HasPrefix(base, "comments_") && !json.Valid(text)
	if format == "" && blocks {
		if a.Comments, err = s.readBlocks(file, string(text)); err != nil {
			return err
		}
		return s.take(b, id, a)
	}
	read, err := comments.Read(text, format)
	if err != nil {
		return err
	}
	for _, note := range read.Notes {
		if !slices.Contains(s.told, note) {
			s.told = append(s.told, note)
		}
	}
	for _, c := range read.Comments {
		if c.Summary {
			s.notes.add("that are the summary of a review, left out", file)
			continue
		}
		if c.EndLine == 0 {
			s.notes.add("without lines, which fit all lines of their file", file)
		}
		side := map[comments.Side]string{comments.Old: Left, comments.New: Right}[c.Side]
		p := newPlace(c.Path, side, number(c.StartLine), number(c.EndLine), &s.notes, file)
		a.Comments = append(a.Comments, Comment{p, c.Body})
	}
	return s.take(b, id, a)
}

func (s *System) take(b *Benchmark, id string, a *Answer) error {
	if before := s.Answers[id]; before != nil {
		return fmt.Errorf("comments on %s stand in %s too", id, before.File)
	}
	if n := len(a.Comments); n > limits.BenchComments {
		return fmt.Errorf("%d comments, more than %d", n, limits.BenchComments)
	}
	s.settle(b, id, a)
	if s.Answers == nil {
		s.Answers = map[string]*Answer{}
	}
	s.Answers[id] = a
	return nil
}

// settle gives comments the name that the pull request has for their file, and leaves out lines
// that its diff does not have.
func (s *System) settle(b *Benchmark, id string, a *Answer) {
	c := b.files(id)
	texts := make([]string, len(a.Comments))
	for i := range a.Comments {
		texts[i] = a.Comments[i].Path
	}
	paths := change.NewPaths(c, texts...)
	for i := range a.Comments {
		p := &a.Comments[i].Place
		if p.Path == "" {
			continue
		}
		sides := []change.Side{change.New, change.Old}
		if p.Side == Left {
			slices.Reverse(sides)
		}
		file, err := paths.Find(p.Path, sides...)
		if err != nil {
			s.notes.add("on files that neither the truth nor a diff has", a.File+", "+p.Path)
			p.Path = change.CleanPath(p.Path)
			continue
		}
		p.Path = c.Files[file].Path()
		b.Diffs.clip(id, p)
	}
}

// Warnings tell what the readers changed and left out.
func (s *System) Warnings() []string {
	out := append(s.notes.texts(), s.told...)
	if n := len(s.Unknown); n > 0 {
		out = append(out, fmt.Sprintf(
			"files of pull requests that the truth lacks, left out: %d (the first: %s)", n, s.Unknown[0]))
	}
	for i := range out {
		out[i] = s.Name + ": " + out[i]
	}
	return out
}

// instance is AACR-Bench's JSON of a pull request.
type instance struct {
	ID     string `json:"instance_id"`
	Review *struct {
		Comments *[]struct {
			Path    string  `json:"path"`
			Content *string `json:"content"`
			Start   number  `json:"start_line"`
			End     number  `json:"end_line"`
			Side    string  `json:"side"`
		} `json:"comments"`
		Summary struct {
			Input  *float64 `json:"input_tokens"`
			Output *float64 `json:"output_tokens"`
			Cost   *float64 `json:"cost"`
		} `json:"summary"`
	} `json:"review"`
	Seconds *float64 `json:"duration_seconds"`
}

// hasInstances reports whether a text is JSON whose first object has an instance_id.
func hasInstances(text []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(text))
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] == '[' {
		_, _ = dec.Token() // the bracket, which stands there
	}
	var o map[string]json.RawMessage
	err := dec.Decode(&o)
	return err == nil && o["instance_id"] != nil
}

// addInstances reads one instance, an array of them, or one after the other (JSON Lines). A broken
// instance does not affect the others.
func (s *System) addInstances(b *Benchmark, file string, text []byte) error {
	named, _ := b.find(path.Base(file))
	array := bytes.TrimSpace(text)[0] == '['
	return eachValue(text, array, func(line int, raw json.RawMessage) error {
		err := s.addInstance(b, file, named, raw)
		if errors.Is(err, ErrUnknown) {
			s.Unknown = append(s.Unknown, fmt.Sprintf("%s, line %d", path.Base(file), line))
		} else if err != nil {
			s.Broken = append(s.Broken, fmt.Errorf("%s: line %d: %w", file, line, err))
		}
		return nil
	})
}

func (s *System) addInstance(b *Benchmark, file, named string, raw json.RawMessage) error {
	var in instance
	if err := ReadJSON(raw, &in); err != nil {
		return err
	}
	if in.ID == "" {
		return errors.New(`there is no "instance_id"`)
	}
	id, err := b.find(in.ID)
	switch {
	case err != nil:
		return err
	case named != "" && named != id:
		return fmt.Errorf(`the file is named after %s, and its "instance_id" is %s`, named, id)
	case in.Review == nil || in.Review.Comments == nil:
		return fmt.Errorf(`%s: there is no list "comments" in "review", not even an empty one`, id)
	}
	sum := in.Review.Summary
	a := &Answer{File: file, Spent: [4]*float64{in.Seconds, sum.Input, sum.Output, sum.Cost}}
	for i, v := range a.Spent {
		if v != nil && (*v < 0 || *v > 1e15) {
			return fmt.Errorf("%s: %s cannot be %v", id, spentNames[i], *v)
		}
	}
	for i, c := range *in.Review.Comments {
		if c.Content == nil {
			return fmt.Errorf(`%s: comment %d: there is no "content"`, id, i+1)
		}
		p := newPlace(c.Path, c.Side, c.Start, c.End, &s.notes, file)
		a.Comments = append(a.Comments, Comment{p, *c.Content})
	}
	return s.take(b, id, a)
}

// bare is a block of AACR-Bench's text without tags.
var bare = regexp.MustCompile(`(?is)^(\S.*?)\s+(left|right|null|none|-)\s+(\d+|null|none|-)\s+(\d+|null|none|-)(?:\s+(.*))?$`)

// readBlocks reads AACR-Bench's text: blocks of <path>, <side>, <from>, <to> and <note>, each
// ended by <notesplit />. The end tags, and all tags of a block together, may be missing. A text
// that is empty has no comments.
func (s *System) readBlocks(file, text string) (out []Comment, err error) {
	line := 1
	if strings.TrimSpace(text) == "" {
		s.notes.add("none in an empty file, which counts as an answer", file)
	}
	for _, block := range splitter.Split(text, -1) {
		where := fmt.Sprintf("line %d", line+strings.Count(block[:len(block)-len(strings.TrimLeft(block, " \t\r\n"))], "\n"))
		line += strings.Count(block, "\n")
		if block = strings.TrimSpace(block); block == "" {
			continue
		}
		fields, ok := tagged(block)
		if m := bare.FindStringSubmatch(block); !ok && m != nil {
			fields, ok = [5]string(m[1:]), true
		}
		if !ok {
			return nil, fmt.Errorf("%s: this block is not <path> <side> <from> <to> <note>, ended by <notesplit />", where)
		}
		var lines [2]number
		for i := range lines {
			if v := strings.ToLower(fields[2+i]); v != "none" && v != "-" {
				if err := lines[i].UnmarshalJSON([]byte(v)); err != nil {
					return nil, fmt.Errorf("%s: %w", where, err)
				}
			}
		}
		at := newPlace(fields[0], fields[1], lines[0], lines[1], &s.notes, file+", "+where)
		out = append(out, Comment{at, fields[4]})
	}
	return out, nil
}

var splitter = regexp.MustCompile(`<notesplit\s*/?>`)

// tagged returns the values of the five tags of a block, and whether it has path and note. A value
// ends where another tag begins, the note with the block.
func tagged(block string) (fields [5]string, ok bool) {
	for i, name := range [5]string{"path", "side", "from", "to", "note"} {
		_, value, found := strings.Cut(block, "<"+name+">")
		switch {
		case found && name == "note":
			value = strings.TrimSuffix(strings.TrimSpace(value), "</note>")
		case found:
			block = value
			value, _, _ = strings.Cut(value, "<")
		case name == "path" || name == "note":
			return fields, false
		}
		fields[i] = strings.TrimSpace(value)
	}
	return fields, true
}
