package ollamatest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"testing"
)

// StartLike starts a server for this test alone that has the models of s.
func StartLike(tb testing.TB, s *Server) *Server {
	tb.Helper()
	other := Start(tb)
	other.Like(tb, s)
	return other
}

// Like gives the server the models of another instead of its own. Importing a model twice gives two
// digests.
func (s *Server) Like(tb testing.TB, other *Server) {
	tb.Helper()
	err := os.RemoveAll(s.models())
	if err == nil {
		err = os.CopyFS(s.models(), os.DirFS(other.models()))
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// Front stands before a server and counts what it is asked to generate. While there is no server
// behind it, it breaks connections.
type Front struct {
	// URL is its address, which stays when another server comes behind it.
	URL string
	// OnGenerate, if set before the first request, is called at the begin of each request to
	// generate, with its number from 1.
	OnGenerate func(n int)

	behind   atomic.Pointer[url.URL]
	begun    atomic.Int32
	mu       sync.Mutex
	answered []string
}

// NewFront starts a front before a server. It is closed at the end of the test.
func NewFront(tb testing.TB, s *Server) *Front {
	tb.Helper()
	f := &Front{}
	f.Behind(tb, s)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(f.behind.Load()) },
		// The client must see what it sees of a server that dies.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/generate" {
			proxy.ServeHTTP(w, r)
			return
		}
		asked, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		r.Body = io.NopCloser(bytes.NewReader(asked))
		if n := int(f.begun.Add(1)); f.OnGenerate != nil {
			f.OnGenerate(n)
		}
		seen := &status{ResponseWriter: w}
		proxy.ServeHTTP(seen, r) // panics where the answer breaks off
		if seen.code == http.StatusOK {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.answered = append(f.answered, string(asked))
		}
	}))
	tb.Cleanup(front.Close)
	f.URL = front.URL
	return f
}

// status keeps the status of a response.
type status struct {
	http.ResponseWriter
	code int
}

func (s *status) WriteHeader(code int) {
	s.code = code
	s.ResponseWriter.WriteHeader(code)
}

func (s *status) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// Behind puts a server behind the front.
func (f *Front) Behind(tb testing.TB, s *Server) {
	tb.Helper()
	u, err := url.Parse(s.URL)
	if err != nil {
		tb.Fatal(err)
	}
	f.behind.Store(u)
}

// Begun is the number of requests to generate so far.
func (f *Front) Begun() int { return int(f.begun.Load()) }

// Answered are the bodies of the requests to generate that were answered in full.
func (f *Front) Answered() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.answered...)
}
