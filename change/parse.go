package change

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"crscore/internal/lang"
)

// DefaultMaxBytes is the size limit for a diff where Options names no other.
// It is a hundred times the largest change that people review.
const DefaultMaxBytes = 32 << 20

// MaxPath is the length in bytes above which no file of a change can be named: no
// system has such a path, and all that is said of a file repeats it.
const MaxPath = 4096

// Errors that callers tell apart. Every other error of Parse is a malformed
// diff and names the line.
var (
	// ErrEmpty is returned for a diff without any text but white space.
	ErrEmpty = errors.New("the diff is empty")
	// ErrNotDiff is returned for text that holds no unified diff.
	ErrNotDiff = errors.New("not a unified diff: no \"diff --git\", \"---\"/\"+++\" or \"@@\" line found")
	// ErrTooLarge is returned, wrapped with the limit, for oversized diffs.
	ErrTooLarge = errors.New("the diff is too large")
)

// Options say what stands beside a diff.
type Options struct {
	// Path names the file of bare @@ hunks. Ignored when the diff has headers.
	Path string
	// Lang is the language where paths do not tell it; for a change of a
	// single file it wins over the path.
	Lang lang.Name
	// Old and New are the whole texts of a change of one file, nil where they
	// are not given. One is enough, for the hunks give the other. A text that
	// does not fit the hunks is left out with a warning, and so are both for a
	// change of several files.
	Old, New *string
	// Texts, if set, is asked for the whole text of either side of each file
	// that is not binary, with the same rules. The file must not be kept or
	// changed.
	Texts func(f *File, side Side) (text string, ok bool)
	// MaxBytes limits the size of the diff; 0 means DefaultMaxBytes.
	MaxBytes int64
}

// Parse reads a unified diff as git, GitHub and diff -u write it, of any number
// of files, or bare @@ hunks of one file as in the CodeReviewer data. Line
// endings are normalised to line feeds; bytes that are not UTF-8 and NULs
// become U+FFFD, with a warning.
//
// The errors are ErrEmpty, ErrNotDiff, ErrTooLarge, or a description of the
// malformed place with its line number.
func Parse(diff []byte, opts Options) (*Change, error) {
	if limit := opts.limit(); int64(len(diff)) > limit {
		return nil, fmt.Errorf("%w: more than the limit of %s", ErrTooLarge, mebibytes(limit))
	}
	if bytes.HasPrefix(diff, []byte{0xff, 0xfe}) || bytes.HasPrefix(diff, []byte{0xfe, 0xff}) {
		return nil, errors.New("the diff is UTF-16 (written by a PowerShell redirection?); convert it to UTF-8 first")
	}
	c := &Change{}
	text, bad := clean(strings.TrimPrefix(string(diff), "\ufeff"))
	if bad > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("the diff has %d bytes that are not UTF-8 text; they were replaced", bad))
	}
	if strings.TrimSpace(text) == "" {
		return nil, ErrEmpty
	}
	headers, err := scanHeaders(text)
	if err != nil {
		return nil, err
	}

	added := 0 // lines put before the text, to be taken off in errors
	if headers.bare {
		// The parser wants a file header. A fixed name keeps hostile paths out
		// of the text; the real one is set on the result.
		text, added = "--- a/hunk\n+++ b/hunk\n"+text[headers.firstHunk:], 2-headers.linesBefore
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	files, _, err := gitdiff.Parse(strings.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("malformed diff: %s", shiftLine(err, added))
	}
	if len(files) == 0 {
		return nil, ErrNotDiff
	}
	hunks := 0
	for _, f := range files {
		hunks += len(f.TextFragments)
	}
	if hunks != len(headers.hunkLines) {
		return nil, fmt.Errorf("malformed diff: %d of %d hunks could not be read: is a line missing around line %d?",
			len(headers.hunkLines)-hunks, len(headers.hunkLines), headers.hunkLines[min(max(hunks, 0), len(headers.hunkLines)-1)])
	}
	if opts.Old != nil || opts.New != nil {
		if len(files) > 1 {
			c.Warnings = append(c.Warnings, fmt.Sprintf("a whole text is given for a diff of %d files; only the hunks are used", len(files)))
		} else {
			opts.Texts = opts.only
		}
	}
	c.Files = make([]File, 0, len(files))
	for _, gf := range files {
		f := convert(gf)
		if !headers.git {
			// The parser leaves the a/ and b/ of a plain ---/+++ header alone,
			// and gives both sides the name of one.
			prefix := "b/"
			if f.Status == Deleted || strings.HasPrefix(gf.OldName, "a/") {
				prefix = "a/"
			}
			f.rename(strings.TrimPrefix(f.Path(), prefix))
		}
		if headers.bare {
			f.Status = Modified
			f.rename(opts.Path)
		}
		if n := max(len(f.OldPath), len(f.NewPath)); n > MaxPath {
			return nil, fmt.Errorf("the path of a file has %d bytes, more than the limit of %d", n, MaxPath)
		}
		f.Lang = lang.FromPath(f.Path())
		if opts.Lang != lang.Unknown && (f.Lang == lang.Unknown || len(files) == 1) {
			f.Lang = opts.Lang
		}
		if w := f.fillWhole(gf, opts.Texts); w != "" {
			c.Warnings = append(c.Warnings, w)
		}
		c.Files = append(c.Files, f)
	}
	return c, nil
}

