package dataset

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// MaxScores bounds the scores that a ScoreReader gives: studies keep them all.
const MaxScores = 1 << 20

// Score is what a metric says of one review of a dataset, by their ids.
type Score struct {
	Line       int
	ID, Review string // of the change and of the review
	// Con, Comp and Rel are nil where the metric gave this review no score, and in
	// every score of a file for a dimension that the metric does not have.
	Con, Comp, Rel *float64
	// The rest is there in what crscore score prints, if anywhere.
	Lang      string // of the change, as it stands there
	Signature string
	Human     *Human          // not in CSV
	Explain   json.RawMessage // the evidence; not in CSV
}

// Scored tells whether the review has a score.
func (s *Score) Scored() bool { return s.Con != nil || s.Comp != nil || s.Rel != nil }

// dimensions are the names of a score's numbers.
var dimensions = [3]string{"con", "comp", "rel"}

func (s *Score) numbers() [3]**float64 { return [3]**float64{&s.Con, &s.Comp, &s.Rel} }

// ScoreColumns says in words what a file of scores has to hold.
const ScoreColumns = "id (of the change), review (its id); and some of con, comp, rel, or score for all three"

// ScoreReader reads scores of any metric: the lines of crscore score, other JSON
// Lines, or CSV with a header, gzipped or not. What it takes is said by
// ScoreColumns; other fields are kept out of the way. A review without a score has
// null, an empty cell or the status "unscored".
type ScoreReader struct {
	text  lines
	next  func() (Score, error)
	count int
	used  map[[2]string]int // ids -> line; nil if nothing is kept
	// has are the dimensions of the first review with a score, on line first.
	has   [3]bool
	first int
}

// NewScoreReader starts reading. Nothing is read before the first call of Next.
func NewScoreReader(r io.Reader) *ScoreReader {
	return &ScoreReader{text: lines{raw: r}, used: map[[2]string]int{}}
}

// KeepNothing has the reader's memory not grow: it leaves it to others to find a
// review that occurs twice, and to bound the number of scores. It is asked for before
// the first call of Next.
func (r *ScoreReader) KeepNothing() { r.used = nil }

// Next returns the next score. The error is io.EOF at the end; a *LineError for a
// line that is no score, after which Next goes on behind it; and anything else is
// final: a review that occurs twice is one.
func (r *ScoreReader) Next() (Score, error) {
	if r.next == nil {
		if err := r.open(); err != nil {
			return Score{}, err
		}
	}
	s, err := r.next()
	if err != nil {
		return Score{}, err
	}
	if err := r.check(&s); err != nil {
		return Score{}, &LineError{Line: s.Line, Err: err}
	}
	if r.used == nil {
		return s, nil
	}
	if r.count++; r.count > MaxScores {
		return Score{}, fmt.Errorf("line %d: more than %d scores", s.Line, MaxScores)
	}
	ids := [2]string{s.ID, s.Review}
	if line, twice := r.used[ids]; twice {
		return Score{}, fmt.Errorf("line %d: review %s of change %s has a score on line %d too", s.Line, short(s.Review), short(s.ID), line)
	}
	r.used[ids] = s.Line
	return s, nil
}

// open tells JSON Lines from CSV by the first character.
func (r *ScoreReader) open() error {
	if err := r.text.open(); err != nil {
		return err
	}
	for {
		b, err := r.text.in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			r.next = func() (Score, error) { return Score{}, io.EOF }
			return nil
		case err != nil:
			return fmt.Errorf("reading the first line: %w", err)
		case b == '\n':
			r.text.line++
			continue
		case b == ' ', b == '\t', b == '\r':
			continue
		}
		_ = r.text.in.UnreadByte() // it was just read
		switch b {
		case '{':
			r.next = r.json
			return nil
		case '[':
			return errors.New("this is a JSON array, not JSON Lines: write each score as an object on a line of its own")
		case 'P':
			if head, _ := r.text.in.Peek(4); isParquet(head) {
				return errors.New("this is Parquet: scores are read as JSON Lines or CSV")
			}
		case 0xff, 0xfe, 0:
			return errors.New("this is not text in UTF-8: save it as UTF-8")
		}
		return r.openCSV()
	}
}

