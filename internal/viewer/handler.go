package viewer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"time"

	"crscore/internal/limits"
	"crscore/internal/present"
	"crscore/internal/report"
	"crscore/internal/server/guard"
	"crscore/internal/server/page"
	"crscore/score"
)

//go:embed page/*.html page/*.css page/*.js
var files embed.FS

// policy allows scripts, styles and requests of the page's own origin only.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
	"form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// writeTimeout bounds the time of an answer.
const writeTimeout = 2 * time.Minute

// api answers the queries of a path.
type api func(ctx context.Context, query string) (any, error)

// handler answers requests for the page and its data. It reads and shows, and changes nothing.
type handler struct {
	api   map[string]api
	files map[string]asset
	log   *slog.Logger
}

type asset struct {
	body     []byte
	typ, tag string
}

// Handler serves the viewer's page and its data. log may be nil.
func (v *Viewer) Handler(log *slog.Logger) http.Handler {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	h := &handler{log: log, files: map[string]asset{}, api: map[string]api{
		"/api/run": v.apiRun, "/api/systems": v.apiSystems, "/api/rows": v.apiRows, "/api/change": v.apiChange,
	}}
	own, err := fs.Sub(files, "page")
	if err != nil {
		panic(err) // impossible: the folder is in the binary
	}
	h.add(own)
	h.add(page.Files(), append(page.ResultModules(), "base.css", "result.css")...)
	h.files["/"] = h.files["/view.html"]
	delete(h.files, "/view.html")
	return h
}

// add adds files of a folder, all where none are named.
func (h *handler) add(from fs.FS, names ...string) {
	types := map[string]string{".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
	if len(names) == 0 {
		var err error
		if names, err = fs.Glob(from, "*.*"); err != nil {
			panic(err) // impossible: the pattern is valid
		}
	}
	for _, name := range names {
		b, err := fs.ReadFile(from, name)
		if err != nil {
			panic(err) // impossible: the file is in the binary
		}
		h.files["/"+name] = asset{b, types[path.Ext(name)] + "; charset=utf-8", fmt.Sprintf(`"%x"`, sha256.Sum256(b))}
	}
}

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	guard.Headers(w.Header())
	get := r.Method == http.MethodGet || r.Method == http.MethodHead
	file, isFile := h.files[r.URL.Path]
	answer, isAPI := h.api[r.URL.Path]
	site := r.Header.Get("Sec-Fetch-Site")
	switch {
	case !guard.Answers(r.Host, nil):
		h.fail(w, http.StatusMisdirectedRequest, errors.New("the viewer answers as localhost only"))
	case !isFile && !isAPI:
		h.fail(w, http.StatusNotFound, errors.New("there is no such path"))
	case !get:
		w.Header().Set("Allow", "GET, HEAD")
		h.fail(w, http.StatusMethodNotAllowed, errors.New("the viewer only answers GET and HEAD"))
	case isAPI && site != "" && site != "same-origin" && site != "none":
		h.fail(w, http.StatusForbidden, errors.New("the data is for the viewer's own page"))
	case isFile:
		head := w.Header()
		head.Set("Content-Security-Policy", policy)
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Cross-Origin-Embedder-Policy", "require-corp")
		head.Set("Content-Type", file.typ)
		head.Set("Cache-Control", "no-cache") // revalidated with the ETag
		head.Set("ETag", file.tag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file.body))
	default:
		h.answer(w, r, answer)
	}
}

// answer sends the answer to a query.
func (h *handler) answer(w http.ResponseWriter, r *http.Request, of api) {
	a, err := of(r.Context(), r.URL.RawQuery)
	var b bytes.Buffer
	if err == nil {
		err = report.JSON(&b, a, "")
	}
	switch {
	case r.Context().Err() != nil:
		return // the client left
	case err != nil:
		status := http.StatusInternalServerError
		if errors.As(err, new(badQuery)) {
			status = http.StatusBadRequest
		} else if errors.As(err, new(missing)) {
			status = http.StatusNotFound
		}
		h.fail(w, status, err)
	case b.Len() > limits.ResponseBytes:
		h.fail(w, http.StatusInsufficientStorage, fmt.Errorf("the answer would be larger than the limit of %d MiB", limits.ResponseBytes>>20))
	default:
		guard.Send(w, http.StatusOK, "application/json", b.Bytes())
	}
}

