package bench

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"crscore/change"
	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// The sides of a diff: before and after the change.
const (
	Left  = "left"
	Right = "right"
)

// Place is where a comment stands.
type Place struct {
	// Path has slashes, Side is Left or Right; empty ones fit all. From and To are the first and the
	// last line, counted from 1. Both are 0 where a line is not known, which fits all lines.
	Path string `json:"path"`
	Side string `json:"side,omitempty"`
	From int    `json:"from_line,omitempty"`
	To   int    `json:"to_line,omitempty"`
}

// Reference is a comment that people judged.
type Reference struct {
	Place
	// Category is such as "Code Defect", Context such as "File Level", Origin is human or model, Model
	// its name. They may be empty.
	Note     string `json:"note"`
	Category string `json:"category,omitempty"`
	Context  string `json:"context,omitempty"`
	Origin   string `json:"origin,omitempty"`
	Model    string `json:"source_model,omitempty"`
}

// PullRequest is a pull request with its references.
type PullRequest struct {
	// ID is owner__name@ and seven digits of the commit that was annotated. References are the valid
	// comments, the truth; Invalid were judged wrong.
	ID, URL, Language   string
	References, Invalid []Reference
	// Repo is OWNER/NAME. Source and Target are the commits of the base branch and of the head that
	// was annotated, in hexadecimal; Source is empty where the file has none.
	Repo, Source, Target string

	number string
}

// File is a file of judged comments.
type File struct {
	// Pulls are in the order of the file, with References. Sum is the SHA-256 of the unpacked text in
	// hexadecimal. Warnings tell what the reader changed, with the first place.
	Pulls    []PullRequest
	Sum      string
	Warnings []string
}

// schema is what a file of judged comments has to look like.
const schema = `[{"githubPrUrl": …, "target_commit": …, "project_main_language": …, "comments": ` +
	`[{"note": …, "path": …, "side": …, "from_line": …, "to_line": …, "category": …, "context": …, "is_ai_comment": …}]}]`

// number is a line of JSON: a number, a string of digits, or null.
type number int

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(b []byte) error {
	text := strings.Trim(string(b), `"`)
	if text == "null" || text == "" {
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v != math.Trunc(v) {
		return fmt.Errorf("%.40s is no line: a whole number or null is wanted", b)
	}
	*n = number(max(min(v, math.MaxInt32), math.MinInt32)) // no file has more lines
	return nil
}

type judged struct {
	Note     *string `json:"note"`
	Path     *string `json:"path"`
	Side     string  `json:"side"`
	From     number  `json:"from_line"`
	To       number  `json:"to_line"`
	Category string  `json:"category"`
	Context  string  `json:"context"`
	AI       *bool   `json:"is_ai_comment"`
	Model    string  `json:"source_model"`
}

type record struct {
	URL      string             `json:"githubPrUrl"`
	Source   string             `json:"source_commit"`
	Target   string             `json:"target_commit"`
	Language string             `json:"project_main_language"`
	Comments *[]json.RawMessage `json:"comments"`
}

// ReadTruth reads judged comments as AACR-Bench has them: a JSON array with an object a pull
// request, gzipped or not. The error tells the line, the pull request and the comment.
func ReadTruth(text []byte) (*File, error) {
	text, err := Unpack(text)
	if err != nil {
		return nil, err
	}
	f := &File{Sum: fmt.Sprintf("%x", sha256.Sum256(text))}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	var notes notes
	first := map[string]int{}
	err = eachValue(text, true, func(line int, raw json.RawMessage) error {
		n := len(f.Pulls) + 1
		if n > limits.BenchPulls {
			return fmt.Errorf("more than %d pull requests", limits.BenchPulls)
		}
		p, err := readPull(raw, line, &notes)
		if err != nil {
			return fmt.Errorf("pull request %d: %w", n, err)
		}
		for _, key := range []string{p.ID, p.URL} {
			if before, twice := first[key]; twice {
				return fmt.Errorf("pull request %d: %s stands on line %d too: join their comments", n, key, before)
			}
			first[key] = line
		}
		f.Pulls = append(f.Pulls, p)
		return nil
	})
	if err == nil && len(f.Pulls) == 0 {
		err = errors.New("there is no pull request")
	}
	f.Warnings = notes.texts()
	return f, err
}

// eachValue calls use with the values of a JSON array, or of a stream of values, and the lines
// where they begin.
func eachValue(text []byte, array bool, use func(line int, raw json.RawMessage) error) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	line, from := 1, 0 // counted on, so that the time is linear
	count := func(to int64) {
		line, from = line+bytes.Count(text[from:to], []byte("\n")), int(to)
	}
	if array {
		if t, err := dec.Token(); t != json.Delim('[') {
			count(dec.InputOffset())
			return fmt.Errorf("line %d: this is no JSON array (%v); wanted is %s", line, cmp.Or[any](err, t), schema)
		}
	}
	for !array || dec.More() {
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if errors.Is(err, io.EOF) && !array {
			return nil
		}
		count(dec.InputOffset() - int64(len(raw)))
		if err == nil {
			err = use(line, raw)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
	_, err := dec.Token() // the bracket
	if _, more := dec.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = errors.New("something follows the array")
	}
	if err != nil {
		count(dec.InputOffset())
		return fmt.Errorf("line %d: %w", line, err)
	}
	return nil
}

var (
	pullURL = regexp.MustCompile(`^https?://[^/\s]+/([^/\s]+)/([^/\s]+)/pull/([0-9]+)/?$`)
	commit  = regexp.MustCompile(`^[0-9a-f]{7,64}$`)
)

// ReadJSON is json.Unmarshal with errors that name the member and the type of JSON, not types of Go.
func ReadJSON(text []byte, into any) error {
	err := json.Unmarshal(text, into)
	var kind *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &kind):
		return err
	case kind.Field == "":
		return fmt.Errorf("a JSON %s may not stand here", kind.Value)
	}
	return fmt.Errorf("%q: a JSON %s may not stand here", kind.Field, kind.Value)
}

