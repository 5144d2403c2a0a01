package change

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// gitHeader reads a "diff --git" line and the lines up to the hunks, also what stands instead
// of the hunks of a binary file. It reads to the end of the header, damaged or not, and returns
// the first damage.
func (r *reader) gitHeader() (File, error) {
	h := header{both: r.peek()[len("diff --git "):], file: File{Status: Modified}}
	at := r.line
	var damage error
	fields := 0
	for r.next(); r.more(); r.next() {
		known, err := h.read(r.peek())
		if !known {
			break
		}
		fields++
		if err != nil && damage == nil {
			damage = malformed(r.line, "%v", err)
		}
	}
	if err := h.name(); err != nil && damage == nil {
		damage = malformed(at, "%v", err)
	}
	if damage == nil {
		if damage = r.binary(&h.file); damage != nil {
			r.skipDamage()
		}
	}
	f := &h.file
	// git has hunks for other contents, unless the file is empty, is deleted without them (-D), or
	// stands for its mode or its name.
	cut := f.OldID != f.NewID && (f.Status == Modified && f.NewMode == "" || f.Status == Added && !emptyBlob(f.NewID))
	lost := cut || h.old+h.new != "" ||
		fields == 0 && r.more() && !r.atBlank() && !r.at("diff ") && !r.atMail() && !logStart.MatchString(r.peek())
	if damage == nil && lost && !h.file.Binary && !r.at("@@ -") {
		damage = noHunks(r.line, r.peek())
	}
	return h.file, damage
}

// noHunks is the error for a header without hunks, before a line.
func noHunks(line int, text string) error {
	if strings.TrimSpace(text) == "" {
		return malformed(line, "the hunks of the file are missing")
	}
	return malformed(line, "%q stands where the hunks of the file belong", firstWords(text))
}

// emptyBlob reports whether an object name, cut or not, is git's for an empty file.
func emptyBlob(id string) bool {
	return strings.HasPrefix("e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", id) || // SHA-1, and SHA-256
		strings.HasPrefix("473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813", id)
}

// headerAlone reports whether a diff says nothing of a file but its name, as git does where
// only its time has changed.
func (f *File) headerAlone() bool {
	return f.Status == Modified && len(f.Hunks) == 0 && !f.Binary && f.OldMode+f.NewMode+f.OldID+f.NewID == ""
}

// header is the header of a file as git writes it.
type header struct {
	both     string // the two names on the first line
	old, new string // the names of the "---" and "+++" lines, with their prefixes
	from, to string // the names of a rename or copy, which have no prefixes
	file     File
}

// headerFields are what the lines of a header begin with.
var headerFields = [...]string{
	"index ", "--- ", "+++ ", "old mode ", "new mode ", "new file mode ", "deleted file mode ", "rename from ", "rename to ",
	"rename old ", "rename new ", "copy from ", "copy to ", "similarity index ", "dissimilarity index ",
}

// headerField splits a line of a header; the field is empty for any other line.
func headerField(line string) (field, value string) {
	for _, field := range headerFields {
		if value, ok := strings.CutPrefix(line, field); ok {
			return field, value
		}
	}
	return "", ""
}

// read takes in a line of the header, and reports whether it is such a line.
func (h *header) read(line string) (known bool, err error) {
	f := &h.file
	field, value := headerField(line)
	switch field {
	case "":
		return false, nil
	case "index ":
		ids, mode, ok := strings.Cut(value, " ")
		if ok {
			f.OldMode, err = fileMode(mode)
		}
		if f.OldID, f.NewID, ok = strings.Cut(ids, ".."); !ok {
			err = errors.New("the index line has no \"..\" between two object names")
		}
	case "--- ":
		h.old, err = diffName(value)
	case "+++ ":
		h.new, err = diffName(value)
	case "old mode ":
		f.OldMode, err = fileMode(value)
	case "new mode ":
		f.NewMode, err = fileMode(value)
	case "new file mode ":
		f.Status = Added
		f.NewMode, err = fileMode(value)
	case "deleted file mode ":
		f.Status = Deleted
		f.OldMode, err = fileMode(value)
	case "rename from ", "rename old ":
		f.Status = Renamed
		h.from, err = wholeName(value)
	case "rename to ", "rename new ":
		f.Status = Renamed
		h.to, err = wholeName(value)
	case "copy from ":
		f.Status = Copied
		h.from, err = wholeName(value)
	case "copy to ":
		f.Status = Copied
		h.to, err = wholeName(value)
	}
	return true, err
}

// name sets the paths of the file from what the header says.
func (h *header) name() error {
	f := &h.file
	switch {
	case h.old == devNull:
		f.Status = Added
	case h.new == devNull:
		f.Status = Deleted
	}
	switch {
	case h.from != "" && h.to != "":
		f.OldPath, f.NewPath = h.from, h.to
		return nil
	case f.Status == Renamed || f.Status == Copied:
		return errors.New("the header of a renamed or copied file lacks a name")
	}
	from, to := h.old, h.new
	if from == "" || to == "" || from == devNull || to == devNull {
		// The first line alone has both prefixes; it says which they are.
		a, b, err := twoNames(h.both)
		switch {
		case err == nil:
			from, to = a, b
		case f.Status == Added && to != "" && to != devNull:
			from = to
		case f.Status == Deleted && from != "" && from != devNull:
			to = from
		default:
			return err
		}
	}
	f.OldPath, f.NewPath = withoutPrefixes(from, to)
	switch f.Status {
	case Added:
		f.OldPath = ""
	case Deleted:
		f.NewPath = ""
	}
	return nil
}

