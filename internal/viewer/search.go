package viewer

import (
	"bufio"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"crscore/internal/dataset"
	"crscore/internal/limits"
)

// searchWait is how long an answer waits for the search behind it.
const searchWait = 30 * time.Millisecond

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

// searcher looks for texts in the dataset. A new text ends the oldest search.
type searcher struct {
	mu       sync.Mutex
	searches lru[*search]
}

// search is the search for a text.
type search struct {
	text string
	quit chan struct{} // closed to end it
	done chan struct{} // closed when it has ended

	mu   sync.Mutex
	hits []bool // of each change
	now  Search
}

// find returns the changes that have the text, as far as they were searched. It starts the
// search, and waits a moment for it.
func (s *searcher) find(v *Viewer, text string) ([]bool, *Search) {
	s.mu.Lock()
	one, ok := s.searches.get(text)
	if !ok {
		if len(s.searches.values) == limits.Searches {
			close(s.searches.values[0].quit)
		}
		one = &search{
			text: text, quit: make(chan struct{}), done: make(chan struct{}),
			hits: make([]bool, len(v.changes)), now: Search{Of: len(v.changes)},
		}
		s.searches.put(text, one, limits.Searches)
		go one.run(v)
	}
	s.mu.Unlock()
	select {
	case <-one.done:
	case <-time.After(searchWait):
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	now := one.now
	return slices.Clone(one.hits), &now
}

// stop ends all searches.
func (s *searcher) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.searches.values {
		close(one.quit)
		<-one.done
	}
	s.searches = lru[*search]{}
}

// run reads the dataset.
func (s *search) run(v *Viewer) {
	defer close(s.done)
	start, in, problem := time.Now(), &sequence{in: v.data}, ""
	for i := 0; i < len(v.changes) && problem == ""; i++ {
		c := &v.changes[i]
		hit := strings.Contains(strings.ToLower(c.key), s.text)
		if !hit && v.grams.may(i, s.text) {
			rec, err := in.record(c)
			if err != nil {
				problem = v.changed(c, err).Error()
				break
			}
			hit = holds(rec, s.text)
		}
		s.mu.Lock()
		s.hits[i] = hit
		s.now.Searched++
		if hit {
			s.now.Found++
		}
		s.mu.Unlock()
		select {
		case <-s.quit:
			problem = "other searches took its place"
		default:
			if time.Since(start) > limits.SearchTime {
				problem = "the search ended after " + limits.SearchTime.String()
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now.Ended = true; s.now.Searched < s.now.Of {
		s.now.Problem = problem
	}
}

// holds reports whether a change has the text, in lower case.
func holds(rec *dataset.Record, text string) bool {
	for one := range searched(rec) {
		if strings.Contains(strings.ToLower(one), text) {
			return true
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
	if s.buf == nil {
		s.buf, s.at = bufio.NewReaderSize(nil, 1<<16), -1
	}
	if ahead := c.at.offset - s.at; s.at >= 0 && ahead >= 0 && ahead <= int64(s.buf.Buffered()) {
		_, _ = s.buf.Discard(int(ahead)) // it is in the buffer
	} else {
		s.buf.Reset(io.NewSectionReader(s.in, c.at.offset, s.in.size-c.at.offset))
	}
	line := make([]byte, c.at.size)
	n, err := io.ReadFull(s.buf, line)
	if s.at = c.at.offset + int64(n); err != nil {
		return nil, err
	}
	return parseRecord(line, "old", "new")
}
