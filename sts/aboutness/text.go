package aboutness

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"crscore/sts"
	"crscore/sts/internal/limits"
)

// Text is a comment as names and words.
type Text struct {
	// Plain is what is left of the comment for the encoder: without links, blocks of code, long
	// lists of names, and sentences of nothing but names.
	Plain string
	// Sentences are the parts of Plain, for the encoder.
	Sentences []string
	// Words is the number of words of Plain.
	Words int
	// Risk reports that the comment names a risk, such as a race, an injection or an exception.
	Risk bool
	// Concrete reports that it names a risk, or a concern such as a leak, or has a block of code.
	Concrete bool
	// Proposes reports that it has a suggestion of code outside <details>, where bots have theirs.
	Proposes bool

	stems []stem
	names []name
}

// stem is a stem of a comment. A name beats a word.
type stem struct {
	stem    string
	name    bool
	foreign bool // only in names that need not be in the hunk
}

// name is a name as the comment writes it.
type name struct {
	text    string
	stems   []string
	foreign bool
}

// mostStems bounds the stems of a token.
const mostStems = 64

// expressions are the regular expressions that read texts.
type expressions struct {
	links, fences, spans, token, hump, ends, exception, head, details, suggestion *regexp.Regexp
}

// expr compiles the expressions when they are first used: a start of the command does not pay.
var expr = sync.OnceValue(func() *expressions {
	return &expressions{
		// links and fences say nothing about which hunk is meant.
		links:  regexp.MustCompile(`(?:https?|ftp)://[^\s<>()]+`),
		fences: regexp.MustCompile("(?ms)^[ \t>]*(?:```.*?(?:^[ \t>]*```|\\z)|~~~.*?(?:^[ \t>]*~~~|\\z))"),
		spans:  regexp.MustCompile("``[^\n]+?``|`[^`\n]+`|[\"“][^\"“”\n]{1,60}[\"”]"),
		// token is an identifier, or several with dots, :: or -> between them, with what opens a call.
		token: regexp.MustCompile(`[\pL_$@][\pL\pN_$]*(?:(?:\.|::|->|#)[\pL_$][\pL\pN_$]*)*\(?`),
		hump:  regexp.MustCompile(`\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}`),
		ends:  regexp.MustCompile(`[.!?](?:\s|$)|\n`),
		// exception is the end of the name of an error, and head the first part of a path of names.
		exception: regexp.MustCompile(`(?:Exception|Error|Err|Warning|Fault|Interrupt)s?$`),
		head:      regexp.MustCompile(`^[\pL_$@][\pL\pN_$]*`),
		// details are foldings, and suggestion the start of a block of suggestion.
		details:    regexp.MustCompile(`(?is)<details\b.*?</details\s*>`),
		suggestion: regexp.MustCompile("(?m)^[ \t>]*(?:```|~~~)[`~]*[ \t]*suggestion\\b"),
	}
})

// abbreviations lose the dot that would end a sentence.
var abbreviations = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("e.g.", "e.g", "E.g.", "e.g", "i.e.", "i.e", "I.e.", "i.e", " vs.", " vs", " etc.", " etc", " cf.", " cf")
})

// longSpan is the greatest number of identifiers of a span that is a name; longer spans are pasted
// code. quoted is that of words in quotation marks.
const longSpan, quoted = 6, 4

// Text reads a comment. The cost is linear in its text, of which no more than a limit is read.
func (m *Model) Text(comment string) *Text {
	if len(comment) > limits.CommentWhole {
		comment = strings.ToValidUTF8(comment[:limits.CommentWhole], "")
	}
	whole := comment
	comment = sts.Written(comment)
	if len(comment) > limits.CommentBytes {
		comment = strings.ToValidUTF8(comment[:limits.CommentBytes], "")
	}
	r := &reader{m: m, at: make(map[string]int), t: &Text{}}
	if strings.Contains(comment, "```") || strings.Contains(comment, "~~~") {
		left := expr().fences.ReplaceAllString(comment, "\n")
		r.t.Concrete, comment = left != comment, left
	}
	if strings.Contains(comment, "://") {
		comment = expr().links.ReplaceAllString(comment, " ")
	}
	comment = abbreviations().Replace(comment)
	for _, s := range sentences(comment) {
		if kept := r.sentence(s); kept != "" {
			r.t.Sentences = append(r.t.Sentences, kept)
		}
	}
	r.t.Plain = strings.Join(r.t.Sentences, " ")
	for stem := range strings.FieldsSeq(m.words(r.t.Plain)) {
		r.t.Risk = r.t.Risk || m.risks[stem]
		r.t.Concrete = r.t.Concrete || m.risks[stem] || m.concerns[stem]
	}
	for _, n := range r.t.names {
		r.t.Risk = r.t.Risk || expr().exception.MatchString(n.text)
	}
	if strings.Contains(whole, "suggestion") {
		r.t.Proposes = expr().suggestion.MatchString(expr().details.ReplaceAllString(whole, ""))
	}
	r.t.Words = len(strings.Fields(r.t.Plain))
	return r.t
}

