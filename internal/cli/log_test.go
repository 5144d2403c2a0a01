package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// talkative is the address of a server with OpenAI's API that says more than it may after its
// first answer, and takes its time for the others.
func talkative(t *testing.T, more string) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	const answer = `{"choices":[{"message":{"content":"{\"con\":4,\"comp\":3,\"rel\":2}"},"finish_reason":"stop"}]}`
	go func() {
		for begun := false; ; begun = true {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			for in := bufio.NewReader(c); ; {
				r, err := http.ReadRequest(in)
				if err != nil {
					break
				}
				_, _ = io.Copy(io.Discard, r.Body)
				if begun {
					time.Sleep(100 * time.Millisecond) // until what was said more is read
				}
				fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s%s", len(answer), answer, more)
				more = ""
			}
			c.Close()
		}
	}()
	return "http://" + ln.Addr().String()
}

// TestLibraries: what net/http writes of a server is a message like others.
func TestLibraries(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data.jsonl")
	if err := os.WriteFile(data, []byte(`{"id":"1","path":"a.py","diff":"@@ -1 +1,2 @@\n a\n+b = 1\n","reviews":[{"id":"s","text":"Why is b 1?"}]}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for flag, check := range map[string]func(line string) bool{
		"--log-format=text": func(line string) bool {
			return strings.HasPrefix(line, "crscore: ") != strings.HasPrefix(line, " ") || strings.HasPrefix(line, "Signature: ")
		},
		"--log-format=json": func(line string) bool { return json.Valid([]byte(line)) },
		"--quiet":           func(string) bool { return false },
	} {
		t.Setenv("OPENAI_BASE_URL", talkative(t, "\x1b]0;gone\a\u009b31m"+strings.Repeat("A", 4000)))
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
		var out, errs bytes.Buffer
		if code := Main([]string{"judge", "--protocol", "rel", "--model", "openai:m", "--data", data, flag}, strings.NewReader(""), &out, &errs); code != exitDone {
			t.Errorf("%s: exit code %d: %s", flag, code, &errs)
		}
		for line := range strings.Lines(errs.String()) {
			if !check(line) || len(line) > 1000 || strings.ContainsAny(strings.TrimSuffix(line, "\n"), "\x1b\a\u009b") {
				t.Errorf("%s: %q", flag, line)
			}
		}
		if told := strings.Contains(errs.String(), "Unsolicited response"); told != (flag != "--quiet") {
			t.Errorf("%s: it is told: %v: %s", flag, told, &errs)
		}
	}
}
