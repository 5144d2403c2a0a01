package cli

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// How often progress is reported: on a terminal, and as a record of --log-format json.
const (
	showEvery = 100 * time.Millisecond
	logEvery  = 10 * time.Second
)

// progress reports the progress of a long command: the units that are done, the rate and the
// time left. Its length is a known number of steps, such as the bytes of a file; its units
// are changes, say, or the steps themselves. Units that an earlier process finished are done,
// but have no part in the rate. A nil progress reports nothing.
type progress struct {
	log  *logger
	what string // the activity, such as "scoring"
	unit string // "changes", say; empty for bytes

	bar   *progressbar.ProgressBar // the bar on a terminal; nil before it is shown
	known bool                     // the bar has a length

	stop    chan struct{}
	stopped sync.WaitGroup

	mu      sync.Mutex
	steps   int64 // in all, -1 where the number is not known
	at      int64 // steps so far, with those of units that are not done yet
	kept    int64 // units that an earlier process finished
	begun   int64 // units that this process has begun
	done    int64 // units that this process has finished
	from    int64 // steps before the first begun unit
	started time.Time
}

// progress starts to report progress. There is no bar on a terminal to which the command
// prints results as they come.
func (s streams) progress(what, unit string, steps int64, prints bool) *progress {
	p := &progress{log: s.log, what: what, unit: unit, steps: steps, stop: make(chan struct{})}
	switch {
	case s.log.json && !s.log.quiet:
		p.every(logEvery, p.record)
	case s.log.screen() && !(prints && isTerminal(s.out)):
		s.log.mu.Lock()
		s.log.bar = p
		s.log.mu.Unlock()
		p.every(showEvery, p.show)
	}
	return p
}

func (p *progress) every(d time.Duration, tell func(state)) {
	p.stopped.Go(func() {
		tick := time.NewTicker(d)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				tell(p.state(time.Now()))
			case <-p.stop:
				return
			}
		}
	})
}

// End removes the bar.
func (p *progress) End() {
	close(p.stop)
	p.stopped.Wait()
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	p.clear()
	if p.log.bar == p {
		p.log.bar = nil
	}
}

// clear removes the bar from the last line; the logger is locked.
func (p *progress) clear() {
	if p != nil && p.bar != nil {
		_ = p.bar.Clear()
	}
}

// Reader adds the bytes that it reads as steps. It reads little at a time, so that the steps
// are not far ahead of the units.
func (p *progress) Reader(r io.Reader) io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		if p.steps > 0 {
			b = b[:min(int64(len(b)), max(p.steps/500, 512))]
		}
		n, err := r.Read(b)
		p.Step(int64(n))
		return n, err
	})
}

// Step adds steps, for input that is not read through Reader.
func (p *progress) Step(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at += n
}

type readerFunc func(b []byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// Keep adds a unit that an earlier process has finished.
func (p *progress) Keep() {
	p.mu.Lock()
	p.kept++
	p.from = p.at
	p.mu.Unlock()
}

// Begin adds a unit that is begun.
func (p *progress) Begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun++; p.started.IsZero() {
		p.started = time.Now()
	}
}

// Finish adds a unit that is finished.
func (p *progress) Finish() {
	p.mu.Lock()
	p.done++
	p.mu.Unlock()
}

// Set sets the steps so far, and their number. The steps of the first call were taken by an
// earlier process.
func (p *progress) Set(at, steps int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.started.IsZero() {
		p.started, p.from = time.Now(), at
	}
	p.at, p.steps = at, cmp.Or(steps, -1)
}

// state is the progress at a time.
type state struct {
	done  int64
	rate  float64       // per second, 0 where nothing is done yet
	share float64       // of all steps, -1 where their number is not known
	left  time.Duration // -1 where it is not known
}

func (p *progress) state(now time.Time) state {
	p.mu.Lock()
	defer p.mu.Unlock()
	way := float64(p.at - p.from) // of this process
	s := state{done: p.kept + p.done, share: -1, left: -1}
	worked := float64(p.done)
	if p.unit == "" {
		s.done, worked = p.at, way
	} else if p.begun > 0 {
		way *= float64(p.done) / float64(p.begun)
	} else {
		way = 0
	}
	took := now.Sub(p.started).Seconds()
	if !p.started.IsZero() && took > 0 {
		s.rate = worked / took
	}
	if p.steps <= 0 {
		return s
	}
	s.share = min((float64(p.from)+way)/float64(p.steps), 1)
	if way > 0 && s.rate > 0 {
		left := took * (float64(p.steps-p.from) - way) / way
		s.left = time.Duration(min(max(left, 0), math.MaxInt32) * float64(time.Second))
	}
	return s
}

// record reports a state in the log.
func (p *progress) record(s state) {
	about := []slog.Attr{
		slog.String("what", p.what), slog.String("unit", cmp.Or(p.unit, "bytes")),
		slog.Int64("done", s.done), slog.Float64("per_second", s.rate),
	}
	if s.share >= 0 {
		about = append(about, slog.Float64("share", s.share))
	}
	if s.left >= 0 {
		about = append(about, slog.Float64("seconds_left", s.left.Round(time.Second).Seconds()))
	}
	p.log.say(slog.LevelInfo, "progress", about...)
}

// show shows a state on the terminal.
func (p *progress) show(s state) {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	const parts = 1000 // a bar that was full once shows nothing more
	length, known := int64(-1), s.share >= 0
	if known {
		length = parts
	}
	if p.bar == nil || p.known != known {
		p.clear()
		p.known = known
		theme := progressbar.ThemeDefault
		if screen(p.log.w).ASCII {
			theme = progressbar.ThemeASCII
		}
		p.bar = progressbar.NewOptions64(length, progressbar.OptionSetTheme(theme),
			progressbar.OptionSetWriter(p.log.w), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(20),
			progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
			progressbar.OptionSetSpinnerChangeInterval(0))
	}
	if known {
		_ = p.bar.Set64(min(int64(s.share*parts), parts-1))
	}
	p.bar.Describe(p.what + " " + s.String(p.unit))
}

func (s state) String(unit string) string {
	text := size(s.done)
	if unit != "" {
		text = fmt.Sprintf("%d %s", s.done, unit)
	}
	switch {
	case s.rate == 0:
	case unit == "":
		text += ", " + size(int64(s.rate)) + "/s"
	case s.rate < 10:
		text += fmt.Sprintf(", %.1f/s", s.rate)
	default:
		text += fmt.Sprintf(", %.0f/s", s.rate)
	}
	if s.left >= 0 {
		text += fmt.Sprintf(", %s left", s.left.Round(time.Second))
	}
	return text
}
