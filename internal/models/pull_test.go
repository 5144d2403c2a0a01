package models

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gomlx/go-huggingface/hub"
	"github.com/google/go-cmp/cmp"

	"crscore/internal/models/hubtest"
)

const (
	testName = "test-org/some.model"
	testONNX = 300_000 // bytes; more than any buffer on the way
)

// want are the files that a pull of the test's model brings.
var want = []string{
	"1_Pooling/config.json", "README.md", "config.json", "config_sentence_transformers.json", "crscore-model.json", "modules.json",
	"onnx/model.onnx", "sentence_bert_config.json", "special_tokens_map.json", "tokenizer.json", "tokenizer_config.json",
}

func newHub(t *testing.T, change func(*hubtest.Repo)) *hubtest.Hub {
	t.Helper()
	repo := hubtest.Repo{Commit: hubtest.Commit, Refs: []string{"main", "v1.0", "refs/pr/1"}, Files: hubtest.Files(testONNX)}
	if change != nil {
		change(&repo)
	}
	h := hubtest.New(map[string]hubtest.Repo{testName: repo})
	t.Cleanup(h.Close)
	return h
}

func newStore(t *testing.T) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "models"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// quick are options that do not wait long.
func quick(endpoint string) PullOptions {
	return PullOptions{Endpoint: endpoint, IdleTimeout: 500 * time.Millisecond, Retries: 2, Backoff: time.Millisecond}
}

// tree lists the files below dir, "" when there is none.
func tree(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return files
}

// whole checks that the model is there as the hub has it, and nothing else.
func whole(t *testing.T, s *Store, m Model, files map[string][]byte) {
	t.Helper()
	if diff := cmp.Diff(want, tree(t, m.Dir)); diff != "" {
		t.Errorf("files of the model (-want +got):\n%s", diff)
	}
	for name, b := range files {
		if got, err := os.ReadFile(filepath.Join(m.Dir, name)); err == nil && !bytes.Equal(got, b) {
			t.Errorf("%s has other content than on the hub", name)
		}
	}
	if left := tree(t, filepath.Join(s.Dir, pulling)); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
	if m.Err != nil || !intact(t, m) {
		t.Errorf("the model is not intact: %v", m.Err)
	}
}

