package dataset

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"crscore/internal/csvcell"
	"crscore/internal/limits"
	"crscore/score"
)

// Score is the score of a metric for one review: its row, as crscore or another program wrote it. Con, Comp and
// Rel are nil if the review has no score. A dimension that the metric lacks is nil in every score of a file.
// Human and Explain are not in CSV.
type Score struct {
	Row
	Line int // number of the line, or row, counted from 1
	// Metric names the number that stands for con, comp and rel: "score", or what a Choice
	// took. It is empty where they are three numbers.
	Metric string
	// Metrics are the numbers of other metrics by their names, in the place of Row's. A metric that could not
	// score the review has nil.
	Metrics map[string]*float64
	Rule    *score.Rule // of scoring, if it is known
	// Lower says that the numbers that stand for con, comp and rel are distances.
	Lower bool
	// Evidence is Explain in JSON, as Explained reads it.
	Evidence json.RawMessage

	table bool    // Line counts the rows of a table that has no lines
	own   [4]bool // which of ownNumbers it names
	told  bool    // by the row itself, and not by its signature, how it was made
}

// Explained returns the evidence; nil where the row has none that can be read.
func (s *Score) Explained() *Explain {
	var e *Explain
	if len(s.Evidence) == 0 || json.Unmarshal(s.Evidence, &e) != nil {
		return nil
	}
	return e
}

// Where names the place of the score: "line 5" or "row 5".
func (s *Score) Where() string { return where(s.Line, s.table) }

// Scored reports whether the review has a score.
func (s *Score) Scored() bool { return s.Con != nil || s.Comp != nil || s.Rel != nil }

// dimensions are the names of a score's numbers.
var dimensions = [3]string{"con", "comp", "rel"}

// ownNumbers are the names of the numbers beside metrics.
var ownNumbers = [4]string{"con", "comp", "rel", "score"}

func (s *Score) numbers() [3]**float64 { return [3]**float64{&s.Con, &s.Comp, &s.Rel} }

// ScoreColumns describes the columns that a file of scores needs.
const ScoreColumns = "id (of the change), review or system (its id); and some of con, comp, rel, or score, or metrics"

// ScoreReader reads scores of any metric: the lines of crscore score, other JSON Lines,
// CSV with a header, gzipped or not, or Parquet. ScoreColumns says which fields it needs;
// it ignores others. The numbers of metrics stand in an object metrics, or in columns
// metrics.NAME; a Choice takes one of them. A review without a score has null, an empty cell or the status
// "unscored".
type ScoreReader struct {
	src   Source
	text  lines
	next  func() (Score, error)
	table bool // the scores come from one
	count int
	used  map[[2]string]int // ids -> line; nil if nothing is kept
	// has are the dimensions of the first review with a score, at the place first.
	has   [3]bool
	first string
	last  *Score // tells how the scores of its signature were made
}

// NewScoreReader starts reading. It reads nothing before the first call of Next.
func NewScoreReader(src Source) *ScoreReader {
	return &ScoreReader{src: src, text: lines{raw: src.Text}, used: map[[2]string]int{}}
}

// KeepNothing makes the reader forget ids, for constant memory: the caller has to find
// duplicate reviews and to bound the number of scores. It must be called before Next.
func (r *ScoreReader) KeepNothing() { r.used = nil }

// Next returns the next score. The error is io.EOF at the end. A *LineError is a line that
// is no score; Next goes on behind it. Any other error is final, such as a review that
// occurs twice.
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
		return Score{}, &LineError{Line: s.Line, Row: s.table, Err: err}
	}
	if r.used == nil {
		return s, nil
	}
	if r.count++; r.count > limits.FileScores {
		return Score{}, fmt.Errorf("%s: more than %d scores", s.Where(), limits.FileScores)
	}
	ids := [2]string{s.ID, s.Review}
	if line, twice := r.used[ids]; twice {
		return Score{}, fmt.Errorf("%s: review %s of change %s has a score on %s too", s.Where(), short(s.Review), short(s.ID), where(line, s.table))
	}
	r.used[ids] = s.Line
	return s, nil
}

// Place returns where the line of the score that Next returned last stands in the unpacked
// text of JSON Lines, in bytes. The size is 0 for a table.
func (r *ScoreReader) Place() (offset, size int64) {
	if r.text.in == nil || r.table {
		return 0, 0
	}
	return r.text.span()
}

func (r *ScoreReader) open() error {
	t, err := openValues(r.src, &r.text)
	switch {
	case err != nil:
		return err
	case t != nil:
		return r.openTable(t)
	}
	r.next = r.json
	return nil
}