func readPull(raw json.RawMessage, line int, notes *notes) (PullRequest, error) {
	var r record
	if err := ReadJSON(raw, &r); err != nil {
		return PullRequest{}, fmt.Errorf("%w; wanted is %s", err, schema)
	}
	url := pullURL.FindStringSubmatch(r.URL)
	switch {
	case url == nil:
		return PullRequest{}, fmt.Errorf(
			`"githubPrUrl" is %.200q, not https://github.com/OWNER/NAME/pull/NUMBER; wanted is %s`, r.URL, schema)
	case !commit.MatchString(r.Target):
		return PullRequest{}, fmt.Errorf(`"target_commit" is %.80q, not a commit in hexadecimal`, r.Target)
	case r.Comments == nil:
		return PullRequest{}, errors.New(`there is no list of "comments", not even an empty one`)
	case len(*r.Comments) > limits.BenchReferences:
		return PullRequest{}, fmt.Errorf("%d comments, more than %d", len(*r.Comments), limits.BenchReferences)
	}
	p := PullRequest{
		ID: url[1] + "__" + url[2] + "@" + r.Target[:7], URL: strings.TrimSuffix(r.URL, "/"),
		Language: r.Language, Repo: url[1] + "/" + url[2], Target: r.Target, number: url[3],
	}
	if commit.MatchString(r.Source) {
		p.Source = r.Source
	}
	for i, text := range *r.Comments {
		at := max(0, bytes.Index(raw, text))
		line, raw = line+bytes.Count(raw[:at], []byte("\n")), raw[at:]
		var c judged
		err := ReadJSON(text, &c)
		switch {
		case err != nil:
		case c.Note == nil:
			err = errors.New(`there is no "note"`)
		case c.Path == nil:
			err = errors.New(`there is no "path"`)
		}
		if err != nil {
			return PullRequest{}, fmt.Errorf("comment %d on line %d: %w", i+1, line, err)
		}
		ref := Reference{Note: *c.Note, Category: c.Category, Context: c.Context, Model: c.Model}
		ref.Place = newPlace(change.CleanPath(*c.Path), c.Side, c.From, c.To, notes, fmt.Sprintf("line %d", line))
		if c.AI != nil {
			ref.Origin = map[bool]string{true: "model", false: "human"}[*c.AI]
		} else if c.Model != "" {
			ref.Origin = "model"
		}
		p.References = append(p.References, ref)
	}
	return p, nil
}

// newPlace makes a place of what a file says, and notes what it changes.
func newPlace(path, side string, from, to number, notes *notes, where string) Place {
	p := Place{path, strings.ToLower(side), int(from), int(to)}
	if p.Side != Left && p.Side != Right {
		if !slices.Contains([]string{"", "null", "none", "-"}, p.Side) {
			notes.add("of a side other than left and right, which fits both", where)
		}
		p.Side = ""
	}
	switch {
	case p.From <= 0 || p.To <= 0:
		if p.From < 0 || p.To < 0 {
			notes.add("with a negative line, which fits all lines", where)
		}
		p.From, p.To = 0, 0
	case p.From > p.To:
		notes.add("with from > to, which are swapped", where)
		p.From, p.To = p.To, p.From
	}
	return p
}

// Unpack returns a text, gunzipped where it is packed, and an error beyond limits.BenchBytes.
func Unpack(text []byte) ([]byte, error) {
	if bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(text))
		if err == nil {
			text, err = io.ReadAll(io.LimitReader(z, limits.BenchBytes+1))
		}
		if err != nil {
			return nil, fmt.Errorf("unpacking: %w", err)
		}
	}
	if len(text) > limits.BenchBytes {
		return nil, fmt.Errorf("larger than the limit of %d MiB", limits.BenchBytes>>20)
	}
	return text, nil
}

// notes count the comments that a reader changed, by what it changed.
type notes []note

type note struct {
	what, first string
	n           int
}

func (n *notes) add(what, where string) {
	i := slices.IndexFunc(*n, func(o note) bool { return o.what == what })
	if i < 0 {
		i = len(*n)
		*n = append(*n, note{what: what, first: where})
	}
	(*n)[i].n++
}

func (n notes) texts() (out []string) {
	for _, o := range n {
		out = append(out, fmt.Sprintf("comments %s: %d (the first: %s)", o.what, o.n, o.first))
	}
	return out
}