func intact(t *testing.T, m Model) bool {
	t.Helper()
	ok, err := m.intact(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func TestPull(t *testing.T) {
	h, s := newHub(t, nil), newStore(t)
	var last, total int64
	o := quick(h.Endpoint(""))
	o.Progress = func(d, all int64) { last, total = d, all }
	m, err := s.Pull(t.Context(), ID{Name: testName}, o)
	if err != nil {
		t.Fatal(err)
	}
	whole(t, s, m, hubtest.Files(testONNX))
	if last != total || total != m.Bytes() {
		t.Errorf("progress ends at %d of %d, the model has %d bytes", last, total, m.Bytes())
	}
	if m.Revision != hubtest.Commit || !slices.Equal(m.Refs, []string{"main"}) {
		t.Errorf("manifest %+v", m.Manifest)
	}
	first, err := os.ReadFile(filepath.Join(m.Dir, ManifestName))
	if err != nil {
		t.Fatal(err)
	}

	// Again: only the listing is asked for.
	before := len(h.Requests())
	if _, err := s.Pull(t.Context(), ID{Name: testName}, o); err != nil {
		t.Fatal(err)
	}
	if more := h.Requests()[before:]; len(more) != 1 {
		t.Errorf("a pull of what is there asked for %q", more)
	}
	// A commit that is there needs no hub at all.
	o.Endpoint = "http://127.0.0.1:1"
	if _, err := s.Pull(t.Context(), ID{testName, hubtest.Commit}, o); err != nil {
		t.Error(err)
	}
	// The same pull in another store writes the same manifest.
	other := newStore(t)
	m2, err := other.Pull(t.Context(), ID{Name: testName}, quick(h.Endpoint("cut")))
	if err != nil {
		t.Fatal(err)
	}
	if second, _ := os.ReadFile(filepath.Join(m2.Dir, ManifestName)); !bytes.Equal(first, second) {
		t.Errorf("manifests differ:\n%s\n%s", first, second)
	}
}

// TestPullMore adds a file, a reference and what was damaged to a model.
func TestPullMore(t *testing.T) {
	h, s := newHub(t, nil), newStore(t)
	if _, err := s.Pull(t.Context(), ID{Name: testName}, quick(h.Endpoint(""))); err != nil {
		t.Fatal(err)
	}
	o := quick(h.Endpoint(""))
	o.File = "onnx/model_quantized.onnx"
	m, err := s.Pull(t.Context(), ID{testName, "refs/pr/1"}, o)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Refs, []string{"main", "refs/pr/1"}) || !m.has(o.File) || !m.has("") {
		t.Errorf("manifest %+v", m.Manifest)
	}
	for name, harm := range map[string]func(file string) error{
		"onnx/model.onnx": func(f string) error { return os.Truncate(f, 1000) },
		"README.md":       os.Remove,
		"config.json": func(f string) error {
			b, err := os.ReadFile(f)
			b[0] ^= 1
			return errors.Join(err, os.WriteFile(f, b, 0o644))
		},
		"tokenizer.json": func(f string) error { return errors.Join(os.Remove(f), os.Mkdir(f, 0o755)) },
		"modules.json":   func(f string) error { return errors.Join(os.Remove(f), os.Symlink("/etc/hostname", f)) },
		ManifestName:     func(f string) error { return os.WriteFile(f, []byte(`{"name":`), 0o644) },
	} {
		if err := harm(filepath.Join(m.Dir, name)); err != nil {
			t.Fatal(err)
		}
		before := len(h.Requests())
		got, err := s.Pull(t.Context(), ID{Name: testName, Revision: hubtest.Commit}, quick(h.Endpoint("")))
		if err != nil {
			t.Fatalf("after harm to %s: %v", name, err)
		}
		if !intact(t, got) || got.Err != nil {
			t.Errorf("%s was not mended: %v", name, got.Err)
		}
		if n := len(h.Requests()) - before; n < 2 || n > 3 && name != ManifestName {
			t.Errorf("mending %s took %d requests", name, n)
		}
	}
	if b, err := os.ReadFile("/etc/hostname"); err == nil && bytes.Contains(b, []byte("sentence_transformers")) {
		t.Error("a symbolic link was written through")
	}
}

// TestPullFailures meets servers that misbehave. After every failure a later pull
// from a sound server succeeds.
func TestPullFailures(t *testing.T) {
	for _, tt := range []struct {
		fault   string
		err     string // regular expression; empty when the pull succeeds nevertheless
		lasting bool   // Permanent
		partial bool   // something stays for the next pull
	}{
		{fault: "cut"},
		{fault: "drip"},
		{fault: "503once"},
		{fault: "nosums"},
		{fault: "norange"},
		{fault: "cutalways", partial: true, err: `fetching onnx/model.onnx: the connection to 127.0.0.1:\d+ broke after \d+ of \d+ bytes: unexpected EOF`},
		{fault: "short", err: `fetching onnx/model.onnx: 127.0.0.1:\d+ sent \d+ of \d+ bytes|checksum`, partial: true},
		{fault: "more", lasting: true, partial: false, err: `onnx/model.onnx of test-org/some.model: 127.0.0.1:\d+ sends more than the \d+ bytes that it announced; run the same command again`},
		{fault: "wrong", lasting: true, err: `onnx/model.onnx of test-org/some.model: the checksum is wrong \(SHA-256 is \w{64}, announced was \w{64}\)`},
		{fault: "wrongsmall", lasting: true, err: `config.json of test-org/some.model: the checksum is wrong \(git's SHA-1 is \w{40}, announced was`},
		{fault: "filehtml", lasting: true, err: `onnx/model.onnx of test-org/some.model: 127.0.0.1:\d+ sends \d+ bytes where \d+ are missing`},
		{fault: "hang", partial: true, err: `fetching onnx/model.onnx: the connection to 127.0.0.1:\d+ broke after \d+ of \d+ bytes: no bytes arrived for 500ms`},
		{fault: "hanghead", partial: true, err: `broke after 0 of \d+ bytes: no bytes arrived for 500ms`},
		{fault: "silent", err: `asking for the files of test-org/some.model@main: 127.0.0.1:\d+ does not answer within 500ms`},
		{fault: "endless", lasting: true, err: `sends more than the \d+ bytes`},
		{fault: "endlesslist", err: `does not answer like a hub \(application/json\): not a listing: more than 16777216 bytes`},
		{fault: "html", err: `does not answer like a hub \(text/html\): .*check HF_ENDPOINT, and whether a proxy or a login page answers instead`},
		{fault: "429", err: `answers 429 Too Many Requests: too many requests; wait some minutes`},
		{fault: "500", err: `answers 500 Internal Server Error: run the same command again later`},
		{fault: "403", lasting: true, err: `answers 403 Forbidden: there is no such model, or it is private or gated; check the name, and set HF_TOKEN`},
		{fault: "expired", partial: true, err: `fetching onnx/model.onnx: .* answers 403 Forbidden, to where the hub redirects: run the same command again`},
		{fault: "loop", err: `more than 10 redirects`},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			t.Parallel()
			h, s := newHub(t, nil), newStore(t)
			m, err := s.Pull(t.Context(), ID{Name: testName}, quick(h.Endpoint(tt.fault)))
			if tt.err == "" {
				if err != nil {
					t.Fatal(err)
				}
				whole(t, s, m, hubtest.Files(testONNX))
				return
			}
			if err == nil || !regexp.MustCompile(tt.err).MatchString(err.Error()) {
				t.Fatalf("error %v, want %s", err, tt.err)
			}
			if Permanent(err) != tt.lasting {
				t.Errorf("Permanent is %v: %v", !tt.lasting, err)
			}
			if all, err := s.List(); err != nil || len(all) != 0 {
				t.Errorf("the store has %v, %v", all, err)
			}
			if got := s.Partial(ID{Name: testName}) > 0; got != tt.partial {
				t.Errorf("partial %v, want %v: %q", got, tt.partial, tree(t, s.Dir))
			}
			if m, err = s.Pull(t.Context(), ID{Name: testName}, quick(h.Endpoint(""))); err != nil {
				t.Fatalf("the next pull: %v", err)
			}
			whole(t, s, m, hubtest.Files(testONNX))
		})
	}
}

