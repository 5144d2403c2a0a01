package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"crscore/internal/limits"
	"crscore/internal/report"
	"crscore/internal/server/guard"
)

// problem is an error in the form of RFC 9457. Its type is about:blank, so the title is
// the name of the status. The detail says what happened.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	// Pointer is the place of the error in the request's JSON (RFC 6901). Offset is the
	// byte of the body after which the JSON is malformed.
	Pointer *string `json:"pointer,omitempty"`
	Offset  *int64  `json:"offset,omitempty"`

	header map[string]string
}

// Error is the detail.
func (p *problem) Error() string { return p.Detail }

func newProblem(status int, detail string) *problem {
	title := http.StatusText(status)
	return &problem{Type: "about:blank", Title: title, Status: status, Detail: detail, header: map[string]string{}}
}

// bad is the problem of a request that is not valid, with the place.
func bad(pointer string, err error) *problem {
	p := newProblem(http.StatusBadRequest, err.Error())
	for len(pointer) > limits.PointerBytes { // the object around it
		pointer = pointer[:max(strings.LastIndexByte(pointer, '/'), 0)]
	}
	p.Pointer = &pointer
	return p
}

// later is a problem that ends by itself: the client may try again.
func later(status int, detail string) *problem {
	p := newProblem(status, detail)
	p.header["Retry-After"] = "1"
	return p
}

// statusGone is for logs and metrics: the client left before the answer.
const statusGone = 499

// problemOf turns an error into the problem that the client gets.
func problemOf(r *http.Request, err error, limit time.Duration) *problem {
	var p *problem
	switch {
	case errors.As(err, &p):
		return p
	case errors.Is(err, context.DeadlineExceeded):
		return later(http.StatusServiceUnavailable, fmt.Sprintf("the request was not judged within %s", limit))
	case errors.Is(err, context.Canceled) && errors.Is(context.Cause(r.Context()), errCut):
		return later(http.StatusServiceUnavailable, errCut.Error())
	case errors.Is(err, context.Canceled):
		return newProblem(statusGone, "the client left")
	}
	return newProblem(http.StatusInternalServerError, "the service failed: its log has the cause under the request's id")
}

// write sends the problem.
func (p *problem) write(w http.ResponseWriter) {
	for name, value := range p.header {
		w.Header().Set(name, value)
	}
	var b bytes.Buffer
	if err := report.JSON(&b, p, ""); err != nil { // impossible for texts and numbers
		panic(err)
	}
	guard.Send(w, p.Status, "application/problem+json", b.Bytes())
}

// decode reads a request's body into a struct. A field that is unknown, misspelt or
// there twice is an error.
func decode(body []byte, into any) error {
	err := json.Unmarshal(body, into, json.RejectUnknownMembers(true))
	var syntax *jsontext.SyntacticError
	var meaning *json.SemanticError
	switch {
	case err == nil:
		return nil
	case len(bytes.TrimSpace(body)) == 0:
		return bad("", errors.New("the body is empty: want a JSON object"))
	case errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName):
		return bad(string(syntax.JSONPointer), fmt.Errorf("the field %.100q is there twice", syntax.JSONPointer.LastToken()))
	case errors.As(err, &syntax):
		p := bad(string(syntax.JSONPointer), fmt.Errorf("not JSON: %w (after byte %d)", syntax.Err, syntax.ByteOffset))
		p.Offset = &syntax.ByteOffset
		return p
	case errors.As(err, &meaning) && errors.Is(err, json.ErrUnknownName):
		return bad(string(meaning.JSONPointer), unknownField(into, meaning.JSONPointer))
	case errors.As(err, &meaning):
		got := "a JSON " + kindName(meaning.JSONKind)
		if meaning.JSONKind == '0' && len(meaning.JSONValue) > 0 {
			got = fmt.Sprintf("the number %.40s", meaning.JSONValue)
		}
		if t := typeAt(reflect.TypeOf(into), meaning.JSONPointer); t != nil {
			got += ", want " + wanted(t)
		}
		return bad(string(meaning.JSONPointer), errors.New("got "+got))
	}
	return bad("", fmt.Errorf("not JSON: %w", err))
}

func kindName(k jsontext.Kind) string {
	switch k {
	case 't', 'f':
		return "boolean"
	case '"':
		return "string"
	case '0':
		return "number"
	case '{':
		return "object"
	case '[':
		return "array"
	}
	return k.String()
}
