package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"crscore/internal/limits"
)

// TestCrash ends the process, or the machine, at every call that changes or syncs
// something, before it and in its middle; then once more while the run goes on; and
// lets the run end. Nothing that was finished may be lost or done again, and the
// files must be those of a run that was not disturbed. Either each change
// is finished when Add returns, or some are together, and the journal says which.
func TestCrash(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testCrash)
}

func testCrash(t *testing.T) {
	for name, c := range cases() {
		want := newDisk()
		want.pause = each
		if o := start(want, c.m, c.in); o.err != nil {
			t.Fatal(name, o.err)
		}
		for at := 1; at <= want.calls; at++ {
			for variant := range 40 {
				crash(t, fmt.Sprintf("%s, call %d, variant %d", name, at, variant), c.m, c.in, want, at, variant)
			}
		}
	}
}

// each has a commit for every change.
func each() { time.Sleep(minWait) }

// crash runs a dataset with a crash at a call, and perhaps more of them, to its end.
func crash(t *testing.T, name string, m Manifest, in data, want *testDisk, at, variant int) {
	rnd := rand.New(rand.NewPCG(uint64(at), uint64(variant)))
	d := newDisk()
	finished, through := 0, false
	for n := range 1 + variant%4 {
		d.fault, d.half, d.at = errCrash, rnd.IntN(2) == 0, at
		if n > 0 {
			d.at = 1 + rnd.IntN(want.calls)
		}
		d.pause = each
		together := variant%2 == 1
		if together { // several changes are finished by one commit
			d.pause = func() { time.Sleep(time.Duration(rnd.IntN(15)) * time.Millisecond) }
		}
		o := start(d, m, in)
		if o.err != nil && !errors.Is(o.err, errCrash) {
			t.Fatalf("%s: %v", name, o.err)
		}
		check(t, name, o, finished, through)
		now := o.found + o.added
		if f := d.safe["run/journal"]; together && f != nil {
			now = 0
			for j := newLog(bytes.NewReader(f.safe)); ; now++ {
				if l, err := j.next(); err != nil || l.end != nil {
					break
				}
			}
		}
		finished, through = max(finished, now), through || o.finished
		if t.Failed() {
			t.Fatalf("crash %d, after\n%s", n+1, strings.Join(d.log, "\n"))
		}
		if rnd.IntN(3) == 0 {
			d = d.killed()
		} else {
			d = d.lost(rnd)
		}
	}
	d.at = 0
	o := start(d, m, in)
	if o.err != nil {
		t.Fatalf("%s: %v", name, o.err)
	}
	check(t, name, o, finished, through)
	if diff := cmp.Diff(contents(want), contents(d)); diff != "" || t.Failed() {
		t.Fatalf("%s: %s", name, diff)
	}
}

// check holds a start against what was finished before it.
func check(t *testing.T, name string, o outcome, finished int, through bool) {
	t.Helper()
	if !o.opened {
		return // it crashed before it could look
	}
	if o.found < finished {
		t.Errorf("%s: %d changes were finished, and %d are there", name, finished, o.found)
	}
	if through && o.added > 0 {
		t.Errorf("%s: a finished run was added to", name)
	}
}

// TestFault has one call fail, and starts again.
func TestFault(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testFault)
}

func testFault(t *testing.T) {
	faults := map[string]error{"full": diskFull, "broken": syscall.EIO}
	for name, c := range cases() {
		want := newDisk()
		want.pause = each
		if o := start(want, c.m, c.in); o.err != nil {
			t.Fatal(name, o.err)
		}
		for kind, fault := range faults {
			for at := 1; at <= want.calls; at++ {
				for _, half := range []bool{false, true} {
					d := newDisk()
					d.pause = each
					d.at, d.fault, d.half = at, fault, half
					o := start(d, c.m, c.in)
					if !errors.Is(o.err, fault) || o.finished {
						t.Fatalf("%s, %s, call %d (%s): %v", name, kind, at, d.log[at-1], o.err)
					}
					if d.calls > at {
						t.Fatalf("%s, %s, call %d (%s): it went on: %q", name, kind, at, d.log[at-1], d.log[at:])
					}
					if len(d.locked) > 0 {
						t.Fatalf("%s, %s, call %d: it is still locked", name, kind, at)
					}
					added, now := o.added, o.now
					d.at = 0
					if o = start(d, c.m, c.in); o.err != nil || o.found < added || o.opened && o.found != now {
						t.Fatalf("%s, %s, call %d: %d of %d changes found, which were %d: %v", name, kind, at, o.found, added, now, o.err)
					}
					if diff := cmp.Diff(contents(want), contents(d)); diff != "" {
						t.Fatalf("%s, %s, call %d: %s", name, kind, at, diff)
					}
				}
			}
		}
	}
}

// TestClock has commits come by the clock: they finish what was added, and what they
// fail with is not lost.
func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := sample(6, false)
		d := newDisk()
		r, err := open(d, "run", plain, nil)
		if err != nil {
			t.Fatal(err)
		}
		// The clock's commits are not ordered after what the test does but by the lock.
		locked := func(do func()) {
			r.mu.Lock()
			defer r.mu.Unlock()
			do()
		}
		lines := func() (n int) {
			locked(func() { n = bytes.Count(d.files["run/journal"].safe, []byte("\n")) })
			return n
		}
		for i, want := range []int{1, 1, 1} { // the first at once
			if err := r.Add(in.changes[i]); err != nil || lines() != want {
				t.Fatalf("change %d: %d lines of the journal, %v", i+1, lines(), err)
			}
		}
		time.Sleep(2 * minWait)
		if lines() != 3 {
			t.Errorf("%d lines of the journal", lines())
		}
		if err := errors.Join(r.Add(in.changes[3]), r.Add(in.changes[4])); err != nil {
			t.Fatal(err)
		}
		locked(func() { d.at, d.fault = d.calls+1, syscall.EIO })
		time.Sleep(2 * limits.JournalWait)
		if err := r.Close(); !errors.Is(err, syscall.EIO) {
			t.Errorf("an error of a commit by the clock: %v", err)
		}
		d.at = 0
		if o := start(d, plain, in); o.err != nil || o.found != 4 {
			t.Errorf("%+v", o)
		}
	})
}