// TestPullContinues breaks off in the middle of the large file; the next pull asks
// for the rest only. What is left behind may have been changed meanwhile.
func TestPullContinues(t *testing.T) {
	for name, tt := range map[string]struct {
		fault string
		harm  func(b []byte) []byte
		rest  string // regular expression of the last request
	}{
		"as it was":     {harm: func(b []byte) []byte { return b }, rest: `^GET /lfs/.* \[bytes=1500\d\d-\]$`},
		"no ranges":     {fault: "norange", harm: func(b []byte) []byte { return b }, rest: `^GET /fault-norange/lfs/.* \[bytes=1500\d\d-\]$`},
		"bad ranges":    {fault: "badrange", harm: func(b []byte) []byte { return b }, rest: `^GET /fault-badrange/lfs/[^\[]*$`},
		"a bit flipped": {harm: func(b []byte) []byte { b[9] ^= 1; return b }, rest: `^GET /lfs/[^\[]*$`},
		"too long":      {harm: func(b []byte) []byte { return append(b, make([]byte, testONNX)...) }, rest: `^GET /lfs/[^\[]*$`},
		"whole":         {harm: func([]byte) []byte { return hubtest.ONNX(testONNX) }, rest: `^GET /api/`},
	} {
		t.Run(name, func(t *testing.T) {
			h, s := newHub(t, nil), newStore(t)
			o := quick(h.Endpoint("hang"))
			o.Retries, o.IdleTimeout = -1, 300*time.Millisecond
			if _, err := s.Pull(t.Context(), ID{Name: testName}, o); err == nil {
				t.Fatal("no error")
			}
			f := remote{Path: "onnx/model.onnx"}
			for _, e := range listed(t, h) {
				if e.Name == f.Path {
					f.Sum = e.LFS.SHA256
				}
			}
			part := filepath.Join(s.Dir, pulling, ID{Name: testName}.folder(), f.key())
			b, err := os.ReadFile(part)
			if err != nil || len(b) < testONNX/2 {
				t.Fatalf("%d bytes stayed: %v", len(b), err)
			}
			if err := os.WriteFile(part, tt.harm(b), 0o644); err != nil {
				t.Fatal(err)
			}
			before := len(h.Requests())
			m, err := s.Pull(t.Context(), ID{Name: testName}, quick(h.Endpoint(tt.fault)))
			if err != nil {
				t.Fatal(err)
			}
			whole(t, s, m, hubtest.Files(testONNX))
			all := h.Requests()[before:]
			if got := all[len(all)-1]; !regexp.MustCompile(tt.rest).MatchString(got) {
				t.Errorf("last request %s, want %s", got, tt.rest)
			}
		})
	}
}

