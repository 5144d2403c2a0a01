package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/gomlx/go-huggingface/hub"

	regexp "crscore/internal/lazyregexp"
	"crscore/internal/limits"
)

// DefaultEndpoint is the default address of the hub.
const DefaultEndpoint = "https://huggingface.co"

// client sends requests to a hub.
type client struct {
	http     *http.Client
	base     *url.URL
	token    string
	agent    string
	idle     time.Duration
	retries  int
	backoff  time.Duration
	sleeping func(why error, wait time.Duration) // told before each retry
}

func newClient(o PullOptions) (*client, error) {
	if o.Endpoint == "" {
		o.Endpoint = DefaultEndpoint
	}
	base, err := url.Parse(strings.TrimRight(o.Endpoint, "/"))
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" || base.RawQuery != "" {
		// The address may have a password, so the error does not repeat it.
		return nil, errors.New("the hub's address (HF_ENDPOINT) is not an http or https address")
	}
	if o.Token != "" && base.Scheme == "http" && !loopback(base.Hostname()) {
		return nil, fmt.Errorf("HF_TOKEN would be sent to %s unencrypted: use an https address in HF_ENDPOINT, or unset HF_TOKEN", base.Host)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = o.IdleTimeout
	transport.TLSHandshakeTimeout = o.IdleTimeout
	transport.DialContext = (&net.Dialer{Timeout: o.IdleTimeout}).DialContext
	// Sizes and checksums are those of the bytes as they are stored.
	transport.DisableCompression = true
	c := &client{base: base, token: o.Token, agent: o.UserAgent, idle: o.IdleTimeout, retries: o.Retries, backoff: o.Backoff,
		http: &http.Client{Transport: transport}, sleeping: func(error, time.Duration) {}}
	c.http.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if len(via) >= 10 {
			return errors.New("more than 10 redirects")
		}
		if via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
			return fmt.Errorf("redirect from https to %s, which is not encrypted", req.URL.Scheme)
		}
		// Go keeps it for other ports and subdomains of the host.
		if req.URL.Host != base.Host || req.URL.Scheme != base.Scheme {
			req.Header.Del("Authorization")
		}
		return nil
	}
	return c, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// StatusError is an answer of the hub with an unexpected status.
type StatusError struct {
	Host string // the server that answered
	What string // the request
	Code int    // the HTTP status
	Says string // the hub's own words, if any

	wait time.Duration // how long the hub asks to wait
	// elsewhere reports whether the hub redirected to the server that answered. The next try
	// may be redirected to another server.
	elsewhere bool
}

// Error says what the hub answered and what to do next.
func (e *StatusError) Error() string {
	msg := fmt.Sprintf("%s: %s answers %d %s", e.What, e.Host, e.Code, http.StatusText(e.Code))
	if e.Says != "" {
		msg += fmt.Sprintf(" (%q)", e.Says)
	}
	switch {
	case e.elsewhere:
		return msg + ", to where the hub redirects: run the same command again"
	case e.Code == http.StatusUnauthorized || e.Code == http.StatusForbidden:
		return msg + ": there is no such model, or it is private or gated; check the name, and set HF_TOKEN to a token that may read it"
	case e.Code == http.StatusNotFound:
		return msg + ": check the name and the revision"
	case e.Code == http.StatusTooManyRequests:
		return msg + ": too many requests; wait some minutes and run the same command again, or set HF_TOKEN"
	case e.Code >= 500:
		return msg + ": run the same command again later"
	}
	return msg
}

// temporary reports whether another try may succeed.
func (e *StatusError) temporary() bool {
	return e.elsewhere || e.Code == http.StatusRequestTimeout || e.Code == http.StatusTooManyRequests || e.Code >= 500
}

// networkError is the error of a connection that failed, broke or fell silent.
type networkError struct{ error }

func (e networkError) Unwrap() error { return e.error }

// errSilent is the cause of a connection that was cancelled after the idle time.
var errSilent = errors.New("no bytes arrived")

// resolveURL is the address of a file at a commit.
func (c *client) resolveURL(id ID, name string) *url.URL {
	return c.base.JoinPath(id.Name, "resolve", id.Revision, name)
}