// sentences cuts at the ends of sentences and lines that stand in no span.
func sentences(text string) (out []string) {
	within := expr().spans.FindAllStringIndex(text, -1)
	from := 0
	for _, end := range expr().ends.FindAllStringIndex(text, -1) {
		for len(within) > 0 && within[0][1] <= end[0] {
			within = within[1:]
		}
		if len(within) > 0 && within[0][0] < end[0] {
			continue
		}
		out = append(out, text[from:end[1]])
		from = end[1]
	}
	return append(out, text[from:])
}

type reader struct {
	m  *Model
	t  *Text
	at map[string]int // index of a stem in t.stems
}

// part is a token of a sentence.
type part struct {
	text    string
	name    bool
	foreign bool
}

// sentence adds the names and words of a sentence, and returns its text. A sentence without any
// word of its own beside names adds nothing: it is a list, or a pointer such as "See `x`."
func (r *reader) sentence(text string) string {
	parts, text := r.parts(text)
	words, names, foreign := 0, 0, false
	for _, p := range parts {
		if p.name {
			names++
			foreign = foreign || p.foreign
			continue
		}
		for _, s := range r.m.stemsOf(p.text) {
			if len(p.text) > 2 && !r.m.stop[s] && !pointers[s] {
				words++
			}
		}
	}
	if words == 0 && names > 1 && !foreign {
		return ""
	}
	for _, p := range parts {
		stems := r.m.stemsOf(p.text)
		if p.name {
			stems = slices.DeleteFunc(stems, func(s string) bool { return r.m.stop[s] && len(stems) > 1 })
			if len(stems) > 0 { // else it is an operator
				r.t.names = append(r.t.names, name{strings.Trim(p.text, "`\"“”("), stems, p.foreign})
			}
		}
		for _, s := range stems {
			if !p.name && (len(p.text) < 3 || r.m.stop[s]) {
				continue
			}
			i, known := r.at[s]
			if !known {
				i = len(r.t.stems)
				r.at[s] = i
				r.t.stems = append(r.t.stems, stem{stem: s, foreign: true})
			}
			w := &r.t.stems[i]
			if p.name {
				w.name, w.foreign = true, w.foreign && p.foreign
			}
		}
	}
	return strings.TrimSpace(text)
}

// parts are the tokens of a sentence, and its text without long spans.
func (r *reader) parts(text string) (out []part, left string) {
	var kept strings.Builder
	from := 0
	plain := func(s string) {
		kept.WriteString(s)
		for _, t := range expr().token.FindAllString(s, -1) {
			out = append(out, part{text: t, name: isName(t)})
		}
	}
	for _, at := range expr().spans.FindAllStringIndex(text, -1) {
		plain(text[from:at[0]])
		from = at[1]
		span := text[at[0]:at[1]]
		tokens := expr().token.FindAllString(span, -1)
		switch {
		case span[0] != '`' && len(strings.Fields(span)) > quoted:
			plain(span)
		case len(tokens) <= longSpan:
			kept.WriteString(span)
			out = append(out, part{text: span, name: true})
		}
	}
	plain(text[from:])
	markForeign(out, strings.Contains(text, "?"))
	return out, kept.String()
}

// isName reports whether a token outside of code marks is an identifier: a call, a path of names,
// or a word with an underscore or a capital within it. An abbreviation such as SQL is a word.
func isName(t string) bool {
	return strings.HasSuffix(t, "(") || strings.ContainsAny(t, "._:>$@#") || expr().hump.MatchString(t)
}

// stemsOf are the different stems of a token, up to a bound.
func (m *Model) stemsOf(text string) (out []string) {
	for s := range strings.FieldsSeq(m.words(text)) {
		if isStem(s) && !slices.Contains(out, s) {
			if out = append(out, s); len(out) == mostStems {
				break
			}
		}
	}
	return out
}
