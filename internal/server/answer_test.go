package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"crscore/internal/dataset"
	"crscore/internal/gate"
	"crscore/internal/limits"
	"crscore/internal/present"
	"crscore/internal/report"
)

// TestEncode: an answer has the bytes that the command prints.
func TestEncode(t *testing.T) {
	zero, third := 0.0, 1./3
	text := "<b> & \u2028 \x1b[31m \u009b \u202e \ufffd é \U0001f600"
	for _, v := range []any{
		scoreAnswer{Tau: &zero, Warnings: []string{}, Results: []present.Compared{{Row: dataset.Row{Review: text, Con: &third}, Similarities: [][]float64{{0, 1e-9, 0.25}}}, {}}},
		gateAnswer{Decision: &gate.Decision{Reasons: []string{text}, Comments: []gate.Verdict{{Body: text, About: []gate.About{{Sentence: text, Credit: third}}}}}, Kept: json.RawMessage(`[{"body": "<i>\u00e9", "n": 1e2}]`)},
		gateAnswer{Decision: &gate.Decision{}},
		refsAnswer{Refs: []dataset.Ref{{Text: text, Weight: &third}}, Dropped: []dataset.Dropped{{Reason: text}}},
	} {
		var want bytes.Buffer
		if err := report.JSON(&want, v, ""); err != nil {
			t.Fatal(err)
		}
		got, err := encode(v)
		if err != nil || string(got) != want.String() {
			t.Errorf("%T: %v\n%s\nnot\n%s", v, err, got, &want)
		}
	}
	for n, fits := range map[int]bool{limits.ResponseBytes - 3: true, limits.ResponseBytes - 2: false} { // two quotes and a newline
		b, err := encode(strings.Repeat("x", n))
		if large := new(problem); fits != (err == nil) || !fits && (!errors.As(err, &large) || large.Status != 413) || fits && len(b) != limits.ResponseBytes {
			t.Errorf("%d bytes: %d, %v", n, len(b), err)
		}
	}
	if _, err := encode(strings.Repeat("\u009b", limits.ResponseBytes/3)); err == nil { // which grow when they are escaped
		t.Error("an answer is larger than the limit")
	}
}
