package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// Limits of reading bodies.
const (
	// minSpeed is the least speed in bytes a second at which a body arrives.
	minSpeed = 4 << 10
	// grace is how long a body may be slower, at its begin and after every pause.
	grace = 3 * time.Second
	// firstPiece is the memory for the begin of a body. It doubles as the body arrives.
	firstPiece = 4 << 10
)

func (s *Server) tooLarge() error {
	return newProblem(http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is larger than the limit of %d bytes", s.opts.MaxBody))
}

// read reads a request's body. The capacity of what it returns, also with an error, is
// taken from s.bodies.
func (s *Server) read(w *recorder, r *http.Request) ([]byte, error) {
	w.begun = true
	rc := http.NewResponseController(w)
	stop := context.AfterFunc(r.Context(), func() { // a shutdown does not wait for a slow client
		_ = rc.SetReadDeadline(time.Now())
	})
	defer stop()
	var body []byte
	now := time.Now()
	end, slow := now.Add(s.opts.ReadTimeout), now.Add(s.grace)
	for {
		if len(body) == cap(body) {
			grown := s.grown(r, body)
			if grown == nil {
				return body, s.rejected(bodiesFull, later(http.StatusServiceUnavailable, fmt.Sprintf("the bodies of all requests have more than the limit of %d MiB together", s.bodies.most>>20)))
			}
			body = grown
		}
		_ = rc.SetReadDeadline(earlier(slow, end))
		if r.Context().Err() != nil { // perhaps before the deadline was set
			_ = rc.SetReadDeadline(time.Now())
		}
		n, err := r.Body.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		slow = earlier(slow.Add(time.Duration(n)*time.Second/minSpeed), time.Now().Add(s.grace))
		switch {
		case int64(len(body)) > s.opts.MaxBody:
			return body, s.tooLarge()
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			w.Header().Set("Connection", "close")
			return body, s.cutOff(r, err, !time.Now().Before(end))
		}
	}
}

// grown returns a body with more room, or nil if there is no memory for it. A length that
// the client promises bounds the room, but takes none before the bytes have come.
func (s *Server) grown(r *http.Request, body []byte) []byte {
	size := max(2*cap(body), firstPiece)
	if r.ContentLength >= int64(len(body)) { // one byte more, to see the end
		size = min(size, int(r.ContentLength)+1)
	}
	size = min(size, int(s.opts.MaxBody)+1)
	if !s.bodies.grow(cap(body), size) {
		return nil
	}
	grown := make([]byte, len(body), size)
	copy(grown, body)
	return grown
}

// cutOff is the error of a body that does not arrive.
func (s *Server) cutOff(r *http.Request, err error, late bool) error {
	switch {
	case errors.Is(context.Cause(r.Context()), errCut):
		return r.Context().Err()
	case !errors.Is(err, os.ErrDeadlineExceeded):
		return bad("", errors.New("the body ended too early"))
	case late:
		return s.rejected(slowBody, newProblem(http.StatusRequestTimeout, fmt.Sprintf("the body did not arrive within %s", s.opts.ReadTimeout)))
	}
	return s.rejected(slowBody, newProblem(http.StatusRequestTimeout, fmt.Sprintf("the body arrives more slowly than %d bytes a second for more than %s", minSpeed, s.grace)))
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
