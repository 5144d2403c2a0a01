// Package guard holds what protects a service on this machine from other machines and from
// pages of other sites: it listens on loopback unless there is a token, it bounds connections,
// it knows which host names are the service's, and it sets the headers of every answer. The
// HTTP service and the viewer share it. It knows no routes, no engine and no content.
package guard

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// IdleTimeout is how long a connection may wait for its next request.
const IdleTimeout = 30 * time.Second

// Headers sets the headers that every answer has.
func Headers(head http.Header) {
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Cache-Control", "no-store")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// Send answers with a body.
func Send(w http.ResponseWriter, status int, typ string, body []byte) {
	w.Header().Set("Content-Type", typ)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // an error means that the client left
}

// Answers reports whether a Host header names the service: by loopback, or by one of the
// names, which Hostname returned. A foreign name that resolves to this machine would let a
// foreign page reach a local service (DNS rebinding).
func Answers(host string, names []string) bool {
	name := Hostname(host)
	if name == "localhost" {
		return true
	}
	if ip, err := netip.ParseAddr(name); err == nil && ip.IsLoopback() {
		return true
	}
	return name != "" && slices.Contains(names, name)
}

// Hostname is the name in a Host header or an address, in lower case.
func Hostname(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
