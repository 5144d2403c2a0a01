package hostile

import (
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// What slow clients do, and what the service may take beside them.
const (
	slowClients = 200
	slowFor     = 30 * time.Second
	slowPause   = time.Second // after which a client sends slowSpeed bytes more
	slowSpeed   = 500
	maxSlowP99  = 100 * time.Millisecond
	maxSlowMB   = 512
)

// TestSlow has many clients send large bodies slowly, from the begin or after a MiB, while
// another one asks for something small. A client whose body is ended pauses and comes again.
// What clients send fast at first is work for the machine, so that p99 has no bound then.
func TestSlow(t *testing.T) {
	bin := built(t)
	for _, begin := range []int{1, 1 << 20} {
		s := serve(t, bin)
		first, end := strings.Repeat(" ", begin), time.Now().Add(slowFor)
		var clients sync.WaitGroup
		for i := range slowClients {
			clients.Go(func() {
				for time.Now().Before(end) {
					s.dribble(first, i%2 == 0, end)
					time.Sleep(slowPause)
				}
			})
		}
		var took []time.Duration
		failed := map[string]int{}
		for time.Now().Before(end) {
			d, err := s.post(Normal("probe"))
			if took = append(took, d); err != nil {
				failed[fmt.Sprintf("%.60s", err)]++
			}
			time.Sleep(10 * time.Millisecond)
		}
		clients.Wait()
		lost := 0
		for _, n := range failed {
			lost += n
		}
		slices.Sort(took)
		p99, mb := took[len(took)*99/100], max(s.peak.Load(), highest(s.cmd.Process.Pid))
		fmt.Printf("%d slow clients that begin with %d bytes: %d small requests, failed: %v; median %v, p99 %v, longest %v; the service took %d MB\n",
			slowClients, begin, len(took), failed, took[len(took)/2], p99, took[len(took)-1], mb)
		if lost*100 > len(took) || begin == 1 && p99 > maxSlowP99 || mb > maxSlowMB {
			t.Fail()
		}
		_ = s.cmd.Process.Signal(os.Interrupt)
		_ = s.close()
	}
}

// dribble sends a body slowly until the service ends it, or the time is over.
func (s *service) dribble(first string, sized bool, end time.Time) {
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		return
	}
	defer c.Close()
	length := fmt.Sprintf("Content-Length: %d\r\n\r\n", maxBody)
	if !sized {
		length = fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n", maxBody)
	}
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, c)
		close(ended)
	}()
	if _, err := io.WriteString(c, "POST /v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+length); err != nil {
		return
	}
	for text := first; time.Now().Before(end); text = strings.Repeat(" ", slowSpeed) {
		if _, err := io.WriteString(c, text); err != nil {
			return
		}
		select {
		case <-ended:
			return
		case <-time.After(slowPause):
		}
	}
}
