package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/text/transform"

	"crscore"
	"crscore/change"
	"crscore/internal/git"
	"crscore/internal/lang"
	"crscore/internal/run"
	"crscore/smells"
)

// changeFlags choose the change under review.
type changeFlags struct {
	diff, rng, path, lang, old, new string
	recount                         bool
}

func (f *changeFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.diff, "diff", "", "unified diff: a `FILE`, or - for standard input")
	fl.StringVar(&f.rng, "range", "", "ask git for the diff of `A..B` (default: of the work tree against HEAD)")
	fl.StringVar(&f.path, "path", "", "`PATH` of the file that bare @@ hunks belong to, or a diff without names")
	fl.BoolVar(&f.recount, "recount", false, "take the lines of a hunk as they stand where its header has other numbers")
	fl.StringVar(&f.lang, "lang", "", "`LANGUAGE` of a change whose paths do not tell it: python, java, js, ...")
	fl.StringVar(&f.old, "old", "", "`FILE` with the whole old text, for a diff of one file: better claims")
	fl.StringVar(&f.new, "new", "", "`FILE` with the whole new text, for a diff of one file: better claims")
	cmd.MarkFlagsMutuallyExclusive("diff", "range")
}

// names are the flags of add, for the commands that exclude them.
func (changeFlags) names() []string {
	return []string{"diff", "range", "path", "lang", "old", "new", "recount"}
}

// check refuses wrong flags before git is asked.
func (f *changeFlags) check(cmd *cobra.Command) error {
	if err := notEmpty(cmd, "diff", "range", "path", "lang", "old", "new"); err != nil {
		return err
	}
	if f.diff == "" && (f.old != "" || f.new != "") {
		return errors.New("--old and --new need --diff: for a range, git has the texts")
	}
	return nil
}

// read returns the change.
func (f *changeFlags) read(cmd *cobra.Command, stdin *interruptible) (crscore.Input, error) {
	if err := f.check(cmd); err != nil {
		return crscore.Input{}, err
	}
	opts := change.Options{Path: f.path, Recount: f.recount}
	if f.lang != "" {
		l, ok := lang.Lookup(f.lang)
		if !ok {
			return crscore.Input{}, fmt.Errorf("--lang: unknown language %q: choose one of %s", f.lang, joinNames(lang.Names()))
		}
		opts.Lang = l
	}
	if f.diff == "" {
		c, err := git.Change(cmd.Context(), f.rng, opts)
		before, after := git.Trees(f.rng)
		return crscore.Input{Change: c, Project: &smells.Project{Old: before, New: after}}, err
	}
	if err := oneStdin(f.diff, f.old, f.new); err != nil {
		return crscore.Input{}, err
	}
	for _, whole := range []struct {
		name string
		dst  **string
	}{{f.old, &opts.Old}, {f.new, &opts.New}} {
		if whole.name == "" {
			continue
		}
		b, err := readInput(whole.name, stdin, change.DefaultMaxBytes)
		if err != nil {
			return crscore.Input{}, err
		}
		text := string(b)
		*whole.dst = &text
	}
	b, err := readInput(f.diff, stdin, change.DefaultMaxBytes)
	if err != nil {
		return crscore.Input{}, err
	}
	c, err := change.Parse(b, opts)
	switch {
	case errors.Is(err, change.ErrCounts):
		return crscore.Input{}, fmt.Errorf("%s: %w (--recount takes the lines as they stand)", showInput(f.diff), err)
	case err != nil:
		return crscore.Input{}, fmt.Errorf("%s: %w", showInput(f.diff), err)
	}
	return crscore.Input{Change: c}, nil
}

// allRead returns an error if files of the change could not be read: the result is about the
// others. The warnings name them.
func allRead(leftOut int) error {
	if leftOut == 0 {
		return nil
	}
	return incomplete{fmt.Errorf("incomplete: files of the change that could not be read: %d", leftOut)}
}

func joinNames(names []lang.Name) string {
	s := make([]string, len(names))
	for i, n := range names {
		s[i] = string(n)
	}
	return strings.Join(s, ", ")
}

func showInput(name string) string { return run.Shown(name) }

