// Package hubtest is a model hub for tests: HTTP servers on this machine that
// answer like the Hugging Face hub and the place its large files are redirected
// to, and that misbehave on demand. It holds no tests and nothing that the command
// needs.
package hubtest

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// Hub is a running hub. Close it after use.
type Hub struct {
	hub, cdn *httptest.Server

	mu       sync.Mutex
	repos    map[string]Repo
	requests []string
	seen     map[string]int // how often a fault has met a path
}

// Repo is a model repository with one commit.
type Repo struct {
	// Commit has 40 hexadecimal digits. Refs are the branches and tags.
	Commit string
	Refs   []string
	// Token is needed to read the repository; empty for none.
	Token string
	// Files are the texts of the files by path.
	Files map[string][]byte
}

// Commit is a good value for Repo.Commit.
const Commit = "0123456789abcdef0123456789abcdef01234567"

// New starts a hub with the repositories.
func New(repos map[string]Repo) *Hub {
	h := &Hub{repos: repos, seen: make(map[string]int)}
	h.hub = httptest.NewUnstartedServer(http.HandlerFunc(h.serve))
	h.cdn = httptest.NewUnstartedServer(http.HandlerFunc(h.serve))
	// All that a request reads is there before one can come; the hub's point to
	// the other server.
	h.cdn.Start()
	h.hub.Start()
	return h
}

// Close stops the hub.
func (h *Hub) Close() {
	for _, s := range []*httptest.Server{h.hub, h.cdn} {
		s.CloseClientConnections()
		s.Close()
	}
}

// Endpoint is the hub's address, for HF_ENDPOINT. A fault is one of the names in
// Faults, or empty.
func (h *Hub) Endpoint(fault string) string {
	if fault == "" {
		return h.hub.URL
	}
	return h.hub.URL + "/fault-" + fault
}

// Requests returns what was asked for so far: method, path and, in brackets, the
// range.
func (h *Hub) Requests() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.requests)
}

func (h *Hub) serve(w http.ResponseWriter, r *http.Request) {
	what := r.Method + " " + r.URL.Path
	if rng := r.Header.Get("Range"); rng != "" {
		what += " [" + rng + "]"
	}
	h.mu.Lock()
	h.requests = append(h.requests, what)
	h.mu.Unlock()

	fault := ""
	if rest, ok := strings.CutPrefix(r.URL.Path, "/fault-"); ok {
		fault, rest, _ = strings.Cut(rest, "/")
		r = r.Clone(r.Context())
		r.URL.Path, r.URL.RawPath = "/"+rest, ""
	}
	wrap := Faults[fault]
	if wrap == nil {
		wrap = func(h *Hub, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) { next(w, r) }
	}
	wrap(h, w, r, func(w http.ResponseWriter, r *http.Request) { h.route(w, r, fault) })
}