// check returns what is wrong with a score by itself and beside the first.
func (r *ScoreReader) check(s *Score) error {
	switch {
	case s.ID == "":
		return errors.New(`"id" is missing`)
	case s.Review == "":
		return errors.New(`"review" is missing`)
	case !s.Scored():
		return nil
	}
	var has [3]bool
	for i, v := range s.numbers() {
		if has[i] = *v != nil; has[i] && (math.IsNaN(**v) || math.IsInf(**v, 0)) {
			return fmt.Errorf("%s is %g, not a finite number", dimensions[i], **v)
		}
	}
	if r.first == 0 {
		r.has, r.first = has, s.Line
	}
	for i, name := range dimensions {
		switch {
		case has[i] && !r.has[i]:
			return fmt.Errorf("there is a value for %s, but none on line %d", name, r.first)
		case !has[i] && r.has[i]:
			return fmt.Errorf("there is no value for %s, but one on line %d", name, r.first)
		}
	}
	return nil
}

// json reads the next line of JSON Lines.
func (r *ScoreReader) json() (Score, error) {
	b, line, err := r.text.next()
	if err != nil {
		return Score{}, err
	}
	s, err := decodeScore(b)
	if err != nil {
		return Score{}, &LineError{Line: line, Err: err}
	}
	s.Line = line
	return s, nil
}

func decodeScore(b []byte) (s Score, err error) {
	var o object
	if err := json.Unmarshal(b, &o); err != nil {
		return s, describe("", err)
	}
	if _, ok := o["reviews"]; ok {
		return s, errors.New("this is a line of a dataset, not a score")
	}
	var id, review text
	var status string
	var all *float64
	var human struct{ Con, Comp, Rel *float64 }
	for _, f := range []struct {
		name string
		dst  any
	}{
		{"id", &id}, {"review", &review}, {"status", &status}, {"con", &s.Con}, {"comp", &s.Comp}, {"rel", &s.Rel}, {"score", &all},
		{"lang", &s.Lang}, {"signature", &s.Signature}, {"explain", &s.Explain}, {"human", &human},
	} {
		if _, err := o.take(f.name, f.dst); err != nil {
			return s, err
		}
	}
	s.ID, s.Review = string(id), string(review)
	if h := human; h.Con != nil && h.Comp != nil && h.Rel != nil {
		s.Human = &Human{*h.Con, *h.Comp, *h.Rel}
	} else if h.Con != nil || h.Comp != nil || h.Rel != nil {
		return s, errors.New(`"human" needs con, comp and rel`)
	}
	names := func(name string) bool { _, ok := o[name]; return ok }
	switch some := slices.ContainsFunc(dimensions[:], names); {
	case s.ID == "", s.Review == "": // check says so
	case status == "unscored":
		s.Con, s.Comp, s.Rel = nil, nil, nil
	case some && names("score"):
		return s, errors.New("score stands for con, comp and rel, and there are both")
	case names("score"):
		s.Con, s.Comp, s.Rel = all, all, all
	case !some:
		return s, errors.New("there is no con, comp, rel or score")
	}
	return s, nil
}