// withoutPrefixes takes off what git puts before the two names of a file: a/ and
// b/, the letters of diff.mnemonicPrefix, other folders that the user chose, or
// nothing.
func withoutPrefixes(from, to string) (string, string) {
	if from == to {
		return from, to // diff.noprefix
	}
	if usualPrefix(from) && usualPrefix(to) {
		return from[2:], to[2:] // different names are those of git diff --no-index
	}
	n := 0
	for n < len(from) && n < len(to) && from[len(from)-1-n] == to[len(to)-1-n] {
		n++
	}
	path := from[len(from)-n:]
	if a, b := from[:len(from)-n], to[:len(to)-n]; a != "" && b != "" || !strings.HasSuffix(a+b, "/") {
		_, path, _ = strings.Cut(path, "/") // the prefixes end alike
	}
	if path == "" {
		return from, to
	}
	return path, path
}

func usualPrefix(name string) bool {
	return len(name) > 2 && name[1] == '/' && strings.IndexByte("abciow12", name[0]) >= 0
}

// twoNames splits the names of a "diff --git" line. Names without quotes can
// have spaces in them, and so can be split where both are names of one file.
func twoNames(s string) (from, to string, err error) {
	if i := strings.IndexByte(s, '"'); i >= 0 {
		// A name with a quote in it is quoted itself.
		if i == 0 {
			quoted, _ := strconv.QuotedPrefix(s)
			i = len(quoted) + 1
		}
		if i > len(s) || s[i-1] != ' ' {
			return "", "", errQuoted
		}
		from, to = s[:i-1], s[i:]
		if from, err = wholeName(from); err == nil {
			to, err = wholeName(to)
		}
		return from, to, err
	}
	// Behind their prefixes both names have the same length, so that one space
	// at most can stand between them.
	slash := strings.IndexByte(s, '/')
	next := slash // the slash at or behind i
	for i := slash + 1; next >= 0 && i < len(s); i++ {
		if next < i {
			if next = strings.IndexByte(s[i:], '/'); next < 0 {
				break
			}
			next += i
		}
		if n := i - slash - 1; s[i] == ' ' && n > 0 && n == len(s)-next-1 && s[slash+1:i] == s[next+1:] {
			return s[:i], s[i+1:], nil
		}
	}
	// Otherwise the names are alike, or their prefixes no folders.
	if mid := len(s) / 2; len(s)%2 == 1 && s[mid] == ' ' {
		return s[:mid], s[mid+1:], nil
	}
	return "", "", fmt.Errorf("where the first of the two names ends in %.100q is not to be seen", s)
}

// diffName reads the name on a "---" or "+++" line, where a tab ends it.
func diffName(s string) (string, error) {
	if !strings.HasPrefix(s, `"`) {
		s, _, _ = strings.Cut(s, "\t")
	} else if quoted, err := strconv.QuotedPrefix(s); err == nil {
		s = quoted
	}
	return wholeName(s)
}

var errQuoted = errors.New("the quoted path has a bad escape or no end")

// wholeName reads a name that ends with the text.
func wholeName(s string) (string, error) {
	if strings.HasPrefix(s, `"`) {
		name, err := strconv.Unquote(s)
		if err != nil {
			return "", errQuoted
		}
		s, _ = clean(name) // escapes can stand for any byte
	}
	if s == "" {
		return "", errors.New("the name of the file is missing")
	}
	return s, nil
}

// fileMode reads an octal mode and writes it without leading zeros.
func fileMode(s string) (string, error) {
	mode, err := strconv.ParseUint(strings.TrimSpace(s), 8, 32)
	if err != nil {
		return "", fmt.Errorf("the mode %.40q is no octal number", s)
	}
	if mode == 0 {
		return "", nil
	}
	return strconv.FormatUint(mode, 8), nil
}

// binary reads what stands instead of hunks in the header of a binary file. The
// data are checked and not kept.
func (r *reader) binary(f *File) error {
	line := r.peek()
	if strings.HasSuffix(line, " differ") && (strings.HasPrefix(line, "Binary files ") || strings.HasPrefix(line, "Files ")) {
		f.Binary = true
		r.next()
		return nil
	}
	if line != "GIT binary patch" {
		return nil
	}
	f.Binary = true
	r.next()
	for n := 0; ; n++ {
		method, size, _ := strings.Cut(r.peek(), " ")
		if method != "literal" && method != "delta" {
			if n == 0 {
				return malformed(r.line, "the binary patch has no data")
			}
			return nil
		}
		if _, err := strconv.ParseUint(size, 10, 63); err != nil {
			return malformed(r.line, "the binary patch has the size %.40q", size)
		}
		for r.next(); r.peek() != ""; r.next() {
			if !base85Line(r.peek()) {
				return malformed(r.line, "the binary patch has a damaged line")
			}
		}
		if !r.more() {
			return malformed(r.line, "the binary patch is cut short")
		}
		r.next()
	}
}

// base85Line reports whether a line of a binary patch is whole: a letter for the
// number of bytes, 1 to 52, and five characters for each four of them.
func base85Line(line string) bool {
	n := 0
	switch c := line[0]; {
	case c >= 'A' && c <= 'Z':
		n = int(c-'A') + 1
	case c >= 'a' && c <= 'z':
		n = int(c-'a') + 27
	}
	if n == 0 || len(line)-1 != (n+3)/4*5 {
		return false
	}
	for _, c := range []byte(line[1:]) {
		if c <= ' ' || c > '~' || strings.IndexByte("\"',./:[\\]", c) >= 0 {
			return false
		}
	}
	return true
}
