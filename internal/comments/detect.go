package comments

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// errEmpty refuses an empty file, because it may have been cut short.
var errEmpty = errors.New("the file is empty: an empty list is [], and an empty text needs text as its format")

// asText is the advice for a text that looks like something else.
const asText = "if it is meant as text, give text as its format"

// detect returns the format of a text by its first JSON value; a text that is no JSON is
// plain text. It refuses the answer of a failing server, which would pass as an empty
// review.
func (f *File) detect(text []byte) (Format, error) {
	start := bytes.TrimSpace(text)
	switch {
	case len(start) == 0:
		return "", errEmpty
	case isPage(start):
		return "", errors.New("this is a page of HTML or XML, perhaps from a failing server or findings for --findings; " + asText)
	case f.isFenced(start):
		return "", errors.New("this is JSON in a fence of Markdown: take off the lines of the fence; " + asText)
	case !looksLikeJSON(start) && !isJSON(start):
		return Text, nil
	}
	// Read the first value only: rdjsonl has a value on each line.
	var first json.RawMessage
	dec := json.NewDecoder(bytes.NewReader(start))
	if err := dec.Decode(&first); err != nil {
		// Its reader tells the place.
		_, err = document(text)
		return "", err
	}
	one := len(bytes.TrimSpace(start[dec.InputOffset():])) == 0
	at := span{0, len(first)}
	for range 2 { // a list, or pages of lists
		if first[at.from] != '[' {
			break
		}
		list, err := elements(first, at)
		if err != nil {
			return "", err
		}
		if len(list) == 0 {
			return GitHub, nil // an empty list is the same in every format
		}
		at = list[0]
	}
	if kind(first, at) != "object" {
		return "", unknown(object{})
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
	case !list && o.has("location", "object") && (has("message") || !one): // an API's error has a message, too
		return RDJSONL, nil
	case has("notes"), has("note") && !has("path"), o.has("position", "object"), has("noteable_type"):
		return GitLab, nil
	case has("body"), !list && (has("comments") || has("reviews") || has("latestReviews")):
		return GitHub, nil
	}
	defer clear(f.used)
	if n := f.named(o); n.has("body", "string") && n.has("path", "string") {
		return GitHub, nil
	}
	return "", unknown(o)
}

// unknown is the error for JSON of an unknown format, with an API's own error message.
func unknown(o object) error {
	const what = "this is JSON, but not a review of GitHub, discussions of GitLab, rdjson, rdjsonl or SARIF"
	if s, err := o.str("message"); err == nil && s != "" {
		return fmt.Errorf("%s: its %q is %q", what, "message", shown(s))
	}
	if s := o.failure(); s != "" {
		return errors.New(what + ": " + s)
	}
	if len(o.fields) > 0 {
		return fmt.Errorf("%s: its fields are %s; give a map such as body=FIELD,path=FIELD, with comments=FIELD for the list of an object; %s",
			what, shown(strings.Join(slices.Sorted(maps.Keys(o.fields)), ", ")), asText)
	}
	return errors.New(what + "; " + asText)
}

// failure returns the error that an object reports, empty for none.
func (o object) failure() string {
	for _, name := range []string{"error", "errors"} {
		switch s := shown(o.id(name)); s {
		case "", "false", "0", `""`, "[]", "[ ]", "{}", "{ }":
		default:
			return fmt.Sprintf("its %q is %s", name, s)
		}
	}
	return ""
}

// isPage reports whether a text is a document of HTML or XML, and not Markdown with tags.
func isPage(text []byte) bool {
	for _, start := range []string{"<!doctype", "<html", "<?xml", "<checkstyle"} {
		if len(text) >= len(start) && bytes.EqualFold(text[:len(start)], []byte(start)) {
			return true
		}
	}
	return false
}

// isFenced reports whether a text is comments in JSON that a model has put into a fence.
func (f *File) isFenced(text []byte) bool {
	_, inner, _ := bytes.Cut(text, []byte("\n"))
	inner, fenced := bytes.CutSuffix(inner, []byte("```"))
	if !fenced || !bytes.HasPrefix(text, []byte("```")) || bytes.HasPrefix(bytes.TrimSpace(inner), []byte("```")) {
		return false
	}
	format, err := f.detect(inner)
	return err == nil && format != Text
}

// isJSON reports whether a text consists of JSON values.
func isJSON(text []byte) bool {
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
}

// looksLikeJSON distinguishes an object or array from prose that begins with a bracket, such
// as "[nit] …" and "{…} is unused".
func looksLikeJSON(text []byte) bool {
	switch text[0] {
	case '{':
		rest := bytes.TrimSpace(text[1:])
		return len(rest) == 0 || rest[0] == '"' || rest[0] == '}'
	case '[':
		rest := bytes.TrimLeft(text, "[ \t\r\n") // pages of an API can be a list of lists
		return len(rest) == 0 || rest[0] == '{' || rest[0] == ']'
	}
	return false
}
