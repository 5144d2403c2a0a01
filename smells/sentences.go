package smells

import (
	"maps"
	"strconv"
	"strings"
)

// Sentence is what a rule says. A {name} in it stands for something of the code;
// where there is nothing to put in, the space before it goes too.
type Sentence struct {
	// When tells of one of several sentences when it is said; "" is for the only one,
	// or for what holds mostly.
	When string
	Text string
}

// worse is when a rule that measures says that a value was smaller before. What
// was put into the other sentence then, this one can have as {old-name}.
const worse = "worse than before"

// fill is what a sentence is filled with, by the names in braces.
type fill map[string]string

// sentence fills one of the rule's sentences; old is what would have been put in
// before. What is missing stays visible, in braces.
func (r *Rule) sentence(when string, now, old fill) string {
	text := "{" + when + "}"
	for _, s := range r.Says {
		if s.When == when {
			text = s.Text
		}
	}
	var b strings.Builder
	b.Grow(len(text) + maxQuoted)
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

// with adds what every rule that measures can say.
func (f fill) with(value, limit int) fill {
	out := fill{"value": strconv.Itoa(value), "limit": strconv.Itoa(limit)}
	maps.Copy(out, f)
	return out
}
