package comments

import (
	"bytes"
	"encoding/json"
	"strings"
)

// The line before a comment in plain text that holds its note: Markdown does not
// show it.
const (
	headerStart = "<!-- " + noteName + " "
	headerEnd   = " -->"
)

// isHeader tells a note from before from a text that looks like one and shows
// something: within a note no character could end what is not shown.
func isHeader(line []byte) bool {
	note, ok := bytes.CutPrefix(bytes.TrimRight(line, " \t\r\n"), []byte(headerStart))
	note, ends := bytes.CutSuffix(note, []byte(headerEnd))
	return ok && ends && !bytes.ContainsAny(note, "<>") && json.Valid(note)
}

// readText reads one comment.
func (f *File) readText() error {
	f.text = withoutControls(f.text) // now, for what is judged is what is written
	l := list{bare: true}
	if err := f.addParagraph(&l, span{0, len(f.text)}); err != nil {
		return err
	}
	f.lists = append(f.lists, l)
	return nil
}

// readParagraphs reads a comment a paragraph: what blank lines part, but for those
// in fenced code.
func (f *File) readParagraphs() error {
	f.text = withoutControls(f.text)
	l := list{bare: true}
	pos, start := 0, 0
	blank, fence := false, ""
	for line := range bytes.Lines(f.text) {
		words := strings.TrimSpace(string(line))
		if blank && words != "" {
			if err := f.addParagraph(&l, span{start, pos}); err != nil {
				return err
			}
			start = pos
		}
		blank = words == "" && fence == ""
		switch mark := fenceOf(words); {
		case fence == "":
			fence = mark
		case mark != "" && mark[0] == fence[0] && len(mark) >= len(fence) && len(mark) == len(words):
			fence = ""
		}
		pos += len(line)
	}
	if err := f.addParagraph(&l, span{start, pos}); err != nil {
		return err
	}
	f.lists = append(f.lists, l)
	return nil
}

// fenceOf is the row of backticks or tildes that a line of fenced code begins with.
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// addParagraph takes a comment over, without the note that it has from before.
func (f *File) addParagraph(l *list, at span) error {
	body := at
	for body.from < at.to && isSpace(f.text[body.from]) {
		body.from++
	}
	header := span{body.from, body.from}
	for rest := f.text[body.from:at.to]; bytes.HasPrefix(rest, []byte(headerStart)); rest = f.text[body.from:at.to] {
		end := bytes.IndexByte(rest, '\n') + 1
		if end == 0 {
			end = len(rest)
		}
		if !isHeader(rest[:end]) {
			break
		}
		body.from += end
		header.to = body.from
	}
	body = trimmed(f.text, body)
	if body.from == body.to {
		return nil
	}
	n, err := f.add(Comment{Body: string(f.text[body.from:body.to])}, slot{object: header, header: true})
	if err != nil {
		return err
	}
	l.items = append(l.items, item{at, n})
	return nil
}
