package sts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"crscore/sts/builtin"
	"crscore/sts/internal/limits"
	"crscore/sts/tokenizer"
)

// model is a loaded ONNX model with its settings: what an encoder and a cross-encoder have
// in common.
type model struct {
	session   session
	prepare   func(string) string
	maxTokens int
	static    bool
	identity  Signature     // the signature's part on the model
	slots     chan struct{} // one token a running batch

	// src and opts are for sessions of other layers; root is the open model directory, nil
	// for an fs.FS.
	src  modelSource
	opts EncoderOptions
	root io.Closer

	// mu is held for reading by every call that runs the model and for writing by close, so
	// that no model is destroyed under a running batch.
	mu     sync.RWMutex
	closed bool
}

// load loads a model whose checksum is sum, or computed when sum is empty. choose refuses a
// model of the wrong kind, and sets what it needs of the source. After an error the model
// must be closed.
func (m *model) load(ctx context.Context, src modelSource, sum string, opts EncoderOptions,
	choose func(*modelSource, *modelSettings) error) (*modelSettings, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	settings, err := readSettings(src.dir, opts.File)
	if err != nil {
		return nil, err
	}
	if m.maxTokens, err = longest(opts.MaxTokens, settings.maxTokens); err != nil {
		return nil, err
	}
	src.file, src.static = settings.file, settings.static
	m.static = settings.static
	if m.prepare, err = preparation(settings); err != nil {
		return nil, err
	}
	workers := opts.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	m.slots = make(chan struct{}, workers)
	external, err := inspect(&src)
	if err == nil {
		err = choose(&src, settings)
	}
	if err == nil {
		err = src.graph.shapes.checkLengths(m.maxTokens)
	}
	if err != nil {
		return nil, fmt.Errorf("loading %s: %w", src.file, err)
	}
	if settings.offset && src.graph.hasInput("position_ids") {
		// They would have to start behind the padding's id; exporters compute them.
		return nil, fmt.Errorf("loading %s: input \"position_ids\" is not supported for this kind of model", src.file)
	}

	// Reading the tokenizer adds to the list in settings, at the same time.
	files := slices.Concat([]string{src.file, "tokenizer.json"}, external, settings.files)
	// The vocabulary takes half as long as the model, and so may the checksum: all
	// at once.
	var group errgroup.Group
	group.Go(func() error { return readVocabulary(settings, src) })
	if sum == "" {
		group.Go(func() (err error) {
			sum, err = checksum(src.dir, files)
			return err
		})
	}
	if m.session, err = openSession(ctx, opts, src); err != nil {
		err = fmt.Errorf("loading %s: %w", src.file, err)
	}
	if otherErr := group.Wait(); otherErr != nil {
		err = otherErr
	}
	if err != nil {
		return nil, err
	}
	name := fieldValue(opts.Name)
	if name == "" {
		name = "model"
	}
	m.identity = Signature{
		{Name: "encoder", Value: fmt.Sprintf("%s@sha256:%.12s", name, sum)},
		{Name: "backend", Value: m.session.info().backend, Rounding: true},
		{Name: "arch", Value: Arch(), Rounding: true},
		{Name: "text", Value: settings.text},
		{Name: "maxtokens", Value: strconv.Itoa(m.maxTokens)},
	}
	m.src, m.opts = src, opts
	return settings, nil
}

// readVocabulary reads the tokenizer and holds its ids against the sizes that the model has
// rows for.
func readVocabulary(settings *modelSettings, src modelSource) error {
	if src.rows != nil {
		var err error
		if settings.tokenizer, err = tokenizer.NewPacked(builtin.Tokenizer()); err != nil {
			return fmt.Errorf("the packed tokenizer: %w", err)
		}
	} else if err := settings.readTokenizer(src.dir); err != nil {
		return err
	}
	// The backend does not notice: it looks up another row.
	top := settings.tokenizer.MaxID()
	if n := settings.vocab; n > 0 && top >= n {
		return fmt.Errorf("tokenizer.json has the token id %d, config.json a vocabulary of %d", top, n)
	}
	if n := src.graph.vocab; n > 0 && top >= n {
		return fmt.Errorf("tokenizer.json has the token id %d, %s a vocabulary of %d", top, src.file, n)
	}
	return nil
}

// longest is the most tokens that a text may have.
func longest(most ...int) (int, error) {
	out := limits.Tokens
	for _, n := range most {
		if n != 0 && n < minTokens {
			return 0, fmt.Errorf("maximum number of tokens is %d, want at least %d", max(n, 0), minTokens)
		}
		if n > 0 {
			out = min(out, n)
		}
	}
	return out, nil
}

