package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestProgress follows a run that goes on: what was finished before counts as done,
// and makes neither rate nor time left look better.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := streams{log: &logger{w: io.Discard}}.progress("scoring", "changes", 1000, false)
		defer p.End()
		in := p.Reader(strings.NewReader(strings.Repeat("x", 1000)))
		read := func(n int) {
			t.Helper()
			if _, err := io.ReadFull(in, make([]byte, n)); err != nil {
				t.Fatal(err)
			}
		}
		want := func(line string, share float64) {
			t.Helper()
			if s := p.state(time.Now()); s.String("changes") != line || s.share != share {
				t.Errorf("%q at %v, want %q at %v", s.String("changes"), s.share, line, share)
			}
		}
		want("0 changes", 0)
		for range 40 {
			read(10)
			p.Keep()
		}
		want("40 changes", 0.4)
		time.Sleep(time.Minute) // as long as it takes to read that
		for range 2 {
			read(10)
			p.Begin()
		}
		want("40 changes", 0.4)
		time.Sleep(4 * time.Second)
		p.Finish()
		want("41 changes, 0.2/s, 3m56s left", 0.41)
		p.Finish()
		want("42 changes, 0.5/s, 1m56s left", 0.42)
		for range 58 {
			read(10)
			p.Begin()
			p.Finish()
		}
		want("100 changes, 15/s, 0s left", 1)
	})
}

// TestProgressOfBytes follows a download that goes on, whose size is not known at first.
func TestProgressOfBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := streams{log: &logger{w: io.Discard}}.progress("pulling", "", -1, false)
		defer p.End()
		p.Set(5_000_000, 0)
		time.Sleep(2 * time.Second)
		p.Set(6_000_000, 0)
		if s := p.state(time.Now()); s.String("") != "6.0 MB, 500.0 kB/s" || s.share != -1 {
			t.Errorf("%q %+v", s.String(""), s)
		}
		p.Set(6_000_000, 10_000_000)
		if s := p.state(time.Now()); s.String("") != "6.0 MB, 500.0 kB/s, 8s left" || s.share != 0.6 {
			t.Errorf("%q %+v", s.String(""), s)
		}
	})
}

// TestProgressRecords has a record of a long run every ten seconds, and none where
// nothing is to be told.
func TestProgressRecords(t *testing.T) {
	for _, tt := range []struct {
		json, quiet bool
		want        int
	}{{true, false, 3}, {true, true, 0}, {false, false, 0}} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			p := streams{log: &logger{w: &out, json: tt.json, quiet: tt.quiet}}.progress("scoring", "changes", 100, true)
			p.Set(0, 100)
			time.Sleep(35 * time.Second)
			p.End()
			time.Sleep(time.Minute)
			lines := bytes.SplitAfter(bytes.TrimSpace(out.Bytes()), []byte("\n"))
			if tt.want == 0 {
				if out.Len() > 0 {
					t.Errorf("%+v: %s", tt, out.Bytes())
				}
				return
			}
			if len(lines) != tt.want {
				t.Errorf("%d records: %s", len(lines), out.Bytes())
			}
			var r struct {
				Level, Msg, What, Unit string
				Done                   int
				Share                  *float64
			}
			if err := json.Unmarshal(lines[0], &r); err != nil || r.Level != "INFO" || r.Msg != "progress" || r.What != "scoring" || r.Unit != "changes" || r.Share == nil {
				t.Errorf("%v: %s", err, lines[0])
			}
		})
	}
}
