package guard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
)

// Listen listens on host:port. Without a token the address must be loopback, so that
// other machines cannot reach the service.
func Listen(ctx context.Context, addr string, token bool) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("%q is not an address: want HOST:PORT, such as 127.0.0.1:8080", addr)
	}
	// Resolved once, so that the checked address is the one that is listened on.
	at, err := net.ResolveTCPAddr("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, err
	}
	if !token && !at.IP.IsLoopback() {
		where := "every address of this machine"
		if at.IP != nil && !at.IP.IsUnspecified() {
			where = at.IP.String()
		}
		return nil, fmt.Errorf("listening on %s without a token would let other machines in: give a token, or listen on 127.0.0.1", where)
	}
	return (&net.ListenConfig{}).Listen(ctx, "tcp", at.String())
}

// Limited is a listener with a limit of open connections. More connections wait to be accepted.
func Limited(ln net.Listener, most int) net.Listener {
	return &limitedListener{Listener: ln, open: make(chan struct{}, most), done: make(chan struct{})}
}

type limitedListener struct {
	net.Listener
	open  chan struct{}
	done  chan struct{}
	close sync.Once
}

func (l *limitedListener) Accept() (net.Conn, error) {
	select {
	case l.open <- struct{}{}:
	case <-l.done:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.open
		return nil, err
	}
	return &limitedConn{Conn: c, release: func() { <-l.open }}, nil
}

func (l *limitedListener) Close() error {
	err := errors.New("closed twice")
	l.close.Do(func() {
		close(l.done)
		err = l.Listener.Close()
	})
	return err
}

type limitedConn struct {
	net.Conn
	once    sync.Once
	release func()
}

func (c *limitedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.release)
	return err
}
