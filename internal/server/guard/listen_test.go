package guard

import (
	"net"
	"strings"
	"testing"
	"time"
)

// TestConnections: there are so many and no more, and one that ends makes room.
func TestConnections(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := Limited(ln, 2)
	accepted := make(chan net.Conn, 10)
	ended := make(chan error, 1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				ended <- err
				return
			}
			accepted <- c
		}
	}()
	for range 4 {
		c, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	first := <-accepted
	<-accepted
	select {
	case <-accepted:
		t.Fatal("a third connection is accepted")
	case <-time.After(50 * time.Millisecond):
	}
	first.Close()
	first.Close() // makes room once
	<-accepted
	select {
	case <-accepted:
		t.Fatal("one that is closed twice makes room for two")
	case <-time.After(50 * time.Millisecond):
	}
	l.Close()
	if err := <-ended; err != net.ErrClosed {
		t.Errorf("closed: %v", err)
	}
}

func TestListen(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1:0": "", "localhost:0": "", "127.0.0.2:0": "",
		":0": "every address of this machine", "0.0.0.0:0": "every address", "[::]:0": "every address", "192.0.2.1:0": "listening on 192.0.2.1 without a token",
		"127.0.0.1": "HOST:PORT", "": "HOST:PORT", "127.0.0.1:http:": "HOST:PORT", "127.0.0.1:99999": "port",
	} {
		ln, err := Listen(t.Context(), addr, false)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", addr, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %s", addr, err, want)
		}
		if err == nil {
			ln.Close()
		}
	}
	ln, err := Listen(t.Context(), "0.0.0.0:0", true)
	if err != nil {
		t.Fatalf("with a token: %v", err)
	}
	ln.Close()
}
