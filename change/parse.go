package change

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"crscore/internal/lang"
	regexp "crscore/internal/lazyregexp"
)

// DefaultMaxBytes is the default size limit of a diff. It is a hundred times the largest
// change that people review.
const DefaultMaxBytes = 32 << 20

// Errors that callers can test for. Every other error of Parse is about a malformed diff
// and names the line.
var (
	// ErrEmpty is the error for a diff that is empty or white space.
	ErrEmpty = errors.New("the diff is empty")
	// ErrNotDiff is the error for a text without a unified diff.
	ErrNotDiff = errors.New("not a unified diff: no \"diff --git\", \"---\"/\"+++\" or \"@@\" line found")
	// ErrTooLarge is the error, wrapped with the limit, for a diff that is too large.
	ErrTooLarge = errors.New("the diff is too large")
	// ErrCounts is the error, wrapped with the place, for a hunk whose header has other numbers
	// of lines than the hunk. Options.Recount reads it.
	ErrCounts = errors.New("malformed diff")
)

// Options have the data beside a diff.
type Options struct {
	// Path names the file of bare @@ hunks. Parse ignores it if the diff has headers.
	Path string
	// Lang is the language of files whose path does not show it. In a change of one file
	// it overrides the path.
	Lang lang.Name
	// Old and New are the whole texts of a change of one file, nil if they are not known.
	// One is enough, since the hunks give the other. Parse leaves out, with a warning, a
	// text that does not fit the hunks, and both texts for a change of several files.
	Old, New *string
	// Texts, if set, returns the whole text of a side of a file. Parse calls it for each
	// file that is not binary. It must not keep or change the file.
	Texts func(f *File, side Side) (text string, ok bool)
	// MaxBytes is the size limit of the diff; 0 means DefaultMaxBytes.
	MaxBytes int64
	// Recount takes the lines of a hunk as they stand where its header has other numbers, as
	// git apply --recount does, with a warning. Without it such a hunk is an error.
	Recount bool
}

// Parse reads a unified diff as git, GitHub and diff -u write it, or bare @@ hunks of one
// file as in the CodeReviewer data. The diff may have the texts around it that git log,
// git show and git format-patch write. Each patch of a series is read by itself, so that a
// path can occur in several Files. Line ends become line feeds. Bytes that are not UTF-8
// and NULs become U+FFFD, and colours are removed, each with a warning.
//
// Every line of the diff belongs to a file or to a message around files, or is named as
// unread in a warning. If the header, the binary patch or a hunk of a file cannot be read,
// Parse leaves the file out with a warning that names it and the line, and counts it in
// LeftOut, unless it is the only file. The errors are ErrEmpty, ErrNotDiff, ErrTooLarge,
// ErrCounts, or a description of the malformed place with its line number.
func Parse(diff []byte, opts Options) (*Change, error) {
	if limit := opts.limit(); int64(len(diff)) > limit {
		return nil, fmt.Errorf("%w: more than the limit of %s", ErrTooLarge, mebibytes(limit))
	}
	if bytes.HasPrefix(diff, []byte{0xff, 0xfe}) || bytes.HasPrefix(diff, []byte{0xfe, 0xff}) {
		return nil, errors.New("the diff is UTF-16 (written by a PowerShell redirection?); convert it to UTF-8 first")
	}
	c := &Change{}
	text := strings.TrimPrefix(string(diff), "\ufeff")
	if !strings.Contains(text, "\n") {
		text = strings.ReplaceAll(text, "\r", "\n") // as on old Macs
	}
	text, coloured := withoutColours(text)
	if coloured {
		c.Warnings = append(c.Warnings, "the diff is coloured; the colours were removed, also in the text of the files (git diff --color=never writes none)")
	}
	text, bad := clean(text)
	if bad > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("the diff has %d bytes that are not UTF-8 text; they were replaced", bad))
	}
	if strings.TrimSpace(text) == "" {
		return nil, ErrEmpty
	}
	d, err := readDiff(&reader{rest: text, line: 1, path: opts.Path, coloured: coloured, recount: opts.Recount})
	if err != nil {
		return nil, err
	}
	c.Warnings = append(c.Warnings, d.warnings...)
	if opts.Old != nil || opts.New != nil {
		if n := len(d.files) + d.skipped; n > 1 {
			c.Warnings = append(c.Warnings, fmt.Sprintf("a whole text is given for a diff of %d files; only the hunks are used", n))
		} else {
			opts.Texts = opts.only
		}
	}
	c.Files, c.LeftOut = d.files, d.skipped
	for i := range c.Files {
		f := &c.Files[i]
		f.Lang = lang.FromPath(f.Path())
		if opts.Lang != lang.Unknown && (f.Lang == lang.Unknown || len(d.files)+d.skipped == 1) {
			f.Lang = opts.Lang
		}
		if w := f.fillWhole(opts.Texts); w != "" {
			c.Warnings = append(c.Warnings, w)
		}
	}
	return c, nil
}

// lineEnds are those of Windows, also after a program that made two of one.
var lineEnds = regexp.MustCompile(`\r+\n`)

// only implements Texts for the change of one file.
func (o Options) only(_ *File, side Side) (string, bool) {
	p := o.Old
	if side == New {
		p = o.New
	}
	if p == nil {
		return "", false
	}
	return *p, true
}

func (o Options) limit() int64 {
	if o.MaxBytes > 0 {
		return o.MaxBytes
	}
	return DefaultMaxBytes
}

func mebibytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

// clean normalises line ends and replaces bytes that are not text. It returns the number
// of replaced bytes.
func clean(s string) (string, int) {
	s = lineEnds.ReplaceAllLiteralString(s, "\n")
	bad := strings.Count(s, "\x00")
	if bad > 0 {
		s = strings.ReplaceAll(s, "\x00", "\ufffd")
	}
	if !utf8.ValidString(s) {
		var b strings.Builder
		b.Grow(len(s))
		for i := 0; i < len(s); {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				bad++
				b.WriteRune(utf8.RuneError)
			} else {
				b.WriteString(s[i : i+size])
			}
			i += size
		}
		s = b.String()
	}
	return s, bad
}