// openCSV reads the header.
func (r *ScoreReader) openCSV() error {
	limited := &budget{r: r.text.in, left: MaxLineBytes}
	table := csv.NewReader(limited)
	table.ReuseRecord = true
	above := r.text.line // blank lines that are read already
	header, err := table.Read()
	if err != nil {
		return fmt.Errorf("not JSON Lines, and as CSV it cannot be read: %w", err)
	}
	column := map[string]int{}
	for i, name := range header {
		name = strings.TrimSpace(name)
		if _, twice := column[name]; twice && slices.Contains(scoreFields, name) {
			return fmt.Errorf("the table has two columns %s", name)
		}
		column[name] = i
	}
	has := func(name string) bool { _, ok := column[name]; return ok }
	some := slices.ContainsFunc(dimensions[:], has)
	var wrong string
	switch {
	case !has("id"):
		wrong = "no column id"
	case !has("review"):
		wrong = "no column review"
	case !some && !has("score"):
		wrong = "no column con, comp, rel or score"
	case some && has("score"):
		wrong = "a column score beside con, comp or rel"
	}
	if wrong != "" {
		if len(header) == 1 && strings.ContainsAny(header[0], ";\t") {
			wrong = "one column, as commas are to separate them, and not semicolons or tabs"
		}
		return fmt.Errorf("the table has %s (its columns: %s); needed are: %s", wrong, short(strings.Join(header, ", ")), ScoreColumns)
	}
	r.next = func() (Score, error) {
		limited.left = MaxLineBytes
		record, err := table.Read()
		var bad *csv.ParseError
		switch {
		case errors.As(err, &bad):
			return Score{}, &LineError{Line: above + bad.StartLine, Err: bad.Err}
		case err != nil:
			return Score{}, err
		}
		line, _ := table.FieldPos(0)
		get := func(name string) string {
			if i, ok := column[name]; ok {
				return uncell(record[i])
			}
			return ""
		}
		s := Score{Line: above + line, ID: get("id"), Review: get("review"), Lang: get("lang"), Signature: get("signature")}
		if has("human_con") && has("human_comp") && has("human_rel") {
			s.Human, err = labels(cell{text: get("human_con")}, cell{text: get("human_comp")}, cell{text: get("human_rel")})
			if err != nil {
				return Score{}, &LineError{Line: s.Line, Err: fmt.Errorf("human labels: %w", err)}
			}
		}
		if i, ok := column["status"]; ok && record[i] == "unscored" {
			return s, nil
		}
		if has("score") {
			v, err := number("score", record[column["score"]])
			if err != nil {
				return Score{}, &LineError{Line: s.Line, Err: err}
			}
			s.Con, s.Comp, s.Rel = v, v, v
			return s, nil
		}
		for i, dst := range s.numbers() {
			if !has(dimensions[i]) {
				continue
			}
			if *dst, err = number(dimensions[i], record[column[dimensions[i]]]); err != nil {
				return Score{}, &LineError{Line: s.Line, Err: err}
			}
		}
		return s, nil
	}
	return nil
}

// scoreFields are the columns that a table may have once.
var scoreFields = []string{"id", "review", "con", "comp", "rel", "score", "status", "lang", "signature", "human_con", "human_comp", "human_rel"}

// uncell takes off the apostrophe that crscore score --format csv writes before a text
// which a spreadsheet would compute.
func uncell(text string) string {
	rest, quoted := strings.CutPrefix(text, "'")
	if begin := strings.TrimLeft(rest, "'"); quoted && begin != "" && strings.Contains("=+-@\t\r", begin[:1]) {
		return rest
	}
	return text
}

// number reads a cell, nil for an empty one.
func number(name, cell string) (*float64, error) {
	if cell = strings.TrimSpace(cell); cell == "" {
		return nil, nil
	}
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		return nil, fmt.Errorf("%s is %s, not a number", name, short(cell))
	}
	return &v, nil
}

// budget is a reader that gives up where one record is too long: an open quote
// would take the whole rest.
type budget struct {
	r    io.Reader
	left int
}

func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("a record is longer than the limit of %d MiB", MaxLineBytes>>20)
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// short quotes text of unknown length for an error.
func short(s string) string {
	const limit = 100
	if len(s) > limit {
		s = string(bytes.ToValidUTF8([]byte(s[:limit]), nil)) + "…"
	}
	return strconv.Quote(s)
}