// do sends a request. The body that it returns fails when nothing arrives for the idle time.
// An answer with a status that is not in want is a StatusError.
func (c *client) do(ctx context.Context, method string, u *url.URL, what string, header http.Header, want ...int) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	req, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		cancel(nil)
		return nil, fmt.Errorf("%s: the address of the hub is bad", what)
	}
	req.Header = header.Clone()
	if req.Header == nil {
		req.Header = make(http.Header)
	}
	if c.agent != "" {
		req.Header.Set("User-Agent", c.agent)
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		cancel(nil)
		return nil, c.lost(what, err)
	}
	body := &idleBody{ReadCloser: resp.Body, ctx: ctx, cancel: cancel, idle: c.idle}
	body.timer = time.AfterFunc(c.idle, func() { cancel(errSilent) })
	resp.Body = body
	for _, code := range want {
		if resp.StatusCode == code {
			return resp, nil
		}
	}
	defer resp.Body.Close()
	host := resp.Request.URL.Host
	e := &StatusError{Host: host, What: what, Code: resp.StatusCode, Says: says(resp), elsewhere: host != c.base.Host}
	if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && s > 0 {
		e.wait = min(time.Duration(s)*time.Second, time.Minute)
	}
	return nil, e
}

// lost wraps the error of a connection without its address, which may have a password or a
// signature.
func (c *client) lost(what string, err error) error {
	if u := (*url.Error)(nil); errors.As(err, &u) {
		if u.Timeout() {
			return networkError{fmt.Errorf("%s: %s does not answer within %v", what, c.base.Host, c.idle)}
		}
		err = u.Err
	}
	return networkError{fmt.Errorf("%s: talking to %s: %w", what, c.base.Host, err)}
}

// says returns the hub's reason for a refusal, shortened and cleaned.
func says(resp *http.Response) string {
	msg := resp.Header.Get("X-Error-Message")
	if media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); msg == "" && media == "application/json" {
		var body struct{ Error string }
		if b, err := io.ReadAll(io.LimitReader(resp.Body, 4096)); err == nil && json.Unmarshal(b, &body) == nil {
			msg = body.Error
		}
	}
	msg = strings.Join(strings.FieldsFunc(msg, func(r rune) bool { return !unicode.IsPrint(r) }), " ")
	if r := []rune(msg); len(r) > 200 {
		msg = string(r[:200]) + "…"
	}
	return msg
}

// idleBody is a body that fails when no bytes arrive for some time.
type idleBody struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	idle   time.Duration
}

func (b *idleBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.timer.Reset(b.idle)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		if context.Cause(b.ctx) == errSilent {
			err = fmt.Errorf("%w for %v", errSilent, b.idle)
		}
		err = networkError{err}
	}
	return n, err
}

func (b *idleBody) Close() error {
	b.timer.Stop()
	b.cancel(nil)
	return b.ReadCloser.Close()
}

