package comments

import (
	"bytes"
	"encoding/json"
	"errors"
)

// errEmpty is for a file that was cut short as likely as it is empty on purpose.
var errEmpty = errors.New("the file is empty: an empty list is [], and that a text may be empty has to be said by naming the format")

// detect tells a format by the first JSON value of a text. What does not begin as
// JSON is plain text.
func detect(text []byte) (Format, error) {
	start := bytes.TrimSpace(text)
	switch {
	case len(start) == 0:
		return "", errEmpty
	case !looksLikeJSON(start):
		return Text, nil
	}
	// The first value only: rdjsonl has one a line.
	var first json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(start))
	if err := dec.Decode(&first); err != nil {
		// Its reader tells the place.
		_, err = document(text)
		return "", err
	}
	one := len(bytes.TrimSpace(start[dec.InputOffset():])) == 0
	at := span{0, len(first)}
	if first[0] == '[' {
		list, err := elements(first, at)
		if err != nil {
			return "", err
		}
		if len(list) == 0 {
			return GitHub, nil // an empty list is one in every format
		}
		at = list[0]
	}
	o, err := readObject(first, at)
	if err != nil {
		return "", err
	}
	has := func(name string) bool { _, ok := o.fields[name]; return ok }
	list := first[0] == '['
	switch {
	case !list && has("runs"):
		return SARIF, nil
	case !list && has("diagnostics"):
		return RDJSON, nil
	case !list && has("message"), !one && has("location"):
		return RDJSONL, nil
	case has("notes"), has("note"), o.has("position", "object"), has("noteable_type"):
		return GitLab, nil
	case has("body"), !list && has("comments"):
		return GitHub, nil
	}
	return "", errors.New("this is JSON, but not a review of GitHub, discussions of GitLab, rdjson, rdjsonl or SARIF")
}

// looksLikeJSON tells an object or array from prose that begins with a bracket, as
// "[nit] …" and "{…} is unused" do.
func looksLikeJSON(text []byte) bool {
	rest := bytes.TrimSpace(text[1:])
	switch text[0] {
	case '{':
		return len(rest) == 0 || rest[0] == '"' || rest[0] == '}'
	case '[':
		return len(rest) == 0 || rest[0] == '{' || rest[0] == ']'
	}
	return false
}
