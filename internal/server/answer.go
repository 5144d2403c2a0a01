package server

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"crscore/internal/limits"
	"crscore/internal/report"
)

// errAnswer ends the writing of an answer that grows too large for memory.
var errAnswer = errors.New("the answer is too large")

// encode writes an answer as report.JSON does, up to the limit.
func encode(answer any) ([]byte, error) {
	var plain bytes.Buffer
	err := json.MarshalWrite(&limitedWriter{&plain, limits.ResponseBytes}, answer, jsonv1.DefaultOptionsV1(), jsontext.EscapeForHTML(false))
	if err != nil && !errors.Is(err, errAnswer) {
		return nil, err
	}
	var b bytes.Buffer
	if err == nil {
		b.Grow(plain.Len() + 1)
		report.EscapeJSON(&b, plain.Bytes())
		b.WriteByte('\n')
	}
	if err != nil || b.Len() > limits.ResponseBytes {
		return nil, newProblem(http.StatusRequestEntityTooLarge, fmt.Sprintf(
			"the answer would be larger than the limit of %d MiB: leave out change, similarities, explain or kept, "+
				"or send fewer texts", limits.ResponseBytes>>20))
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
