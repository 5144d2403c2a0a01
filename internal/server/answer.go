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

// Limits of answers, which can be much larger than what they answer: all that is said
// of a file repeats its path, and each review is told of every reference.
const (
	// MaxAnswer is the size in bytes above which an answer is refused.
	MaxAnswer = 32 << 20
	// maxHeld bounds the answers that clients have not taken yet, all together.
	maxHeld = 8 * MaxAnswer
)

// errAnswer is refused while it is written, and so never stands in memory as a whole.
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
		return nil, newProblem(http.StatusRequestEntityTooLarge, fmt.Sprintf("the answer would be larger than the limit of %d MiB: leave similarities, explain or kept out, or send less at a time", MaxAnswer>>20))
	}
	return b.Bytes(), nil
}

// limitedWriter has room for so many bytes.
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