func (h *Hub) route(w http.ResponseWriter, r *http.Request, fault string) {
	name, rest, err := "", r.URL.Path, false
	switch {
	case strings.HasPrefix(rest, "/lfs/"):
		h.lfs(w, r)
		return
	case strings.HasPrefix(rest, "/api/models/"):
		name, rest, err = cut(strings.TrimPrefix(rest, "/api/models/"), "/revision/")
	default:
		name, rest, err = cut(strings.TrimPrefix(rest, "/"), "/resolve/")
	}
	repo, ok := h.repos[name]
	if !ok || repo.Token != "" && r.Header.Get("Authorization") != "Bearer "+repo.Token {
		refuse(w, http.StatusUnauthorized, "Invalid username or password.")
		return
	}
	if err {
		refuse(w, http.StatusNotFound, "Sorry, we can't find the page you are looking for.")
		return
	}
	if strings.HasPrefix(r.URL.Path, "/api/") {
		if rest != repo.Commit && !slices.Contains(repo.Refs, rest) {
			refuse(w, http.StatusNotFound, "Invalid rev id: "+rest)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_ = json.NewEncoder(w).Encode(repo.listing(name, fault != "nosums" && r.URL.Query().Get("blobs") == "true"))
		return
	}
	rev, file, _ := strings.Cut(rest, "/")
	b, ok := repo.Files[file]
	if rev != repo.Commit || !ok {
		refuse(w, http.StatusNotFound, "Entry not found")
		return
	}
	w.Header().Set("X-Repo-Commit", repo.Commit)
	if !large(file) {
		w.Header().Set("ETag", `"`+gitSum(b)+`"`)
		serveBytes(w, r, b)
		return
	}
	w.Header().Set("X-Linked-Size", fmt.Sprint(len(b)))
	w.Header().Set("X-Linked-Etag", `"`+sum(b)+`"`)
	to := h.cdn.URL
	if fault != "" {
		to += "/fault-" + fault
	}
	http.Redirect(w, r, to+"/lfs/"+name+"/"+sum(b)+"?signature=a%2Fb", http.StatusFound)
}

func cut(s, sep string) (before, after string, missing bool) {
	before, after, ok := strings.Cut(s, sep)
	return before, after, !ok
}

func refuse(w http.ResponseWriter, code int, msg string) {
	w.Header().Set("X-Error-Message", msg)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(code)
	fmt.Fprintf(w, `{"error":%q}`, msg)
}

// lfs answers for the place of the large files. The hub's token must not come
// here.
func (h *Hub) lfs(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "" || r.URL.Query().Get("signature") != "a/b" {
		http.Error(w, "bad signature", http.StatusBadRequest)
		return
	}
	dir, want := path.Split(strings.TrimPrefix(r.URL.Path, "/lfs/"))
	for _, b := range h.repos[strings.TrimSuffix(dir, "/")].Files {
		if sum(b) == want {
			w.Header().Set("ETag", `"some-other-tag"`)
			serveBytes(w, r, b)
			return
		}
	}
	http.NotFound(w, r)
}

func serveBytes(w http.ResponseWriter, r *http.Request, b []byte) {
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
}

// large tells which files the hub keeps outside of git.
func large(file string) bool {
	return strings.Contains(path.Ext(file), ".onnx") || path.Ext(file) == ".bin"
}

func sum(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

func gitSum(b []byte) string {
	return fmt.Sprintf("%x", sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(b)), b...)))
}

func (repo Repo) listing(name string, blobs bool) any {
	type object = map[string]any
	var siblings []object
	for file, b := range repo.Files {
		s := object{"rfilename": file}
		if blobs {
			s["size"], s["blobId"] = len(b), gitSum(b)
			if large(file) {
				s["blobId"] = gitSum([]byte("a pointer"))
				s["lfs"] = object{"sha256": sum(b), "size": len(b), "pointerSize": 134}
			}
		}
		siblings = append(siblings, s)
	}
	return object{"_id": "1", "id": name, "modelId": name, "sha": repo.Commit, "private": repo.Token != "", "siblings": siblings}
}