// check returns an error if a score is incomplete, or if it has other dimensions than the
// first score.
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
	if r.first == "" {
		r.has, r.first = has, s.Where()
	}
	for i, name := range dimensions {
		switch {
		case has[i] && !r.has[i]:
			return fmt.Errorf("there is a value for %s, but none on %s", name, r.first)
		case !has[i] && r.has[i]:
			return fmt.Errorf("there is no value for %s, but one on %s", name, r.first)
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
	var s Score
	o, err := readObject(b)
	if err == nil {
		s, err = decodeScore(o)
	}
	if err != nil {
		return Score{}, &LineError{Line: line, Row: r.text.array, Err: err}
	}
	s.Line, s.table = line, r.text.array
	r.tell(&s)
	return s, nil
}

// strict are the members of a row that must be as crscore writes them; of others, other programs may have any.
var strict = []string{"id", "review", "status", "con", "comp", "rel", "lang", "signature"}

func decodeScore(o object) (s Score, err error) {
	if _, ok := o["reviews"]; ok {
		return s, errors.New("this is a line of a dataset, not a score")
	}
	for _, c := range rowColumns {
		to := c.Of(&s.Row)
		if c.Name == "id" || c.Name == "review" {
			to = (*text)(to.(*string))
		}
		if _, err := o.take(c.Name, to); err != nil && slices.Contains(strict, c.Name) {
			return s, err
		}
	}
	for name, to := range map[string]any{"grades": &s.Grades, "grade": &s.Grade, "criteria": &s.Criteria, "rank": &s.Rank, "judge": &s.Judge, "tools": &s.Tools, "left_out": &s.LeftOut} {
		_, _ = o.take(name, to)
	}
	var metrics, unscored object
	for _, f := range []struct {
		name string
		dst  any
	}{{"score", &s.Score}, {"explain", &s.Evidence}, {lowerIsBetter, &s.LowerIsBetter}, {"metrics", &metrics}, {"unscored_metrics", &unscored}} {
		if _, err := o.take(f.name, f.dst); err != nil {
			return s, err
		}
	}
	if s.Review == "" { // another's row, whose own "system" may be anything beside a review
		if _, err := o.take("system", (*text)(&s.Review)); err != nil {
			return s, err
		}
	}
	if s.Human, err = o.human(); err != nil {
		return s, err
	}
	if s.Metrics, err = decodeMetrics(metrics, unscored); err != nil {
		return s, err
	}
	for i, name := range ownNumbers {
		_, s.own[i] = o[name]
	}
	switch some, one := s.own[0] || s.own[1] || s.own[2], s.own[3]; {
	case s.ID == "":
		return s, o.missing(`"id"`, "id")
	case s.Review == "":
		return s, o.missing(`"review"`, "review", "system")
	case s.Status == "unscored":
		s.Con, s.Comp, s.Rel = nil, nil, nil
		for name := range s.Metrics {
			s.Metrics[name] = nil
		}
	case some && one:
		return s, errors.New("score stands for con, comp and rel, and there are both")
	case one:
		s.Con, s.Comp, s.Rel, s.Metric = s.Score, s.Score, s.Score, "score"
	case !some && len(s.Metrics) == 0:
		return s, errors.New("there is no con, comp, rel, score or metrics")
	}
	return s, nil
}

// decodeMetrics reads the numbers of a line, and the names of the metrics that could not
// score it.
func decodeMetrics(metrics, unscored object) (map[string]*float64, error) {
	if len(metrics)+len(unscored) == 0 {
		return nil, nil
	}
	out := make(map[string]*float64, len(metrics)+len(unscored))
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		var v *float64
		if _, err := metrics.take(name, &v); err != nil {
			return nil, fmt.Errorf("metrics: %w", err)
		}
		out[name] = v
	}
	for name := range unscored {
		if out[name] != nil {
			return nil, fmt.Errorf("the metric %s has a number, and unscored_metrics says that it has none", short(name))
		}
		out[name] = nil
	}
	if _, ok := out[""]; ok {
		return nil, errors.New("metrics: a metric has no name")
	}
	return out, nil
}

// openTable finds the columns.
func (r *ScoreReader) openTable(t table) error {
	header := t.columns()
	read := scoreTable{table: t, at: map[string]int{}, tell: r.tell}
	var places []int
	for i, name := range header {
		if name = strings.TrimSpace(name); !t.rows() {
			name = csvcell.Read(name)
		}
		metric, ok := strings.CutPrefix(name, metricColumn)
		if ok = ok && metric != ""; !ok && name != "score" && name != lowerIsBetter && !isRowColumn(name) {
			continue
		}
		if read.has(name) {
			return fmt.Errorf("the table has two columns %s", name)
		}
		if ok {
			read.metrics = append(read.metrics, metric)
		}
		read.at[name] = len(places)
		places = append(places, i)
	}
	for i, name := range ownNumbers {
		read.own[i] = read.has(name)
	}
	some := slices.ContainsFunc(dimensions[:], read.has)
	var wrong string
	var wanted []string
	switch {
	case !read.has("id"):
		wrong, wanted = "no column id", []string{"id"}
	case !read.has("review") && !read.has("system"):
		wrong, wanted = "no column review", []string{"review", "system"}
	case !some && !read.has("score") && len(read.metrics) == 0:
		wrong, wanted = "no column con, comp, rel, score or metrics.NAME", ownNumbers[:]
	case some && read.has("score"):
		wrong = "a column score beside con, comp or rel"
	}
	if wrong != "" {
		return fmt.Errorf("the table has %s (columns: %s%s); needed are: %s", wrong, list(header), nearest(header, wanted...), ScoreColumns)
	}
	r.next, r.table = read.next, true
	return t.use(places)
}

