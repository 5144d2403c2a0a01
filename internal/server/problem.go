package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"crscore/internal/report"
)

// problem is an error as RFC 9457 has it. Its type is about:blank, so the title is the
// status in words and what happened stands in the detail.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	// Pointer is the place in the request's JSON that is wrong (RFC 6901), Offset the
	// byte of the body after which it is no JSON.
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

// maxPointer bounds the pointer in bytes: a field's name can be as long as a request.
const maxPointer = 1000

// bad is a request that cannot be meant, and where.
func bad(pointer string, err error) *problem {
	p := newProblem(http.StatusBadRequest, err.Error())
	for len(pointer) > maxPointer { // what it is in
		pointer = pointer[:max(strings.LastIndexByte(pointer, '/'), 0)]
	}
	p.Pointer = &pointer
	return p
}

// later is a problem that goes away by itself.
func later(status int, detail string) *problem {
	p := newProblem(status, detail)
	p.header["Retry-After"] = "1"
	return p
}

// statusGone is for logs and metrics: the client left before it had an answer.
const statusGone = 499

// problemOf makes of an error what a client is told of it.
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
		return newProblem(statusGone, "the client is gone")
	}
	return newProblem(http.StatusInternalServerError, "the service failed, which its log tells by the request's id")
}

// write sends the problem.
func (p *problem) write(w http.ResponseWriter) {
	for name, value := range p.header {
		w.Header().Set(name, value)
	}
	var b bytes.Buffer
	if err := report.JSON(&b, p, ""); err != nil { // a struct of texts and numbers
		panic(err)
	}
	send(w, p.Status, "application/problem+json", b.Bytes())
}

// decode reads a request's body into a struct: every field by its exact name, none
// twice and none that is not known.
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
		return bad(string(meaning.JSONPointer), fmt.Errorf("there is no field %.100q", meaning.JSONPointer.LastToken()))
	case errors.As(err, &meaning) && len(meaning.JSONValue) > 0 && meaning.JSONKind == '0':
		return bad(string(meaning.JSONPointer), fmt.Errorf("the number %.40s may not stand here", meaning.JSONValue))
	case errors.As(err, &meaning):
		return bad(string(meaning.JSONPointer), fmt.Errorf("a JSON %s may not stand here", kindName(meaning.JSONKind)))
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
