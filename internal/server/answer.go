package server

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"crscore/internal/report"
)

// Limits of answers. An answer can be much larger than its request: every statement
// about a file repeats the path, and every review lists all references.
const (
	// MaxAnswer is the largest size of an answer in bytes.
	MaxAnswer = 32 << 20
	// maxHeld bounds the answers together that clients have not taken yet.
	maxHeld = 8 * MaxAnswer
)

// errAnswer ends the writing of an answer that grows too large for memory.
var errAnswer = errors.New("the answer is too large")

// encode writes an answer as report.JSON does, up to the limit.
func encode(answer any) ([]byte, error) {
	var plain bytes.Buffer
	err := json.MarshalWrite(&limitedWriter{&plain, MaxAnswer}, answer, jsonv1.DefaultOptionsV1(), jsontext.EscapeForHTML(false))
	if err != nil && !errors.Is(err, errAnswer) {
		return nil, err
	}
	var b bytes.Buffer
	if err == nil {
		b.Grow(plain.Len() + 1)
		report.EscapeJSON(&b, plain.Bytes())
		b.WriteByte('\n')
	}
	if err != nil || b.Len() > MaxAnswer {
		return nil, newProblem(http.StatusRequestEntityTooLarge, fmt.Sprintf(
			"the answer would be larger than the limit of %d MiB: leave out change, similarities, explain or kept, "+
				"or send fewer texts", MaxAnswer>>20))
	}
	return b.Bytes(), nil
}

// limitedWriter fails after that many bytes.
type limitedWriter struct {
	b    *bytes.Buffer
	room int
}

func (w *limitedWriter) Write(p []byte) (int, error) {
	if w.room -= len(p); w.room < 0 {
		return 0, errAnswer
	}
	return w.b.Write(p)
}
