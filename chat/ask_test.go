package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"crscore/internal/ollamatest"
)

// schema is a schema of an answer.
var schema = json.RawMessage(`{"type":"object","properties":{` +
	`"summary":{"type":"array","items":{"type":"string"},"maxItems":20},` +
	`"implications":{"type":"array","items":{"type":"string"},"maxItems":20}},` +
	`"required":["summary","implications"],"additionalProperties":false}`)

func newAsker(t testing.TB, m Model, opts Options) *Asker {
	t.Helper()
	a, err := NewAsker(m, opts)
	if err != nil {
		t.Fatal(err)
	}
	a.pause = noPause
	return a
}

// TestPrepare: what the server tells is asked again after a passing failure, has
// a deadline, and is asked for once.
func TestPrepare(t *testing.T) {
	m := &moody{fails: 2}
	c := newAsker(t, m, Options{})
	for range 2 {
		if err := c.Prepare(t.Context()); err != nil || m.asked != 3 {
			t.Errorf("asked %d times, %v", m.asked, err)
		}
	}
	if left := time.Until(m.deadline); left > describeTimeout || left < describeTimeout/2 {
		t.Errorf("%s are left to describe a model", left)
	}
	hung := newAsker(t, &moody{fails: -1}, Options{Timeout: 20 * time.Millisecond})
	if err := hung.Prepare(t.Context()); err == nil || err.Error() != "no answer within 20ms" {
		t.Errorf("a server that hangs: %v", err)
	}
}

// moody fails some times before it tells its digest, or hangs.
type moody struct {
	fails, asked int
	deadline     time.Time
}

func (*moody) Name() string { return "moody" }

func (m *moody) Digest(ctx context.Context) (string, error) {
	if m.fails < 0 {
		<-ctx.Done()
		return "", ctx.Err()
	}
	m.deadline, _ = ctx.Deadline()
	if m.asked++; m.asked <= m.fails {
		return "", fmt.Errorf("%w: 503", ErrTransient)
	}
	return "0123", nil
}

func (*moody) Generate(context.Context, Request) (Response, error) { return Response{}, nil }

// TestKey: everything that shapes an answer is in its key.
func TestKey(t *testing.T) {
	one := Question{Kind: "k", Version: "v", Request: Request{
		System: "s", Prompt: "p", Schema: json.RawMessage("{}"), Seed: 1, Temperature: 0.5, NumCtx: 2, NumPredict: 3,
	}}
	seen := make(map[string]string)
	see := func(what string, a *Asker, q Question) {
		t.Helper()
		key, err := a.key(q)
		if other, there := seen[key]; err != nil || there {
			t.Errorf("%s: the same key as for %s, %v", what, other, err)
		}
		seen[key] = what
	}
	f := ollamatest.NewFake(t, 0, ollamatest.Say(""))
	asker := newAsker(t, fakeModel(t, f, "m"), Options{})
	see("the first", asker, one)
	see("another model", newAsker(t, fakeModel(t, f, "n"), Options{}), one)
	digest := newAsker(t, fakeModel(t, f, "m"), Options{})
	digest.digest = "another"
	see("another digest", digest, one)
	for i := range reflect.TypeFor[Request]().NumField() {
		other := one
		reflect.ValueOf(&other.Request).Elem().Field(i).SetZero()
		see(reflect.TypeFor[Request]().Field(i).Name, asker, other)
	}
	other := one
	other.Version = "w"
	see("another version", asker, other)
	other = one
	other.Kind = "l"
	see("another kind", asker, other)
}

// TestAsking: what the options say reaches the model, and it is asked a few questions at a
// time.
func TestAsking(t *testing.T) {
	var now, most atomic.Int32
	release := make(chan struct{})
	f := ollamatest.NewFake(t, 32768, func(w http.ResponseWriter, r ollamatest.Asked) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		<-release
		ollamatest.Say("fine")(w, r)
	})
	a := newAsker(t, fakeModel(t, f, "m"), Options{})
	var wg sync.WaitGroup
	for i := range 3 * DefaultParallel {
		wg.Go(func() {
			if _, err := a.Ask(t.Context(), Question{Request: Request{Prompt: fmt.Sprint(i)}}); err != nil {
				t.Error(err)
			}
		})
	}
	for now.Load() < DefaultParallel {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond) // for those that should not come
	close(release)
	wg.Wait()
	if most.Load() != DefaultParallel || f.Calls() != 3*DefaultParallel {
		t.Errorf("%d calls, %d at a time", f.Calls(), most.Load())
	}
	if u := a.Usage(); u.Calls != 3*DefaultParallel || u.PromptTokens != 10*u.Calls || u.AnswerTokens != 5*u.Calls || u.Time < 50*time.Millisecond {
		t.Errorf("%+v", u)
	}

	hung := make(chan struct{})
	defer close(hung)
	f = ollamatest.NewFake(t, 32768, func(http.ResponseWriter, ollamatest.Asked) { <-hung })
	_, err := newAsker(t, fakeModel(t, f, "m"), Options{Timeout: 50 * time.Millisecond}).Ask(t.Context(), Question{})
	if err == nil || !strings.Contains(err.Error(), "no answer within 50ms") {
		t.Error(err)
	}
}

// TestFlights: who gives up leaves the others their answer, and the call ends
// when nobody waits for it.
func TestFlights(t *testing.T) {
	var f flights
	var calls atomic.Int32
	started, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	call := func(ctx context.Context) (string, error) {
		if calls.Add(1) == 1 {
			close(started)
		}
		select {
		case <-release:
			return "value", nil
		case <-ctx.Done():
			ended <- ctx.Err()
			return "", ctx.Err()
		}
	}
	first, giveUp := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := f.do(first, "k", call); !errors.Is(err, context.Canceled) {
			t.Errorf("who gave up: %v", err)
		}
	})
	<-started
	wg.Go(func() {
		if v, err := f.do(t.Context(), "k", call); v != "value" || err != nil {
			t.Errorf("who waited: %q, %v", v, err)
		}
	})
	for f.waiting("k") < 2 {
		time.Sleep(time.Millisecond)
	}
	giveUp()
	for f.waiting("k") > 1 {
		time.Sleep(time.Millisecond)
	}
	close(release)
	wg.Wait()
	if calls.Load() != 1 {
		t.Errorf("%d calls", calls.Load())
	}

	release = make(chan struct{})
	alone, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := f.do(alone, "k", call); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("alone: %v", err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the call that nobody waits for: %v", err)
	}
}

func (f *flights) waiting(key string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.calls[key]; c != nil {
		return c.waiters
	}
	return 0
}
