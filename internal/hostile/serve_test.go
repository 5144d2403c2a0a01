package hostile

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	servedRows  = 400 // of a seed
	clients     = 2   // that send them at the same time
	probeEvery  = 200 * time.Millisecond
	maxProbe    = time.Second
	maxServedMB = clients * maxMemory
)

// service is a crscore serve that runs.
type service struct {
	*command
	url string
}

func serve(t *testing.T, bin string) *service {
	s := &service{command: launch(t, bin, clients*endMemory, "serve", "--addr", "127.0.0.1:0")}
	for range 600 {
		time.Sleep(50 * time.Millisecond)
		if _, rest, ok := strings.Cut(s.err.text(), "listening on "); ok {
			s.url = strings.Fields(rest)[0]
			if took, err := s.post(Normal("ready")); err == nil && took < maxProbe {
				return s
			}
		}
	}
	t.Fatalf("the service is not ready: %s", &s.err)
	return nil
}

// maxBody is the size above which the service refuses a request, as it is started.
const maxBody = 8 << 20

// post has a row scored by a service.
func (s *service) post(row Row) (time.Duration, error) {
	row.ID = ""
	begin := time.Now()
	client := http.Client{Timeout: max(maxTime, row.most(maxTime)) * 3 / 2}
	body, path, scored := row.JSON(), "/v1/score", `"status":"scored"`
	if row.text && len(row.Reviews[0].Text)%2 == 0 { // every second one is a comment
		body, path, scored = row.comment(), "/v1/gate", `"outcome":`
	}
	res, err := client.Post(s.url+path, "application/json", bytes.NewReader(body))
	if err != nil {
		return time.Since(begin), err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	took := time.Since(begin)
	switch {
	case err != nil:
		return took, err
	case res.StatusCode == http.StatusRequestEntityTooLarge && len(body) > maxBody:
		return took, nil
	case res.StatusCode != http.StatusOK:
		return took, fmt.Errorf("%d %.300s", res.StatusCode, b)
	case !strings.Contains(string(b), scored) && !row.refused(string(b)):
		return took, fmt.Errorf("unscored: %.300s", b)
	}
	return took, nil
}

// TestServe has two clients post hostile changes to a service while another one asks for
// something small.
func TestServe(t *testing.T) {
	bin := built(t)
	for _, seed := range seeds {
		fmt.Printf("seed %d: a service\n", seed)
		o := &ordeal{bin: bin, tally: tally{t: t}, under: map[string]bool{}}
		var todo []Row
		shapeRows(seed, func(row Row) bool { todo = append(todo, row); return len(todo) < servedRows })
		for i := range textCount() {
			if row := TextRow(seed, i); only.MatchString(row.ID) {
				todo = append(todo, row)
			}
		}
		o.s = serve(t, bin)
		o.run(todo)
		o.report()
		fmt.Printf("small requests: %d, median %v, longest %v\n", len(o.probes), o.probes[len(o.probes)/2], o.probes[len(o.probes)-1])
		o.end()
	}
}

// ordeal is what a service goes through.
type ordeal struct {
	bin string
	mu  sync.Mutex // of what follows
	s   *service
	tally
	under  map[string]bool // rows that are being asked for
	probes []time.Duration
}

// end looks what the service took, and ends it.
func (o *ordeal) end() {
	mb := max(o.s.peak.Load(), highest(o.s.cmd.Process.Pid))
	fmt.Printf("the service took %d MB\n", mb)
	if mb > maxServedMB {
		fmt.Printf("FAIL memory   the service took %d MB\n", mb)
		o.t.Fail()
	}
	_ = o.s.cmd.Process.Signal(os.Interrupt)
	if err := o.s.close(); err != nil {
		fmt.Printf("FAIL crash    the service ended with %v\n", err)
		o.t.Fail()
	}
}

// post has a row scored. Where the service has died another one takes its place.
func (o *ordeal) post(row Row, hostile bool) (time.Duration, error) {
	o.mu.Lock()
	s := o.s
	if hostile {
		o.under[row.ID] = true
	}
	o.mu.Unlock()
	took, err := s.post(row)
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.under, row.ID)
	if err != nil && s == o.s && !s.alive() {
		fmt.Printf("FAIL crash    the service died: %s, of %s or %q\n", &s.err, row.ID, slices.Sorted(maps.Keys(o.under)))
		o.t.Fail()
		_ = s.close()
		o.s = serve(o.t, o.bin)
	}
	return took, err
}

// alive reports whether the service still listens.
func (s *service) alive() bool {
	for range 3 {
		if res, err := http.Get(s.url + "/healthz"); err == nil {
			res.Body.Close()
			return true
		}
		time.Sleep(100 * time.Millisecond)
	}
	return false
}

func (o *ordeal) run(todo []Row) {
	rows, end := make(chan Row), make(chan struct{})
	var senders, prober sync.WaitGroup
	for range clients {
		senders.Go(func() {
			for row := range rows {
				o.send(row)
			}
		})
	}
	prober.Go(func() {
		for {
			select {
			case <-end:
				return
			case <-time.After(probeEvery):
				o.probe()
			}
		}
	})
	for _, row := range todo {
		rows <- row
	}
	close(rows)
	senders.Wait()
	close(end)
	prober.Wait()
	slices.Sort(o.probes)
}

func (o *ordeal) send(row Row) {
	took, err := o.post(row, true)
	a := answer{took: took}
	switch {
	case err != nil:
		a.kind, a.why = "serve", err.Error()
	case took > row.most(maxTime):
		a.kind = "time"
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.add(row, a)
}

func (o *ordeal) probe() {
	took, err := o.post(Normal("probe"), false)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.probes = append(o.probes, took)
	if err != nil || took > maxProbe {
		o.t.Fail()
		fmt.Printf("FAIL probe    %6.2f s %v beside %q\n", took.Seconds(), err, slices.Sorted(maps.Keys(o.under)))
	}
}
