package stdio

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// TestSettle has the signal come just behind the end of a pipe; that of a file is one
// at once.
func TestSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		w.Close()
		for after, want := range map[time.Duration]error{0: context.Canceled, 20 * time.Millisecond: context.Canceled, time.Hour: io.EOF} {
			ctx, cancel := context.WithCancel(t.Context())
			timer := time.AfterFunc(after, cancel)
			if _, err := New(ctx, r).Read(make([]byte, 1)); !errors.Is(err, want) {
				t.Errorf("a signal after %v: %v", after, err)
			}
			timer.Stop()
			cancel()
		}
		start := time.Now()
		if _, err := Empty(t.Context()).Read(make([]byte, 1)); !errors.Is(err, io.EOF) || time.Since(start) > 0 {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}
