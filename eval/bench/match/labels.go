package match

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"crscore/eval/bench"
	"crscore/internal/limits"
	"crscore/sts"
)

// Labels are what judges said of the comments of review tools: which known problem each meets.
type Labels struct {
	// Judged are in the order of the file.
	Judged []Judged
	// Sum is the SHA-256 of the unpacked text in hexadecimal.
	Sum string
}

// Judged holds the labels of a judge for a pull request.
type Judged struct {
	// PR names the pull request.
	PR string `json:"pr"`
	// Judge is the name of the model or person.
	Judge string `json:"judge"`
	// Golden are the known problems.
	Golden []Golden `json:"golden"`
	// Tools are the answers by the name of the tool.
	Tools map[string]Answer `json:"tools"`
}

// Golden is a known problem.
type Golden struct {
	// Text is a comment on the problem.
	Text string `json:"text"`
	// Severity is such as "High", and may be empty.
	Severity string `json:"severity,omitempty"`
}

// Answer holds the comments of a tool and the labels of the judge.
type Answer struct {
	// Candidates are the comments of the tool.
	Candidates []string `json:"candidates"`
	// Match has the candidate that meets a golden, both counted from 0. A candidate may meet
	// several.
	Match map[int]int `json:"match"`
	// False are candidates that meet none. The judge gave no label to others outside Match.
	False []int `json:"false"`
}

// labelSchema is the form of a line of labels.
const labelSchema = `{"pr": …, "judge": …, "golden": [{"text": …}], "tools": {"TOOL": ` +
	`{"candidates": [TEXT, …], "match": {"GOLDEN": CANDIDATE}, "false": [CANDIDATE, …]}}}`

// ReadLabels reads JSON Lines, gzipped or not, with an object for each pull request and judge:
//
//	{"pr": …, "judge": …, "golden": [{"text": …}], "tools": {"TOOL": {"candidates": [TEXT, …],
//	 "match": {"GOLDEN": CANDIDATE}, "false": [CANDIDATE, …]}}}
//
// on a line. Texts are without machine-made parts (see sts.Written). The error tells the line. A file
// may have limits.GoldenPairs pairs.
func ReadLabels(text []byte) (*Labels, error) {
	text, err := bench.Unpack(text)
	if err != nil {
		return nil, err
	}
	l := &Labels{Sum: fmt.Sprintf("%x", sha256.Sum256(text))}
	first := map[[2]string]int{}
	n, pairs := 0, 0
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var j Judged
		err := bench.ReadJSON(line, &j)
		if err != nil {
			err = fmt.Errorf("%w; wanted is %s", err, labelSchema)
		} else {
			err = j.check()
		}
		for _, a := range j.Tools {
			pairs += len(j.Golden) * len(a.Candidates)
		}
		if err == nil && pairs > limits.GoldenPairs {
			err = fmt.Errorf("more than %d pairs of golden comments and candidates so far", limits.GoldenPairs)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		key := [2]string{j.PR, j.Judge}
		if before, twice := first[key]; twice {
			return nil, fmt.Errorf("line %d: %s by %s stands on line %d too", n, j.PR, j.Judge, before)
		}
		first[key] = n
		j.strip()
		l.Judged = append(l.Judged, j)
	}
	if len(l.Judged) == 0 {
		return nil, errors.New("there is no label")
	}
	return l, nil
}

// strip leaves what reviewers wrote: matchers get no machine-made parts.
func (j *Judged) strip() {
	for i := range j.Golden {
		j.Golden[i].Text = sts.Written(j.Golden[i].Text)
	}
	for _, a := range j.Tools {
		for i := range a.Candidates {
			a.Candidates[i] = sts.Written(a.Candidates[i])
		}
	}
}

func (j *Judged) check() error {
	switch {
	case j.PR == "":
		return errors.New(`there is no "pr"`)
	case j.Judge == "":
		return errors.New(`there is no "judge"`)
	case len(j.Golden) > limits.BenchReferences:
		return fmt.Errorf("%d golden comments, more than %d", len(j.Golden), limits.BenchReferences)
	}
	for name, a := range j.Tools {
		if len(a.Candidates) > limits.BenchComments {
			return fmt.Errorf("tool %q: %d candidates, more than %d", name, len(a.Candidates), limits.BenchComments)
		}
		for _, c := range a.False {
			if c < 0 || c >= len(a.Candidates) {
				return fmt.Errorf(`tool %q: "false" has candidate %d of %d, counted from 0`, name, c, len(a.Candidates))
			}
		}
		for g, c := range a.Match {
			if g < 0 || g >= len(j.Golden) || c < 0 || c >= len(a.Candidates) {
				return fmt.Errorf(`tool %q: "match" has golden %d of %d and candidate %d of %d, counted from 0`,
					name, g, len(j.Golden), c, len(a.Candidates))
			}
			if slices.Contains(a.False, c) {
				return fmt.Errorf(`tool %q: candidate %d stands in "match" and in "false"`, name, c)
			}
		}
	}
	return nil
}

// Label reports whether the judge gave the candidate to the golden. It is not known of a candidate
// that stands neither in Match nor in False.
func (a *Answer) Label(golden, candidate int) (same, known bool) {
	if c, ok := a.Match[golden]; ok && c == candidate {
		return true, true
	}
	for _, c := range a.Match {
		known = known || c == candidate
	}
	return false, known || slices.Contains(a.False, candidate)
}