// retry calls try until it succeeds, fails permanently, or fails too often in a row without
// progress, which try reports. It tries an unreachable hub again only after an answer of the
// hub: when a pull has begun.
func (c *client) retry(ctx context.Context, begun bool, try func() (progress bool, err error)) error {
	for n := 0; ; n++ {
		progress, err := try()
		if progress {
			n = 0
		}
		var status *StatusError
		var lost networkError
		again := errors.As(err, &lost) || errors.As(err, &status) && status.temporary()
		var op *net.OpError
		if !begun && errors.As(err, &op) && op.Op == "dial" {
			return err // a wrong address, or no network: nobody should wait for that
		}
		if err == nil || !again || n >= c.retries || ctx.Err() != nil {
			return err
		}
		wait := c.backoff << n
		if status != nil {
			wait = max(wait, status.wait)
		}
		c.sleeping(err, wait)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// listing is the hub's answer about a model.
type listing struct {
	Commit   string          `json:"sha"`
	Siblings []*hub.FileInfo `json:"siblings"`
}

// list asks for the files of a model and the commit of its revision.
func (c *client) list(ctx context.Context, id ID) (l listing, err error) {
	what := "asking for the files of " + id.String()
	// As in go-huggingface, but a revision with slashes is escaped into one element.
	u := *c.base.JoinPath("api", "models", id.Name, "revision")
	u.RawPath, u.Path = u.EscapedPath()+"/"+url.PathEscape(id.Revision), u.Path+"/"+id.Revision
	u.RawQuery = "blobs=true"
	err = c.retry(ctx, false, func() (bool, error) {
		resp, err := c.do(ctx, http.MethodGet, &u, what, nil, http.StatusOK)
		if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(io.LimitReader(resp.Body, limits.ListingBytes+1))
		if err != nil {
			return false, fmt.Errorf("%s: %w", what, err)
		}
		if l, err = parseListing(b); err != nil {
			kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
			return false, fmt.Errorf("%s: %s does not answer like a hub (%s): %w; check HF_ENDPOINT, and whether a proxy or a login page answers instead",
				what, c.base.Host, kind, err)
		}
		return false, nil
	})
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		err = fmt.Errorf("%w; is there a network? Without one, copy the model's folder from elsewhere and give that instead of the name", err)
	}
	if err == nil && commit.MatchString(id.Revision) && l.Commit != id.Revision {
		err = fmt.Errorf("%s: the hub answers with the commit %s", what, l.Commit)
	}
	return l, err
}

// files are the siblings by name.
func files(l listing) map[string]*hub.FileInfo {
	at := make(map[string]*hub.FileInfo, len(l.Siblings))
	for _, s := range l.Siblings {
		at[s.Name] = s
	}
	return at
}

var errListing = errors.New("not a listing")

func parseListing(b []byte) (l listing, err error) {
	if len(b) > limits.ListingBytes {
		return l, fmt.Errorf("%w: more than %d bytes", errListing, limits.ListingBytes)
	}
	if err := json.Unmarshal(b, &l); err != nil {
		return l, fmt.Errorf("%w: %w", errListing, err)
	}
	if !commit.MatchString(l.Commit) {
		return l, fmt.Errorf("%w: %.100q is not a commit", errListing, l.Commit)
	}
	seen := make(map[string]bool, len(l.Siblings))
	for _, s := range l.Siblings {
		if s == nil || seen[s.Name] {
			return l, fmt.Errorf("%w: a file without a name, or twice the same", errListing)
		}
		seen[s.Name] = true
	}
	return l, nil
}

// remote is a chosen file on the hub, with its size and checksum.
type remote struct {
	Path string
	Size int64
	// Sum is the SHA-256 of the content or, for files in the hub's git repository, git's SHA-1.
	Sum string
}

var anySum = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// announced reads an entry of the listing. It may lack the checksum.
func announced(s *hub.FileInfo) (remote, error) {
	f := remote{Path: s.Name, Size: s.Size, Sum: s.BlobID}
	if s.LFS != nil {
		f.Size, f.Sum = s.LFS.Size, s.LFS.SHA256
	}
	if f.Size < 0 {
		return f, fmt.Errorf("%q has a size of %d", f.Path, f.Size)
	}
	return f, checkPath(f.Path)
}

// remote reads an entry of the listing. Some mirrors list no checksum: remote takes it from
// the headers of the file then. A file without a checksum is an error, for it could not be
// checked.
func (c *client) remote(ctx context.Context, id ID, s *hub.FileInfo) (remote, error) {
	f, err := announced(s)
	if err != nil {
		return f, permanent{fmt.Errorf("the hub lists a file of %s that cannot be kept: %w", id, err)}
	}
	if f.Sum == "" {
		what := "asking for the checksum of " + f.Path
		err := c.retry(ctx, true, func() (bool, error) {
			resp, err := c.do(ctx, http.MethodHead, c.resolveURL(id, f.Path), what, nil, http.StatusOK)
			if err != nil {
				return false, err
			}
			defer resp.Body.Close()
			f.Size, f.Sum = resp.ContentLength, strings.Trim(resp.Header.Get("ETag"), `"`)
			// The hub itself speaks before it sends us to where large files lie.
			for r := resp; r != nil; r = r.Request.Response {
				if tag := strings.Trim(r.Header.Get(hub.HeaderXLinkedETag), `"`); tag != "" {
					f.Sum = tag
					if f.Size, err = strconv.ParseInt(r.Header.Get(hub.HeaderXLinkedSize), 10, 64); err != nil {
						f.Size = -1
					}
				}
			}
			return false, nil
		})
		if err != nil {
			return f, err
		}
	}
	if !anySum.MatchString(f.Sum) || f.Size < 0 {
		return f, permanent{fmt.Errorf("%s gives no size and checksum for %s of %s, so what it sends could not be checked; use the hub itself or another mirror (HF_ENDPOINT)",
			c.base.Host, f.Path, id)}
	}
	return f, nil
}
