package cli

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"crscore/internal/terminal"
)

// TestWatchWithoutTerminal: analyzers that take some seconds are named once on standard
// error, and faster ones, and a run without analyzers, say nothing.
func TestWatchWithoutTerminal(t *testing.T) {
	for _, tt := range []struct {
		name string
		used bool
		took time.Duration
		want string
	}{
		{"slow", true, 10 * noticeAfter, "crscore: waiting for analyzers: pmd (files: 3)\n"},
		{"fast", true, noticeAfter / 2, ""},
		{"none", false, 10 * noticeAfter, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			var b bytes.Buffer
			f := toolWatch{used: tt.used}
			stop := f.watch(streams{log: terminal.NewLog(&b)})
			f.started("pmd", 3)
			time.Sleep(tt.took)
			synctest.Wait()
			stop()
			if b.String() != tt.want {
				t.Errorf("%s: %q, want %q", tt.name, b.String(), tt.want)
			}
		})
	}
}