// openInput opens a file, or standard input for "-"; closing it leaves standard input open.
// Texts in UTF-16 with a mark, as PowerShell's > writes them, are read as UTF-8.
func openInput(name string, stdin *interruptible) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(&wide{in: stdin}), nil
	}
	in, err := openFile(stdin.ctx, name)
	if err != nil {
		return nil, err
	}
	if f, ok := in.(*os.File); ok {
		head := make([]byte, 2)
		if n, _ := f.ReadAt(head, 0); !isWide(head[:n]) {
			return f, nil
		}
	}
	return struct {
		io.Reader
		io.Closer
	}{&wide{in: in}, in}, nil
}

// wide reads a text that may be UTF-16 with a mark.
type wide struct{ in, text io.Reader }

// Read reads the text as UTF-8, or as it is if it has no mark of UTF-16.
func (w *wide) Read(p []byte) (int, error) {
	if w.text == nil { // on the first call, which may wait
		b := bufio.NewReader(w.in)
		w.text = b
		if head, _ := b.Peek(2); isWide(head) {
			low := bytes.IndexByte(head, 0xff) // the mark is 0xfeff
			_, _ = b.Discard(2)
			w.text = transform.NewReader(b, wideDecoder{low: low})
		}
	}
	return w.text.Read(p)
}

// wideDecoder decodes UTF-16. Of half a pair, and of a byte too much at the end, it makes a byte
// that is not UTF-8: a reader then treats it as all broken text.
type wideDecoder struct {
	transform.NopResetter
	low int // where in a unit its low byte is
}

func (d wideDecoder) unit(b []byte) rune { return rune(b[d.low]) | rune(b[1-d.low])<<8 }

// Transform decodes whole code points.
func (d wideDecoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		rest := src[nSrc:]
		r, size := rune(-1), 1
		if len(rest) > 1 {
			r, size = d.unit(rest), 2
		}
		if pair := utf16.IsSurrogate(r); pair && len(rest) > 3 {
			if r = utf16.DecodeRune(r, d.unit(rest[2:])); r != utf8.RuneError {
				size = 4
			} else {
				r = -1
			}
		} else if !atEOF && (pair || size == 1) {
			return nDst, nSrc, transform.ErrShortSrc
		}
		switch {
		case nDst+utf8.UTFMax > len(dst):
			return nDst, nSrc, transform.ErrShortDst
		case utf8.ValidRune(r):
			nDst += utf8.EncodeRune(dst[nDst:], r)
		default:
			dst[nDst] = 0xff
			nDst++
		}
		nSrc += size
	}
	return nDst, nSrc, nil
}

func isWide(head []byte) bool { return string(head) == "\xff\xfe" || string(head) == "\xfe\xff" }

// readInput reads a file, or standard input for "-", up to a limit.
func readInput(name string, stdin *interruptible, limit int64) ([]byte, error) {
	r, err := openInput(name, stdin)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", showInput(name), err)
	}
	if int64(len(b)) > limit {
		return nil, fmt.Errorf("%s is larger than the limit of %d MiB", showInput(name), limit>>20)
	}
	return b, nil
}

// reviewText is a review from the command line, with its name in the output.
type reviewText struct{ name, text string }

// readReviews reads the values of --review: a text, @FILE, or - for standard
// input.
func readReviews(values []string, stdin *interruptible, stdinTaken bool) ([]reviewText, error) {
	var out []reviewText
	used := map[string]int{}
	for i, v := range values {
		r := reviewText{name: fmt.Sprint(i + 1), text: v}
		file, isFile := strings.CutPrefix(v, "@")
		if v == "-" {
			if stdinTaken {
				return nil, errors.New("only one flag can read standard input")
			}
			file, isFile, stdinTaken = "-", true, true
		}
		if st, err := os.Stat(v); !isFile && err == nil && !st.IsDir() {
			return nil, fmt.Errorf("--review %s is the text itself, and there is a file of that name: give --review @%[1]s for the file, or the text through --review - or in another file", v)
		}
		if isFile {
			b, err := readInput(file, stdin, crscore.MaxReviewBytes)
			if err != nil {
				return nil, fmt.Errorf("--review: %w", err)
			}
			r.text = string(bytes.TrimPrefix(b, []byte("\ufeff")))
			if file != "-" {
				r.name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
			}
		}
		used[r.name]++
		if n := used[r.name]; n > 1 {
			r.name = fmt.Sprintf("%s (%d)", r.name, n)
		}
		out = append(out, r)
	}
	return out, nil
}
