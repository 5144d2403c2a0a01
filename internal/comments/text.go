package comments

import (
	"bytes"
	"encoding/json"
	"strings"
)

// The line with the note before a comment in plain text. Markdown does not show it.
const (
	headerStart = "<!-- " + noteName + " "
	headerEnd   = " -->"
)

// isHeader reports whether a line is an earlier note. A note has no character that could end
// the HTML comment, so a line that shows any text is none.
func isHeader(line []byte) bool {
	note, ok := bytes.CutPrefix(bytes.TrimRight(line, " \t\r\n"), []byte(headerStart))
	note, ends := bytes.CutSuffix(note, []byte(headerEnd))
	return ok && ends && !bytes.ContainsAny(note, "<>") && json.Valid(note)
}

// readText reads one comment.
func (f *File) readText() error {
	f.text = harmless(f.text) // now, so that the text judged is the text written
	l := list{bare: true}
	if err := f.addParagraph(&l, span{0, len(f.text)}); err != nil {
		return err
	}
	f.lists = append(f.lists, l)
	return nil
}

// readParagraphs reads one comment a paragraph. Blank lines separate paragraphs, except in
// fenced code.
func (f *File) readParagraphs() error {
	f.text = harmless(f.text)
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

// fenceOf is the run of backticks or tildes that opens fenced code on a line.
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// addParagraph adds a comment without its earlier note.
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
	f.entries++
	n, err := f.add(Comment{Body: string(f.text[body.from:body.to])}, slot{object: header, header: true})
	if err != nil {
		return err
	}
	l.items = append(l.items, item{at, n})
	return nil
}