// only is Texts for the change of one file.
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

// clean normalises line ends and replaces what is not text. It returns the
// number of bytes that were replaced.
func clean(s string) (string, int) {
	s = strings.ReplaceAll(s, "\r\n", "\n")
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

// headers is what one look over the lines tells before they are parsed.
type headers struct {
	hunkLines   []int // line numbers of the @@ headers, counted from 1
	bare        bool  // hunks without any file header
	git         bool  // file headers are git's
	firstHunk   int   // byte offset of the first hunk header
	linesBefore int   // lines before it
}

// scanHeaders finds hunk headers and file headers by the first bytes of lines.
// Lines of a hunk start with a sign, so an @@ there is a header. The count is
// needed because go-gitdiff skips what it does not understand between files,
// and a lost hunk must not go unnoticed.
func scanHeaders(text string) (headers, error) {
	h := headers{firstHunk: -1}
	file := false
	for n, pos := 1, 0; pos < len(text); n++ {
		end := strings.IndexByte(text[pos:], '\n')
		if end < 0 {
			end = len(text) - pos
		}
		line := text[pos : pos+end]
		switch {
		case strings.HasPrefix(line, "@@@"), strings.HasPrefix(line, "diff --cc "), strings.HasPrefix(line, "diff --combined "):
			return h, fmt.Errorf("line %d: combined diffs of merges are not supported; diff against one parent (git diff A B)", n)
		case strings.HasPrefix(line, "@@ -"):
			if h.firstHunk < 0 {
				h.firstHunk, h.linesBefore = pos, n-1
				h.bare = !file
			}
			h.hunkLines = append(h.hunkLines, n)
		case strings.HasPrefix(line, "diff --git "):
			file, h.git = true, true
		case strings.HasPrefix(line, "+++ "):
			file = true
		}
		pos += end + 1
	}
	if h.firstHunk < 0 && !file {
		return h, ErrNotDiff
	}
	return h, nil
}

var lineNumber = regexp.MustCompile(`line (\d+)`)

// shiftLine takes off the lines that were put before the user's text.
func shiftLine(err error, added int) string {
	msg := strings.TrimPrefix(err.Error(), "gitdiff: ")
	return lineNumber.ReplaceAllStringFunc(msg, func(s string) string {
		n, _ := strconv.Atoi(s[len("line "):])
		return fmt.Sprintf("line %d", max(n-added, 1))
	})
}

// convert takes over what the parser found.
func convert(gf *gitdiff.File) File {
	f := File{
		OldPath: gf.OldName, NewPath: gf.NewName,
		OldID: gf.OldOIDPrefix, NewID: gf.NewOIDPrefix,
		Status: Modified, Binary: gf.IsBinary,
	}
	if gf.OldMode != 0 {
		f.OldMode = fmt.Sprintf("%o", uint32(gf.OldMode))
	}
	if gf.NewMode != 0 {
		f.NewMode = fmt.Sprintf("%o", uint32(gf.NewMode))
	}
	switch {
	case gf.IsNew:
		f.Status, f.OldPath = Added, ""
	case gf.IsDelete:
		f.Status, f.NewPath = Deleted, ""
	case gf.IsRename:
		f.Status = Renamed
	case gf.IsCopy:
		f.Status = Copied
	}
	f.Hunks = make([]Hunk, len(gf.TextFragments))
	for i, tf := range gf.TextFragments {
		f.Hunks[i] = convertHunk(tf)
	}
	return f
}

// rename gives both sides of the file one name, where the side exists.
func (f *File) rename(name string) {
	f.OldPath, f.NewPath = name, name
	switch f.Status {
	case Added:
		f.OldPath = ""
	case Deleted:
		f.NewPath = ""
	}
}

func convertHunk(tf *gitdiff.TextFragment) Hunk {
	h := Hunk{
		OldStart: int(tf.OldPosition), OldLines: int(tf.OldLines),
		NewStart: int(tf.NewPosition), NewLines: int(tf.NewLines),
		Section: strings.TrimSpace(tf.Comment),
		Lines:   make([]Line, len(tf.Lines)),
	}
	o, n := h.OldStart, h.NewStart
	for i, gl := range tf.Lines {
		l := &h.Lines[i]
		l.Text = strings.TrimSuffix(gl.Line, "\n")
		l.NoEOL = gl.NoEOL()
		switch gl.Op {
		case gitdiff.OpContext:
			l.Op, l.OldLine, l.NewLine = Context, o, n
			o, n = o+1, n+1
		case gitdiff.OpDelete:
			l.Op, l.OldLine = Delete, o
			o++
		case gitdiff.OpAdd:
			l.Op, l.NewLine = Add, n
			n++
		}
	}
	return h
}
