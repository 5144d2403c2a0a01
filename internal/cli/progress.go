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

// How often progress is told: on a terminal, and as a record of --log-format json.
const (
	showEvery = 100 * time.Millisecond
	logEvery  = 10 * time.Second
)

// progress tells how far a long command is: what is done, how fast that goes and
// how long it will take. The way is measured in steps whose number is known, such as the
// bytes of a file; what is done is counted in units, or in the steps themselves. Rate
// and time left are those of this process: what an earlier one had finished is a
// part of what is done, but not of the rate. A nil progress tells nothing.
type progress struct {
	log  *logger
	what string // is done
	unit string // what is counted, empty for bytes

	bar   *progressbar.ProgressBar // on a terminal, when it is shown
	known bool                     // how long the bar is

	stop    chan struct{}
	stopped sync.WaitGroup

	mu      sync.Mutex
	steps   int64 // in all, -1 where that is not known
	at      int64 // steps that were taken, with those for what is not done yet
	kept    int64 // units that were done before
	begun   int64 // units that were not
	done    int64 // of those that were begun
	from    int64 // steps before the first of them
	started time.Time
}

// progress starts to tell how far something is. Where results are printed as they
// come, there is no bar on their terminal, which would write over them.
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

// end takes the bar away.
func (p *progress) end() {
	close(p.stop)
	p.stopped.Wait()
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	p.clear()
	if p.log.bar == p {
		p.log.bar = nil
	}
}

// clear makes room for other words; the logger is locked.
func (p *progress) clear() {
	if p != nil && p.bar != nil {
		_ = p.bar.Clear()
	}
}

// reader counts the bytes that are read as steps. It reads little at a time, so that
// what was read is not far ahead of what was asked for.
func (p *progress) reader(r io.Reader) io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		if p.steps > 0 {
			b = b[:min(int64(len(b)), max(p.steps/500, 512))]
		}
		n, err := r.Read(b)
		p.step(int64(n))
		return n, err
	})
}

// step counts steps of something that is not read through reader.
func (p *progress) step(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at += n
}

type readerFunc func(b []byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// keep counts a unit that an earlier process has finished.
func (p *progress) keep() {
	p.mu.Lock()
	p.kept++
	p.from = p.at
	p.mu.Unlock()
}

// begin counts a unit that is begun.
func (p *progress) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun++; p.started.IsZero() {
		p.started = time.Now()
	}
}

// finish counts one that is finished.
func (p *progress) finish() {
	p.mu.Lock()
	p.done++
	p.mu.Unlock()
}

// set says how many of how many steps are taken. What the first call says was done
// before.
func (p *progress) set(at, steps int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.started.IsZero() {
		p.started, p.from = time.Now(), at
	}
	p.at, p.steps = at, cmp.Or(steps, -1)
}

// state is how far something is.
type state struct {
	done  int64
	rate  float64       // a second, 0 where nothing is done yet
	share float64       // of the way, -1 where that is not known
	left  time.Duration // -1 where that is not known
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

// record tells it in the log.
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

// show tells it on the terminal.
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
		p.bar = progressbar.NewOptions64(length,
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