// scoreTable reads scores from the rows of a table.
type scoreTable struct {
	table   table
	at      map[string]int // places of the columns that are read, those of metrics too, among the cells
	metrics []string       // names of metrics
	own     [4]bool        // which of ownNumbers are columns
	tell    func(s *Score)
}

func (t *scoreTable) has(name string) bool { _, ok := t.at[name]; return ok }

func (t *scoreTable) next() (Score, error) {
	line, cells, err := t.table.next()
	if err != nil {
		return Score{}, err
	}
	s := Score{Line: line, table: t.table.rows(), own: t.own}
	get := func(name string) string {
		i, ok := t.at[name]
		switch {
		case !ok:
			return ""
		case s.table: // Parquet, which no spreadsheet computes
			return cells[i].text
		}
		return csvcell.Read(cells[i].text)
	}
	if err := t.fill(&s, cells, get); err != nil {
		return Score{}, &LineError{Line: s.Line, Row: s.table, Err: err}
	}
	t.tell(&s)
	return s, nil
}

// fill reads the cells of a row.
func (t *scoreTable) fill(s *Score, cells []cell, get func(name string) string) (err error) {
	for _, c := range rowColumns {
		if slices.Contains(dimensions[:], c.Name) || !t.has(c.Name) { // an unscored review has no numbers
			continue
		}
		switch to := c.Of(&s.Row).(type) {
		case *string:
			*to = get(c.Name)
		case **float64:
			*to, _ = number(c.Name, get(c.Name))
		}
	}
	s.ID, s.Review = idOf(s.ID), idOf(cmp.Or(s.Review, s.System))
	if lower := get(lowerIsBetter); lower != "" {
		if err := json.Unmarshal([]byte(lower), &s.LowerIsBetter); err != nil {
			return fmt.Errorf("lower_is_better is %s, not a JSON list of names", short(lower))
		}
	}
	if t.has("human_con") && t.has("human_comp") && t.has("human_rel") {
		s.Human, err = labels(cells[t.at["human_con"]], cells[t.at["human_comp"]], cells[t.at["human_rel"]])
		if err != nil {
			return fmt.Errorf("human labels: %w", err)
		}
	}
	scored := s.Status != "unscored"
	if err := t.fillMetrics(s, cells, scored); err != nil || !scored {
		return err
	}
	if t.has("score") {
		s.Rel, err = number("score", get("score"))
		s.Con, s.Comp, s.Metric = s.Rel, s.Rel, "score"
		return err
	}
	for i, to := range s.numbers() {
		if *to, err = number(dimensions[i], get(dimensions[i])); err != nil {
			return err
		}
	}
	return nil
}

// fillMetrics reads the cells of metrics.
func (t *scoreTable) fillMetrics(s *Score, cells []cell, scored bool) error {
	if len(t.metrics) == 0 {
		return nil
	}
	s.Metrics = make(map[string]*float64, len(t.metrics))
	for _, metric := range t.metrics {
		s.Metrics[metric] = nil
		if !scored {
			continue
		}
		name := metricColumn + metric
		v, err := number(name, cells[t.at[name]].text)
		if err == nil && v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0)) {
			err = fmt.Errorf("%s is %g, not a finite number", name, *v)
		}
		if err != nil {
			return err
		}
		s.Metrics[metric] = v
	}
	return nil
}

// number reads a cell. It returns nil for an empty cell.
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

// short quotes a text for an error, cut after 100 bytes.
func short(s string) string {
	const limit = 100
	if len(s) > limit {
		s = string(bytes.ToValidUTF8([]byte(s[:limit]), nil)) + "…"
	}
	return strconv.Quote(s)
}

// Each hands on all scores, and to bad the lines that are malformed: a *LineError of use is one of
// them. It returns their number.
func (r *ScoreReader) Each(use func(Score) error, bad func(*LineError)) (malformed int, err error) {
	for {
		sc, err := r.Next()
		if err == nil {
			err = use(sc)
		}
		var line *LineError
		switch {
		case errors.Is(err, io.EOF):
			return malformed, nil
		case errors.As(err, &line):
			malformed++
			bad(line)
		case err != nil:
			return malformed, err
		}
	}
}
