package cli

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"

	"crscore/internal/dataset"
	"crscore/internal/matrices"
	"crscore/internal/report"
	"crscore/internal/run"
	"crscore/internal/stdio"
)

// judgedLabels are scores that stand for human labels, such as a judge's.
type judgedLabels struct {
	name, sum string
	signature string // of the first score
	of        map[[2]string]*dataset.Human
	used      map[[2]string]bool
	unscored  int // scores without con, comp and rel
	without   int // reviews without a label
	people    int // reviews whose human labels were put aside
}

// readJudged reads a file of scores from 0 to 1 as labels from 1 to 5; nil without a file.
func readJudged(name string, s streams) (*judgedLabels, error) {
	if name == "" {
		return nil, nil
	}
	in, err := s.in.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	sum := sha256.New()
	src := run.Source(name, in)
	src.Text = io.TeeReader(src.Text, sum)
	r := dataset.NewScoreReader(src)
	l := &judgedLabels{name: name, of: map[[2]string]*dataset.Human{}, used: map[[2]string]bool{}}
	for {
		v, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil { // labels of a part would calibrate for that part
			return nil, fmt.Errorf("--labels %s: %w", stdio.Name(name), err)
		}
		if v.Con == nil || v.Comp == nil || v.Rel == nil {
			l.unscored++
			continue
		}
		for _, x := range []float64{*v.Con, *v.Comp, *v.Rel} {
			if !(x >= 0 && x <= 1) {
				return nil, fmt.Errorf("--labels %s: %s: %g is no score from 0 to 1", stdio.Name(name), v.Where(), x)
			}
		}
		if l.signature == "" {
			l.signature = v.Signature
		}
		l.of[[2]string{v.ID, v.Review}] = &dataset.Human{Con: 1 + 4**v.Con, Comp: 1 + 4**v.Comp, Rel: 1 + 4**v.Rel}
	}
	if _, err := io.Copy(io.Discard, src.Text); err != nil {
		return nil, err
	}
	l.sum = checksum(name, sum)
	return l, nil
}

// put replaces the human labels of a change by the labels of the file. A review without one
// has no label.
func (l *judgedLabels) put(b *matrices.Block) {
	if l == nil {
		return
	}
	b.Reviews = slices.Clone(b.Reviews)
	for i := range b.Reviews {
		r := &b.Reviews[i]
		if r.Human != nil {
			l.people++
		}
		ids := [2]string{b.ID, r.ID}
		if r.Human = l.of[ids]; r.Human == nil {
			l.without++
			continue
		}
		l.used[ids] = true
	}
}

// about names the file and the signature of the scores; empty without a file.
func (l *judgedLabels) about() string {
	if l == nil {
		return ""
	}
	signature := l.signature
	if signature == "" {
		signature = "without a signature"
	}
	return fmt.Sprintf("%s (%s)", stdio.Name(l.name), report.Plain(signature))
}

// conclude says how labels and reviews fit, and names the labels in the data of the profile.
func (l *judgedLabels) conclude(m *gathered, s streams) error {
	if l == nil {
		return nil
	}
	if len(l.used) == 0 {
		return fmt.Errorf("--labels %s: no score is about a review of the data (scores with con, comp and rel: %d, without: %d)",
			stdio.Name(l.name), len(l.of), l.unscored)
	}
	s.log.Note(fmt.Sprintf("labels are scores of %s, not people's: reviews with a label: %d, without: %d; scores of other reviews: %d, unscored: %d; human labels that were put aside: %d",
		l.about(), len(l.used), l.without, len(l.of)-len(l.used), l.unscored, l.people))
	m.data += " labels " + l.sum
	return nil
}