// Faults are ways to misbehave. Those on files spare the listing, and most only
// harm the large files, as they come from elsewhere.
var Faults = map[string]func(h *Hub, w http.ResponseWriter, r *http.Request, next http.HandlerFunc){
	// The connection breaks in the middle of a file, the first time.
	"cut": largeOnly(func(h *Hub, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		if h.times(r) > 1 {
			next(w, r)
			return
		}
		half(w, r, next)
		panic(http.ErrAbortHandler)
	}),
	// The same, whenever a body is asked for.
	"cutget": largeOnly(func(_ *Hub, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		if r.Method == http.MethodHead {
			next(w, r)
			return
		}
		half(w, r, next)
		panic(http.ErrAbortHandler)
	}),
	// No connection brings more than 70,000 bytes.
	"drip": largeOnly(func(_ *Hub, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		b, header := record(r, next)
		send(w, header, b, len(b), min(len(b), 70_000))
		panic(http.ErrAbortHandler)
	}),
	// The connection always breaks after a few bytes.
	"cutalways": largeOnly(func(_ *Hub, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		b, header := record(r, next)
		send(w, header, b, len(b), min(len(b), 100))
		panic(http.ErrAbortHandler)
	}),
	// A short body that ends as if it were whole.
	"short": largeOnly(func(_ *Hub, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		b, header := record(r, next)
		send(w, header, b, -1, len(b)/2)
	}),
	"more": largeOnly(func(_ *Hub, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		b, header := record(r, next)
		send(w, header, append(b, "ten bytes!"...), -1, len(b)+10)
	}),
	"wrong": largeOnly(func(_ *Hub, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		b, header := record(r, next)
		b[len(b)/2] ^= 1
		send(w, header, b, len(b), len(b))
	}),
	"wrongsmall": func(_ *Hub, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		if !strings.HasSuffix(r.URL.Path, "/config.json") {
			next(w, r)
			return
		}
		b, header := record(r, next)
		b[len(b)/2] ^= 1
		send(w, header, b, len(b), len(b))
	},
	// Half of the file, and then nothing.
	"hang": largeOnly(func(_ *Hub, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		half(w, r, next)
		<-r.Context().Done()
	}),
	// The header of a file, and then nothing.
	"hanghead": largeOnly(func(_ *Hub, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		b, header := record(r, next)
		send(w, header, b, len(b), 0)
		<-r.Context().Done()
	}),
	// Never an answer.
	"silent": func(_ *Hub, _ http.ResponseWriter, r *http.Request, _ http.HandlerFunc) { <-r.Context().Done() },
	"slow": largeOnly(func(_ *Hub, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		b, header := record(r, next)
		for i := 0; i < len(b); i += 4096 {
			send(w, header, b[i:], len(b), min(4096, len(b)-i))
			header = nil
			select {
			case <-time.After(20 * time.Millisecond):
			case <-r.Context().Done():
				return
			}
		}
	}),
	"endless":     largeOnly(endless),
	"endlesslist": endless,
	"norange": func(_ *Hub, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		r.Header.Del("Range")
		next(w, r)
	},
	"badrange": largeOnly(func(_ *Hub, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		if r.Header.Get("Range") == "" {
			next(w, r)
			return
		}
		w.Header().Set("Content-Range", "bytes 1-2/3")
		w.WriteHeader(http.StatusPartialContent)
	}),
	"html": func(_ *Hub, w http.ResponseWriter, _ *http.Request, _ http.HandlerFunc) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!DOCTYPE html><title>Log in to the airport</title>")
	},
	"nosums": nil,
	// A page in the place of a file.
	"filehtml": largeOnly(func(_ *Hub, w http.ResponseWriter, _ *http.Request, _ http.HandlerFunc) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!DOCTYPE html><title>Log in to the airport</title>")
	}),
	"etag": func(_ *Hub, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		if strings.HasPrefix(r.URL.Path, "/api/") {
			next(w, r)
			return
		}
		b, _ := record(r, next)
		send(w, http.Header{"Etag": {`"../../../out"`}}, b, len(b), len(b))
	},
	"429": status(http.StatusTooManyRequests), "500": status(http.StatusInternalServerError), "403": status(http.StatusForbidden),
	"503once": func(h *Hub, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		if h.times(r) == 1 {
			refuse(w, http.StatusServiceUnavailable, "busy")
			return
		}
		next(w, r)
	},
	"expired": largeOnly(status(http.StatusForbidden)),
	"loop": func(_ *Hub, w http.ResponseWriter, r *http.Request, _ http.HandlerFunc) {
		http.Redirect(w, r, "/fault-loop"+r.URL.Path, http.StatusFound)
	},
}

type fault = func(h *Hub, w http.ResponseWriter, r *http.Request, next http.HandlerFunc)

func largeOnly(f fault) fault {
	return func(h *Hub, w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
		if strings.HasPrefix(r.URL.Path, "/lfs/") {
			f(h, w, r, next)
			return
		}
		next(w, r)
	}
}

func status(code int) fault {
	return func(_ *Hub, w http.ResponseWriter, _ *http.Request, _ http.HandlerFunc) { refuse(w, code, "") }
}

func endless(_ *Hub, w http.ResponseWriter, _ *http.Request, _ http.HandlerFunc) {
	w.Header().Set("Content-Type", "application/json")
	block := bytes.Repeat([]byte(" "), 1<<16)
	for {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

// times counts the requests for a path, this one included.
func (h *Hub) times(r *http.Request) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen[r.URL.Path]++
	return h.seen[r.URL.Path]
}

// record lets next answer and returns the body and the header of the answer.
func record(r *http.Request, next http.HandlerFunc) ([]byte, http.Header) {
	rec := httptest.NewRecorder()
	next(rec, r)
	header := rec.Header().Clone()
	header.Set("status", fmt.Sprint(rec.Code))
	return rec.Body.Bytes(), header
}

// send writes the header, unless it is nil, with a length, unless that is
// negative, and the first n bytes.
func send(w http.ResponseWriter, header http.Header, b []byte, length, n int) {
	if header != nil {
		for k, v := range header {
			w.Header()[k] = v
		}
		w.Header().Del("Content-Length")
		if length >= 0 {
			w.Header().Set("Content-Length", fmt.Sprint(length))
		}
		code := http.StatusOK
		_, _ = fmt.Sscan(header.Get("status"), &code)
		w.Header().Del("status")
		w.WriteHeader(code)
	}
	_, _ = w.Write(b[:n])
	w.(http.Flusher).Flush()
}

func half(w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
	b, header := record(r, next)
	send(w, header, b, len(b), len(b)/2)
}
