package sts

import (
	"sync"

	"crscore/sts/internal/onnxcheck"
)

// shapeCheck remembers for which sizes of a batch a model may run. They are few: what a session
// pads texts to.
type shapeCheck struct {
	graph *onnxcheck.Graph
	mu    sync.Mutex
	seen  map[[2]int]error
}

// check returns an error if the model must not run with rows texts of length tokens. There is no
// s where no engine runs the graph.
func (s *shapeCheck) check(rows, length int) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	size := [2]int{rows, length}
	err, ok := s.seen[size]
	if !ok {
		if s.seen == nil {
			s.seen = map[[2]int]error{}
		}
		_, err = s.graph.Check(rows, length)
		s.seen[size] = err
	}
	return err
}

// checkLengths refuses a model before a backend opens it, which may compute constants then: for
// the shortest text, whose limits are the lowest, and for the longest.
func (s *shapeCheck) checkLengths(longest int) error {
	for _, length := range []int{minTokens, longest} {
		if err := s.check(1, length); err != nil {
			return err
		}
	}
	return nil
}
