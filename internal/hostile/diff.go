package hostile

import (
	"fmt"
	"strings"
)

// maxCells bounds the table for the alignment of lines. Larger texts are replaced whole.
const maxCells = 1 << 20

// op is a line of a diff: ' ', '-' or '+' with the text.
type op struct {
	sign byte
	line string
}

// lines cuts a text after each newline.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	l := strings.SplitAfter(text, "\n")
	if l[len(l)-1] == "" {
		l = l[:len(l)-1]
	}
	return l
}

// ops aligns two texts by the longest common subsequence of their lines.
func ops(a, b []string) []op {
	var out []op
	add := func(sign byte, lines ...string) {
		for _, l := range lines {
			out = append(out, op{sign, l})
		}
	}
	var tail []string
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		add(' ', a[0])
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		tail = a[len(a)-1:][:len(tail)+1]
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a)*len(b) > maxCells {
		add('-', a...)
		add('+', b...)
		a, b = nil, nil
	}
	w := len(b) + 1
	common := make([]int32, (len(a)+1)*w) // of a[i:] and b[j:]
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i*w+j] = common[(i+1)*w+j+1] + 1
			} else {
				common[i*w+j] = max(common[(i+1)*w+j], common[i*w+j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			add(' ', a[i])
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common[(i+1)*w+j] >= common[i*w+j+1]):
			add('-', a[i])
			i++
		default:
			add('+', b[j])
			j++
		}
	}
	add(' ', tail...)
	return out
}

// hunks is the unified diff of a file without a header.
func (f diffForm) hunks(x file) string {
	return f.write(ops(lines(x.old), lines(x.new)))
}

// write writes hunks with the lines of context of the form.
func (f diffForm) write(all []op) string {
	var out []string
	heading := ""
	oldLine, newLine, done := 1, 1, 0 // done is the first op that no hunk holds
	for i := 0; i < len(all); i++ {
		if all[i].sign == ' ' {
			continue
		}
		from := max(done, i-f.context)
		to, quiet := i, 0
		for k := i; k < len(all) && quiet <= 2*f.context; k++ {
			if quiet++; all[k].sign != ' ' {
				to, quiet = k, 0
			}
		}
		to = min(len(all), to+1+f.context)
		for _, o := range all[done:from] {
			oldLine, newLine = oldLine+1, newLine+1
			if l := strings.TrimSpace(o.line); f.heading && l != "" && !strings.ContainsAny(o.line[:1], " \t})/#*") {
				heading = " " + l
			}
		}
		var body strings.Builder
		olds, news := 0, 0
		for _, o := range all[from:to] {
			body.WriteByte(o.sign)
			body.WriteString(o.line)
			if !strings.HasSuffix(o.line, "\n") {
				body.WriteString("\n\\ No newline at end of file\n")
			}
			if o.sign != '+' {
				olds++
			}
			if o.sign != '-' {
				news++
			}
		}
		out = append(out, fmt.Sprintf("@@ -%d,%d +%d,%d @@%s\n%s", start(oldLine, olds), olds, start(newLine, news), news, heading, &body))
		oldLine, newLine, done = oldLine+olds, newLine+news, to
		i = to - 1
	}
	if f.oneHunkOnly >= 0 && len(out) > 0 {
		return out[f.oneHunkOnly%len(out)]
	}
	return strings.Join(out, "")
}

// start is the line number in a hunk's header: for an empty side, the line before.
func start(line, count int) int {
	if count == 0 {
		return line - 1
	}
	return line
}
