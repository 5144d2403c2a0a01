package viewer

import (
	"bufio"
	"io"
	"strings"
	"sync"
	"time"

	"crscore/internal/dataset"
)

// Limits of a search.
const (
	// searchWait is how long an answer waits for the search behind it.
	searchWait = 250 * time.Millisecond
	// maxSearch is how long a search reads.
	maxSearch = 2 * time.Minute
)

// Search says how far a search for a text has come.
type Search struct {
	// Searched is the number of changes that were searched, of Of. Found of these have the
	// text in their id, a path or a review.
	Searched int `json:"searched"`
	Of       int `json:"of"`
	Found    int `json:"found"`
	// Ended says that the search reads no further; Problem why, if it has not seen all.
	Ended   bool   `json:"ended"`
	Problem string `json:"problem,omitempty"`
}

// searcher looks for a text in the dataset, one text at a time. A new text ends the search for
// the last one.
type searcher struct {
	mu   sync.Mutex
	text string
	hits []bool
	now  Search
	quit chan struct{} // closed to end the search
	done chan struct{} // closed when it has ended
}

// find returns the changes that have the text, as far as they were searched. It starts the
// search, and waits a moment for it.
func (s *searcher) find(v *Viewer, text string) ([]bool, *Search) {
	s.mu.Lock()
	if s.done == nil || s.text != text {
		s.end()
		s.text, s.hits, s.now = text, make([]bool, len(v.changes)), Search{Of: len(v.changes)}
		s.quit, s.done = make(chan struct{}), make(chan struct{})
		go s.run(v, text, s.quit, s.done)
	}
	done := s.done
	s.mu.Unlock()
	select {
	case <-done:
	case <-time.After(searchWait):
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.text != text { // another search came in between
		return make([]bool, len(v.changes)), &Search{Of: len(v.changes), Ended: true, Problem: "another search took its place"}
	}
	now := s.now
	return append([]bool{}, s.hits...), &now
}

// stop ends the search.
func (s *searcher) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
}

func (s *searcher) end() {
	if s.done == nil {
		return
	}
	close(s.quit)
	done := s.done
	s.done = nil
	s.mu.Unlock()
	<-done
	s.mu.Lock()
}

// run reads the dataset.
func (s *searcher) run(v *Viewer, text string, quit, done chan struct{}) {
	defer close(done)
	start := time.Now()
	in := &sequence{in: v.data}
	problem := ""
	for i := range v.changes {
		select {
		case <-quit:
			return
		default:
		}
		c := &v.changes[i]
		hit := strings.Contains(strings.ToLower(c.key), text)
		if !hit {
			rec, err := in.record(c)
			if err != nil {
				problem = v.changed(c, err).Error()
			} else {
				hit = holds(rec, text)
			}
		}
		s.mu.Lock()
		s.hits[i] = hit
		s.now.Searched++
		if hit {
			s.now.Found++
		}
		s.mu.Unlock()
		if time.Since(start) > maxSearch {
			problem = "the search ended after " + maxSearch.String()
		}
		if problem != "" {
			break
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.Ended, s.now.Problem = true, problem
}

// holds reports whether a path or a review has the text, in lower case.
func holds(rec *dataset.Record, text string) bool {
	if strings.Contains(strings.ToLower(rec.ID), text) || strings.Contains(strings.ToLower(rec.Path), text) {
		return true
	}
	for i := range rec.Reviews {
		if strings.Contains(strings.ToLower(rec.Reviews[i].Text), text) {
			return true
		}
	}
	for line := range strings.Lines(rec.Diff) {
		for _, head := range []string{"diff --git ", "--- ", "+++ ", "rename "} {
			if path, ok := strings.CutPrefix(line, head); ok && strings.Contains(strings.ToLower(path), text) {
				return true
			}
		}
	}
	return false
}

// sequence reads records one after the other, with few calls of the system.
type sequence struct {
	in  *text
	buf *bufio.Reader
	at  int64
}

func (s *sequence) record(c *change) (*dataset.Record, error) {
	if s.buf == nil || c.at.offset < s.at {
		s.buf, s.at = bufio.NewReaderSize(io.NewSectionReader(s.in, c.at.offset, s.in.size-c.at.offset), 1<<20), c.at.offset
	}
	skipped, err := io.CopyN(io.Discard, s.buf, c.at.offset-s.at)
	s.at += skipped
	if err != nil {
		return nil, err
	}
	line := make([]byte, c.at.size)
	n, err := io.ReadFull(s.buf, line)
	s.at += int64(n)
	if err != nil {
		return nil, err
	}
	return parseRecord(line)
}
