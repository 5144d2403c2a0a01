package smells

import (
	"maps"
	"strconv"
	"strings"
)

// Sentence is a sentence of a rule. A {name} in it stands for a name or value of the code.
// If the value is empty, the space before it is removed, too.
type Sentence struct {
	// When says when a rule with several sentences uses this one. It is "" for the only
	// or the usual sentence.
	When string
	Text string
}

// worse marks the sentence for a value that was smaller before. The values of the other
// sentence before the change are its {old-name}.
const worse = "worse than before"

// fill has the values of a sentence, by the names in braces.
type fill map[string]string

// sentence fills one of the rule's sentences. old has the values before the change. A
// missing value stays visible, in braces.
func (r *Rule) sentence(when string, now, old fill) string {
	text := "{" + when + "}"
	for _, s := range r.Says {
		if s.When == when {
			text = s.Text
		}
	}
	var b strings.Builder
	b.Grow(len(text) + quotedBytes)
	for {
		before, rest, ok := strings.Cut(text, "{")
		name, behind, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			b.WriteString(text)
			break
		}
		value, known := now[name]
		if was, ok := strings.CutPrefix(name, "old-"); ok {
			value, known = old[was]
		}
		switch {
		case !known:
			value = "{" + name + "}"
		case value == "":
			before = strings.TrimSuffix(before, " ")
		}
		b.WriteString(before)
		b.WriteString(value)
		text = behind
	}
	out := b.String()
	if out != "" && 'a' <= out[0] && out[0] <= 'z' {
		out = strings.ToUpper(out[:1]) + out[1:]
	}
	return out
}

// with adds the values that every measuring rule has.
func (f fill) with(value, limit int) fill {
	out := fill{"value": strconv.Itoa(value), "limit": strconv.Itoa(limit)}
	maps.Copy(out, f)
	return out
}