// badQuery is the error of a query that is not valid, and missing that of a change that is not
// there.
type (
	badQuery struct{ error }
	missing  struct{ error }
)

// fail answers with a problem in the form of RFC 9457.
func (h *handler) fail(w http.ResponseWriter, status int, err error) {
	if status >= http.StatusInternalServerError {
		h.log.Warn(err.Error())
	}
	var b bytes.Buffer
	problem := struct {
		Type   string `json:"type"`
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail"`
	}{"about:blank", http.StatusText(status), status, brief(err.Error())}
	if err := report.JSON(&b, problem, ""); err != nil {
		panic(err) // impossible for texts and numbers
	}
	guard.Send(w, status, "application/problem+json", b.Bytes())
}

// Serve answers on a listener until ctx is done.
func (v *Viewer) Serve(ctx context.Context, ln net.Listener, log *slog.Logger) error {
	jobs, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	h := &http.Server{
		Handler: v.Handler(log), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: writeTimeout,
		IdleTimeout: guard.IdleTimeout, MaxHeaderBytes: limits.HeaderBytes,
		BaseContext: func(net.Listener) context.Context { return jobs },
		ErrorLog:    slog.NewLogLogger(slog.DiscardHandler, slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(guard.Limited(ln, limits.Connections)) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	cancel() // nobody waits for an answer
	last, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	if h.Shutdown(last) != nil {
		_ = h.Close()
	}
	return nil
}

// runAnswer says what there is.
type runAnswer struct {
	Title    string   `json:"title"`
	Changes  int      `json:"changes"`
	Reviews  int      `json:"reviews"`
	Scored   int      `json:"scored"`
	Labelled int      `json:"labelled"`
	Kept     int      `json:"kept"` // reviews whose similarities were kept
	Systems  []string `json:"systems"`
	// Languages are the languages of the dataset with their numbers of changes.
	Languages  []counted    `json:"languages"`
	Metrics    []string     `json:"metrics"`
	Signatures []counted    `json:"signatures"` // of rows, the most frequent first
	Rule       *ruleAnswer  `json:"rule"`       // of the run
	Rules      []ruleAnswer `json:"rules"`      // one a mode
	Problems   []Problem    `json:"problems"`
	Warnings   []string     `json:"warnings"`
}

type counted struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

type ruleAnswer struct {
	Mode    score.Mode `json:"mode"`
	Tau     *float64   `json:"tau,omitempty"`
	Low     *float64   `json:"low,omitempty"`
	Slope   *float64   `json:"slope,omitempty"`
	Comp    string     `json:"comp,omitempty"`
	Weights string     `json:"weights,omitempty"`
}

func newRule(r score.Rule) ruleAnswer {
	a := ruleAnswer{Mode: r.Mode, Weights: r.Weights.String(), Comp: present.CompBy(r)}
	a.Tau, a.Low, a.Slope = r.Parameters()
	return a
}

func (v *Viewer) apiRun(_ context.Context, raw string) (any, error) {
	if raw != "" {
		return nil, badQuery{errors.New("there are no parameters here")}
	}
	a := runAnswer{
		Title: v.title, Changes: len(v.changes), Reviews: len(v.reviews), Scored: v.scored, Labelled: v.labelled, Kept: v.kept,
		Systems: v.systems.names, Metrics: append([]string{}, v.metrics.names...), Languages: []counted{}, Rules: []ruleAnswer{},
		Signatures: v.signatures(), Problems: append([]Problem{}, v.problems...), Warnings: append([]string{}, v.warnings...),
	}
	for _, name := range v.langs.names {
		a.Languages = append(a.Languages, counted{Name: name})
	}
	for i := range v.changes {
		a.Languages[v.changes[i].lang].Count++
	}
	if v.own >= 0 && v.ruled[v.own] {
		a.Rule = new(newRule(v.rules[v.own]))
	}
	for _, r := range v.startRules() {
		a.Rules = append(a.Rules, newRule(r))
	}
	return a, nil
}

// systemsAnswer has the distributions under a query.
type systemsAnswer struct {
	Total   int      `json:"total"`
	Low     float64  `json:"low"`
	High    float64  `json:"high"`
	Search  *Search  `json:"search,omitempty"`
	Systems []System `json:"systems"`
}

func (v *Viewer) apiSystems(_ context.Context, raw string) (any, error) {
	q, _, err := v.parse(raw)
	if err != nil {
		return nil, badQuery{err}
	}
	l, search, err := v.listingOf(q)
	if err != nil {
		return nil, err
	}
	a := systemsAnswer{Total: len(l.order), Search: search}
	a.Systems, a.Low, a.High = v.distributions(l)
	return a, nil
}

// rowsAnswer is a page of the table.
type rowsAnswer struct {
	From   int          `json:"from"`
	Total  int          `json:"total"`
	Of     int          `json:"of"`
	Search *Search      `json:"search,omitempty"`
	Rows   []rowOfTable `json:"rows"`
	// Place is the place of the change that the query names, counted from 0; -1 where the filter
	// leaves the change out.
	Place *int `json:"place,omitempty"`
}

// rowOfTable is a change.
type rowOfTable struct {
	ID   string `json:"id"`
	Lang string `json:"lang"`
	// Cells has for each column a number, "unscored", "no row", "not kept" or "no number", and
	// null where the change has no review of the system.
	Cells  []any      `json:"cells"`
	Beside []*float64 `json:"beside,omitempty"`
	Diff   *float64   `json:"diff,omitempty"`
	// Mark is the column of the review that is most over- or underrated, counted from 0.
	Mark *int `json:"mark,omitempty"`
}

func (v *Viewer) apiRows(_ context.Context, raw string) (any, error) {
	q, p, err := v.parse(raw, "from", "count", "place")
	if err != nil {
		return nil, badQuery{err}
	}
	from, count, err := window(p)
	if err != nil {
		return nil, badQuery{err}
	}
	l, search, err := v.listingOf(q)
	if err != nil {
		return nil, err
	}
	from = min(from, len(l.order))
	a := rowsAnswer{From: from, Total: len(l.order), Of: len(v.changes), Search: search, Rows: []rowOfTable{}}
	for _, n := range l.order[from:min(from+count, len(l.order))] {
		a.Rows = append(a.Rows, v.rowOf(l, &v.changes[n]))
	}
	if p.Has("place") {
		at := -1
		if n, ok := v.byKey[p.Get("place")]; ok {
			at = slices.Index(l.order, n)
		}
		a.Place = &at
	}
	return a, nil
}

// rowOf is the row of a change.
func (x *index) rowOf(l *listing, c *change) rowOfTable {
	q := l.query
	r := rowOfTable{ID: c.key, Lang: x.langs.names[c.lang], Cells: make([]any, len(q.systems))}
	if l.beside != nil {
		r.Beside = make([]*float64, len(q.systems))
	}
	worst := math.NaN()
	for k, system := range q.systems {
		i := x.find(c, system)
		if i < 0 {
			continue
		}
		switch v := l.values[i]; {
		case !math.IsNaN(v):
			r.Cells[k] = v
		case q.measure.kind == 's' && l.scores.states[i] != scored:
			r.Cells[k] = statuses[l.scores.states[i]]
		default:
			r.Cells[k] = "no number"
		}
		if l.beside == nil {
			continue
		}
		if v := l.beside[i]; !math.IsNaN(v) {
			r.Beside[k] = &v
		}
		over, under := q.sort == "over" && !(l.gaps[i] <= worst), q.sort == "under" && !(l.gaps[i] >= worst)
		if (over || under) && !math.IsNaN(l.gaps[i]) {
			worst, r.Mark = l.gaps[i], &k
		}
	}
	if q.a >= 0 {
		if d := l.of(x, c, q.a) - l.of(x, c, q.b); !math.IsNaN(d) {
			r.Diff = &d
		}
	}
	return r
}

func (v *Viewer) apiChange(ctx context.Context, raw string) (any, error) {
	p, err := url.ParseQuery(raw)
	if err != nil {
		return nil, badQuery{errors.New("the query is not encoded as the query of an address is")}
	}
	if !p.Has("id") {
		return nil, badQuery{errors.New("there is no id")}
	}
	q, _, err := v.parse(raw, "id")
	if err != nil {
		return nil, badQuery{err}
	}
	n, ok := v.byKey[p.Get("id")]
	if !ok {
		return nil, missing{fmt.Errorf("there is no change %.100q", p.Get("id"))}
	}
	l, _, err := v.listingOf(q)
	if err != nil {
		return nil, err
	}
	a, err := v.change(ctx, &v.changes[n], l.scores)
	if err != nil {
		return nil, err
	}
	a.Place, a.Total = slices.Index(l.order, n), len(l.order)
	return a, nil
}