func listed(t *testing.T, h *hubtest.Hub) []*hub.FileInfo {
	t.Helper()
	c, err := newClient(quick(h.Endpoint("")))
	if err != nil {
		t.Fatal(err)
	}
	l, err := c.list(t.Context(), ID{testName, "main"})
	if err != nil {
		t.Fatal(err)
	}
	return l.Siblings
}

// TestPullRefuses asks for what there is not, or must not be.
func TestPullRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		id     ID
		change func(*hubtest.Repo)
		opts   func(*PullOptions)
		err    string
	}{
		"unknown":       {id: ID{Name: "test-org/other"}, err: `answers 401 Unauthorized \("Invalid username or password\."\): there is no such model, or it is private`},
		"no revision":   {id: ID{testName, "v9"}, err: `answers 404 Not Found \("Invalid rev id: v9"\): check the name and the revision`},
		"other commit":  {id: ID{testName, strings.Repeat("0", 40)}, err: `404`},
		"private":       {change: func(r *hubtest.Repo) { r.Token = "hf_secret" }, err: `answers 401 .* set HF_TOKEN`},
		"wrong token":   {change: func(r *hubtest.Repo) { r.Token = "hf_secret" }, opts: func(o *PullOptions) { o.Token = "hf_wrong" }, err: `answers 401`},
		"bad file flag": {opts: func(o *PullOptions) { o.File = "../model.onnx" }, err: `"../model.onnx" is not the name of an ONNX file in a model`},
		"no such file":  {opts: func(o *PullOptions) { o.File = "onnx/x.onnx" }, err: `has no onnx/x.onnx: choose with --file one of onnx/model.onnx, onnx/model_quantized.onnx`},
		"too large":     {opts: func(o *PullOptions) { o.MaxBytes = testONNX }, err: `has more than 300000 bytes to fetch \(onnx/model.onnx alone has 300\d\d\d\): allow more with --max-bytes`},
		"no onnx": {change: func(r *hubtest.Repo) {
			maps.DeleteFunc(r.Files, func(n string, _ []byte) bool { return strings.HasSuffix(n, ".onnx") })
		}, err: `some.model has no ONNX export: make one`},
		"no tokenizer": {change: func(r *hubtest.Repo) { delete(r.Files, "tokenizer.json") }, err: `has no tokenizer.json`},
		"not onnx":     {change: func(r *hubtest.Repo) { r.Files["onnx/model.onnx"] = []byte("version https://git-lfs") }, err: `onnx/model.onnx: not an ONNX model`},
		"cut onnx": {change: func(r *hubtest.Repo) {
			r.Files["onnx/model.onnx"] = r.Files["onnx/model.onnx"][:1000]
		}, err: `not an ONNX model: unexpected EOF`},
		"data missing":   {change: func(r *hubtest.Repo) { r.Files["onnx/model.onnx"] = hubtest.ONNX(9, "gone.bin") }, err: `keeps data in onnx/gone.bin, which the hub does not have`},
		"data outside":   {change: func(r *hubtest.Repo) { r.Files["onnx/model.onnx"] = hubtest.ONNX(9, "../../x.bin") }, err: `external data "../../x.bin" is not in the model directory`},
		"data absolute":  {change: func(r *hubtest.Repo) { r.Files["onnx/model.onnx"] = hubtest.ONNX(9, "/etc/passwd") }, err: `external data "/etc/passwd" is not in the model directory`},
		"manifest":       {change: func(r *hubtest.Repo) { r.Files["onnx/model.onnx"] = hubtest.ONNX(9, ManifestName) }, err: `which is outside`},
		"hostile name":   {change: func(r *hubtest.Repo) { r.Files["LICENSE\x1b[2J"] = nil }, err: `"LICENSE\\x1b\[2J" is not the name of a file`},
		"windows name":   {change: func(r *hubtest.Repo) { r.Files[`LICENSE\..\x`] = nil }, err: `is not the name of a file`},
		"many files":     {change: func(r *hubtest.Repo) { addLicenses(r, 100) }, err: `more than 64 files`},
		"no commit":      {change: func(r *hubtest.Repo) { r.Commit = "../../../tmp" }, err: `"../../../tmp" is not a commit`},
		"bad address":    {opts: func(o *PullOptions) { o.Endpoint = "ftp://me:secret@host" }, err: `^the hub's address \(HF_ENDPOINT\) is not an http or https address$`},
		"open token":     {opts: func(o *PullOptions) { o.Endpoint, o.Token = "http://hub.example", "hf_secret" }, err: `^HF_TOKEN would be sent to hub.example unencrypted`},
		"nobody listens": {opts: func(o *PullOptions) { o.Endpoint = "http://me:secret@127.0.0.1:1" }, err: `^asking for the files of test-org/some.model@main: talking to 127.0.0.1:1: dial tcp .*; is there a network\? Without one, copy the model's folder`},
		"no such host":   {opts: func(o *PullOptions) { o.Endpoint = "http://me:secret@hub.invalid" }, err: `talking to hub.invalid: dial tcp`},
		"name":           {id: ID{Name: "../x"}, err: `not a model's name`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, s := newHub(t, tt.change), newStore(t)
			o := quick(h.Endpoint(""))
			if tt.opts != nil {
				tt.opts(&o)
			}
			if tt.id.Name == "" {
				tt.id.Name = testName
			}
			_, err := s.Pull(t.Context(), tt.id, o)
			if err == nil || !regexp.MustCompile(tt.err).MatchString(err.Error()) {
				t.Fatalf("error %v, want %s", err, tt.err)
			}
			if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "hf_") {
				t.Errorf("the error tells a secret: %v", err)
			}
			if left := tree(t, filepath.Dir(s.Dir)); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func addLicenses(r *hubtest.Repo, n int) {
	for i := range n {
		r.Files["LICENSE"+strings.Repeat("x", i)] = nil
	}
}

func TestPullPrivate(t *testing.T) {
	h, s := newHub(t, func(r *hubtest.Repo) { r.Token = "hf_secret" }), newStore(t)
	o := quick(h.Endpoint(""))
	o.Token = "hf_secret" // the place of the large files answers 400 if it gets there
	m, err := s.Pull(t.Context(), ID{Name: testName}, o)
	if err != nil {
		t.Fatal(err)
	}
	whole(t, s, m, nil)
}

// TestPullExternalData gets the files that tensors lie in, wherever they are said
// to be.
func TestPullExternalData(t *testing.T) {
	h := newHub(t, func(r *hubtest.Repo) {
		r.Files["onnx/model.onnx"] = hubtest.ONNX(100, "model.onnx_data", "more/weights.bin", "model.onnx_data")
		r.Files["onnx/model.onnx_data"] = bytes.Repeat([]byte("w"), 5000)
		r.Files["onnx/model.onnx_data_1"] = nil
		r.Files["onnx/more/weights.bin"] = bytes.Repeat([]byte("v"), 50)
	})
	s := newStore(t)
	var totals []int64
	o := quick(h.Endpoint(""))
	o.Progress = func(_, total int64) { totals = append(totals, total) }
	m, err := s.Pull(t.Context(), ID{Name: testName}, o)
	if err != nil {
		t.Fatal(err)
	}
	// What is called as data usually is was counted from the start.
	if n := len(totals); totals[n-1] != m.Bytes() || totals[0] != m.Bytes()-50 {
		t.Errorf("totals %v, and %d bytes are there", totals, m.Bytes())
	}
	got := tree(t, m.Dir)
	for _, name := range []string{"onnx/model.onnx_data", "onnx/model.onnx_data_1", "onnx/more/weights.bin"} {
		if !slices.Contains(got, name) {
			t.Errorf("%s was not fetched: %q", name, got)
		}
	}
	// Data that got lost is missed, and fetched again.
	if err := os.Remove(filepath.Join(m.Dir, "onnx", "model.onnx_data")); err != nil {
		t.Fatal(err)
	}
	if m, err = s.Pull(t.Context(), ID{Name: testName}, quick(h.Endpoint(""))); err != nil || !intact(t, m) {
		t.Errorf("%v, %v", m.Err, err)
	}
}

// TestPullAtOnce lets many pull the same model: one fetches, the others find it.
func TestPullAtOnce(t *testing.T) {
	h, s := newHub(t, nil), newStore(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := s.Pull(t.Context(), ID{Name: testName}, quick(h.Endpoint(""))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	n := 0
	for _, r := range h.Requests() {
		if strings.HasPrefix(r, "GET /lfs/") {
			n++
		}
	}
	if n != 1 {
		t.Errorf("the large file was fetched %d times", n)
	}
	all, err := s.List()
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	whole(t, s, all[0], hubtest.Files(testONNX))
}

func TestPullCancelled(t *testing.T) {
	h, s := newHub(t, nil), newStore(t)
	for _, fault := range []string{"hang", "silent", "slow", "500"} {
		o := PullOptions{Endpoint: h.Endpoint(fault)} // minutes of patience
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		start := time.Now()
		_, err := s.Pull(ctx, ID{Name: testName}, o)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", fault, err)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s: gave up after %v", fault, d)
		}
	}
	m, err := s.Pull(t.Context(), ID{Name: testName}, quick(h.Endpoint("")))
	if err != nil {
		t.Fatal(err)
	}
	whole(t, s, m, nil)
}

// TestPullNewCommit pulls a branch that moved on: both commits are kept, what was
// half done of the first is not, and a name without a commit is ambiguous.
func TestPullNewCommit(t *testing.T) {
	s := newStore(t)
	second := strings.Repeat("ab", 20)
	if _, err := s.Pull(t.Context(), ID{Name: testName}, quick(newHub(t, nil).Endpoint(""))); err != nil {
		t.Fatal(err)
	}
	o := quick(newHub(t, nil).Endpoint("hang"))
	o.IdleTimeout = 300 * time.Millisecond
	o.Retries, o.File = -1, "onnx/model_quantized.onnx"
	if _, err := s.Pull(t.Context(), ID{Name: testName}, o); err == nil {
		t.Fatal("no error")
	}
	h := newHub(t, func(r *hubtest.Repo) {
		r.Commit = second
		r.Files["onnx/model.onnx"] = hubtest.ONNX(5000)
	})
	m, err := s.Pull(t.Context(), ID{Name: testName}, quick(h.Endpoint("")))
	if err != nil {
		t.Fatal(err)
	}
	whole(t, s, m, nil)
	if _, err := s.Find(testName); err == nil || !strings.Contains(err.Error(), "may be any of "+testName+"@"+hubtest.Commit+", "+testName+"@"+second) {
		t.Errorf("error %v", err)
	}
	if m, err := s.Find(testName + "@" + second[:7]); err != nil || m.Revision != second {
		t.Errorf("%v, %v", m, err)
	}
}

// TestRedirects looks at what is refused, and at who gets the token.
func TestRedirects(t *testing.T) {
	c, err := newClient(PullOptions{Endpoint: "https://hub.example", Token: "hf_secret"})
	if err != nil {
		t.Fatal(err)
	}
	for to, want := range map[string]struct{ refused, token bool }{
		"https://hub.example/other":      {token: true},
		"https://hub.example:8443/other": {},
		"https://cdn.hub.example/":       {},
		"https://cdn.example/":           {},
		"http://hub.example/other":       {refused: true},
	} {
		first, err1 := http.NewRequest(http.MethodGet, "https://hub.example/x", nil)
		next, err2 := http.NewRequest(http.MethodGet, to, nil)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		next.Header.Set("Authorization", "Bearer hf_secret")
		err := c.http.CheckRedirect(next, []*http.Request{first})
		if token := next.Header.Get("Authorization") != ""; (err != nil) != want.refused || err == nil && token != want.token {
			t.Errorf("%s: token %v, %v", to, token, err)
		}
	}
}

// TestLibraryDownloader shows why files are not fetched by go-huggingface. Should
// it fail, the library has mended that, and the package comment wants another
// look.
func TestLibraryDownloader(t *testing.T) {
	h, dir := newHub(t, nil), t.TempDir()
	get := func(fault string) (string, error) {
		repo := hub.New(testName).WithEndpoint(h.Endpoint(fault)).WithCacheDir(filepath.Join(dir, "a", "b", fault))
		repo.Verbosity = 0
		return repo.DownloadFileCtx(t.Context(), "onnx/model.onnx")
	}
	path, err := get("cutget")
	if err != nil {
		t.Errorf("a body that was cut off gives an error now: %v", err)
	} else if _, err := os.Stat(path); err == nil {
		t.Error("a body that was cut off gives a file")
	}
	if _, err := get("etag"); err != nil {
		t.Errorf("an ETag with dots gives an error now: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a", "b", "out")); err != nil {
		t.Errorf("an ETag with dots no longer leads out of the folder: %q", tree(t, dir))
	}
}