// preparation is what is done to a text before the tokenizer.
func preparation(settings *modelSettings) (func(string) string, error) {
	prepare, err := TextPreparation(settings.text)
	if err != nil {
		return nil, fmt.Errorf("reading config.json: %w", err)
	}
	if settings.lower {
		return func(s string) string { return strings.ToLower(prepare(s)) }, nil
	}
	return prepare, nil
}

// inspect reads the graph of the model and looks for its external data.
func inspect(src *modelSource) (external []string, err error) {
	if src.rows != nil {
		src.graph = src.rows.graph()
		return nil, nil
	}
	// Before it is opened, which would wait where it is a pipe.
	if info, err := fs.Stat(src.dir, src.file); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a file")
	} else if info.Size() > limits.ONNXBytes {
		return nil, fmt.Errorf("it has %d bytes, more than an ONNX file can have: its weights must be external data", info.Size())
	}
	f, err := src.dir.Open(src.file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if src.graph, err = readONNX(f); err != nil {
		return nil, err
	}
	return src.graph.checkExternal(src.dir, src.file)
}

// checksum is the SHA-256 of the list of the files' checksums, in the format of
// sha256sum and sorted by name.
func checksum(dir fs.FS, names []string) (string, error) {
	slices.Sort(names)
	list := sha256.New()
	for _, name := range slices.Compact(names) {
		if info, err := fs.Stat(dir, name); err != nil {
			return "", err
		} else if !info.Mode().IsRegular() {
			return "", fmt.Errorf("%s is not a file", name)
		}
		f, err := dir.Open(name)
		if err != nil {
			return "", err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return "", fmt.Errorf("checksum of %s: %w", name, err)
		}
		fmt.Fprintf(list, "%x  %s\n", h.Sum(nil), name)
	}
	return hex.EncodeToString(list.Sum(nil)), nil
}

// close waits for running calls and releases the model, once; more releases what else
// hangs on it.
func (m *model) close(more func() []error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil
	}
	m.closed = true
	var errs []error
	if m.session != nil {
		errs = append(errs, m.session.close())
	}
	if more != nil {
		errs = append(errs, more()...)
	}
	if m.root != nil {
		errs = append(errs, m.root.Close())
	}
	return errors.Join(errs...)
}

// pending is a text on its way to the model, and where its numbers go.
type pending struct {
	tokenized
	vector []float32
}

// shape is the session's shape, bounded by the positions of the model. At a length that
// the bound sets, texts run alone.
func (m *model) shape(n int) (length, rows int) {
	length, rows = m.session.shape(n)
	if top := max(n, m.maxTokens); length > top {
		return top, 1
	}
	return length, rows
}

// forward sends texts of at most length tokens through the model of s when a worker is free.
func (m *model) forward(ctx context.Context, s session, length, rows int, texts []tokenized) ([][][]float32, error) {
	select {
	case m.slots <- struct{}{}:
		defer func() { <-m.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	out, err := s.run(ctx, length, rows, texts)
	if err == nil && len(out) != len(texts) {
		err = fmt.Errorf("model gave %d results for %d texts", len(out), len(texts))
	}
	return out, err
}

// runPending is forward with the model's own session.
func (m *model) runPending(ctx context.Context, length, rows int, texts []pending) ([][][]float32, error) {
	batch := make([]tokenized, len(texts))
	for i := range texts {
		batch[i] = texts[i].tokenized
	}
	return m.forward(ctx, m.session, length, rows, batch)
}

// batches sends texts to a model in batches of texts that are padded to the same length,
// several batches at a time.
type batches struct {
	model   *model
	ctx     context.Context // ends with the first error
	group   *errgroup.Group
	run     func(ctx context.Context, length, rows int, batch []pending) error
	waiting map[int][]pending // by their length, until a batch is full
}

func (m *model) batches(ctx context.Context, run func(ctx context.Context, length, rows int, batch []pending) error) *batches {
	group, ctx := errgroup.WithContext(ctx)
	// Waiting goroutines hold texts and ids, so they are bounded as well.
	group.SetLimit(cap(m.slots) + 1)
	return &batches{m, ctx, group, run, map[int][]pending{}}
}

// add waits while too many batches are on their way.
func (b *batches) add(p pending) {
	length, rows := b.model.shape(len(p.ids))
	b.waiting[length] = append(b.waiting[length], p)
	if len(b.waiting[length]) == rows {
		b.send(length, rows)
	}
}

func (b *batches) send(length, rows int) {
	batch := b.waiting[length]
	// An empty batch panics in the backend's own goroutine, where nobody can recover: it
	// must never be sent.
	delete(b.waiting, length)
	b.group.Go(func() error { return b.run(b.ctx, length, rows, batch) })
}

// wait sends what waits, and returns when everything is done.
func (b *batches) wait() error {
	for length := range b.waiting {
		_, rows := b.model.shape(length)
		b.send(length, rows)
	}
	return b.group.Wait()
}
