package tokenizer

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/text/unicode/norm"

	"crscore/sts/internal/limits"
)

// normalizer is a chain of functions over the text.
type normalizer []func(string) string

func (n normalizer) apply(s string) string {
	for _, f := range n {
		s = f(s)
		// A chain of replacements by more would make a text longer and longer.
		if len(s) > limits.NormalizedBytes {
			end := limits.NormalizedBytes
			for end > 0 && !utf8.RuneStart(s[end]) {
				end--
			}
			s = s[:end]
		}
	}
	return s
}

// normalizerDef is a normalizer, or one of a sequence.
type normalizerDef struct {
	Type         string           `json:"type"`
	Normalizers  []*normalizerDef `json:"normalizers"`
	CleanText    *bool            `json:"clean_text"`
	Chinese      *bool            `json:"handle_chinese_chars"`
	StripAccents *bool            `json:"strip_accents"`
	Lowercase    *bool            `json:"lowercase"`
	StripLeft    bool             `json:"strip_left"`
	StripRight   bool             `json:"strip_right"`
	Prepend      string           `json:"prepend"`
	Pattern      patternDef       `json:"pattern"`
	Content      string           `json:"content"`
	Charsmap     string           `json:"precompiled_charsmap"`
}

// patternDef is the pattern of Replace or Split.
type patternDef struct {
	String *string
	Regex  *string
}

// otherRegexp finds syntax that Go's regular expressions lack or read differently, such as
// classes of Unicode elsewhere that are of ASCII in Go.
const otherRegexp = `\\[sSwWdDbBhHRXGK]|\(\?[=!<>]|\[\[:|[*+?}]\+`

func (p patternDef) compile() (*regexp.Regexp, error) {
	switch {
	case p.String != nil && *p.String != "":
		return regexp.Compile(regexp.QuoteMeta(*p.String))
	case p.Regex != nil:
		if regexp.MustCompile(otherRegexp).MatchString(*p.Regex) {
			return nil, fmt.Errorf("regular expression %.80q is not supported", *p.Regex)
		}
		re, err := regexp.Compile(*p.Regex)
		if err != nil {
			return nil, fmt.Errorf("regular expression %.80q is not supported: %w", *p.Regex, err)
		}
		return re, nil
	}
	return nil, errors.New("there is no pattern")
}

func (d *normalizerDef) build() (normalizer, error) {
	if d == nil {
		return nil, nil
	}
	one := func(f func(string) string) (normalizer, error) { return normalizer{f}, nil }
	if n := max(len(d.Content), len(d.Prepend)); n > limits.ReplacedBytes {
		return nil, fmt.Errorf("type %s: %d bytes to put into a text, more than %d", d.Type, n, limits.ReplacedBytes)
	}
	switch d.Type {
	case "Sequence":
		var all normalizer
		for _, child := range d.Normalizers {
			n, err := child.build()
			if err != nil {
				return nil, err
			}
			all = append(all, n...)
		}
		return all, nil
	case "BertNormalizer":
		return d.bert(), nil
	case "Lowercase":
		return one(lowercase)
	case "NFC":
		return one(norm.NFC.String)
	case "NFD":
		return one(norm.NFD.String)
	case "NFKC":
		return one(norm.NFKC.String)
	case "NFKD":
		return one(norm.NFKD.String)
	case "StripAccents":
		return one(func(s string) string { return without(s, unicode.M) })
	case "Strip":
		return one(func(s string) string {
			if d.StripLeft {
				s = strings.TrimLeftFunc(s, unicode.IsSpace)
			}
			if d.StripRight {
				s = strings.TrimRightFunc(s, unicode.IsSpace)
			}
			return s
		})
	case "Prepend":
		return one(func(s string) string {
			if s == "" {
				return s
			}
			return d.Prepend + s
		})
	case "Replace":
		re, err := d.Pattern.compile()
		if err != nil {
			return nil, fmt.Errorf("type Replace: %w", err)
		}
		if d.Pattern.String != nil {
			return one(func(s string) string { return strings.ReplaceAll(s, *d.Pattern.String, d.Content) })
		}
		return one(func(s string) string { return re.ReplaceAllLiteralString(s, d.Content) })
	case "Nmt":
		return one(nmt)
	case "Precompiled":
		if d.Charsmap == "" {
			return nil, nil
		}
		m, err := newCharsMap(d.Charsmap)
		if err != nil {
			return nil, fmt.Errorf("type Precompiled: %w", err)
		}
		return one(m.apply)
	}
	return nil, unsupported(d.Type)
}

// bert is BERT's normalizer, every step in its order.
func (d *normalizerDef) bert() normalizer {
	on := func(b *bool, def bool) bool {
		if b == nil {
			return def
		}
		return *b
	}
	lower := on(d.Lowercase, true)
	accents := on(d.StripAccents, lower)
	clean, chinese := on(d.CleanText, true), on(d.Chinese, true)
	return normalizer{func(s string) string {
		if clean || chinese {
			s = bertClean(s, clean, chinese)
		}
		if accents && !ascii(s) {
			s = without(norm.NFD.String(s), unicode.Mn)
		}
		if lower {
			s = lowercase(s)
		}
		return s
	}}
}

func bertClean(s string, clean, chinese bool) string {
	var out strings.Builder
	out.Grow(len(s))
	for _, r := range s {
		switch {
		case clean && (r == 0 || r == utf8.RuneError || isControl(r)):
		case clean && isSpace(r):
			out.WriteByte(' ')
		case chinese && isChinese(r):
			out.WriteByte(' ')
			out.WriteRune(r)
			out.WriteByte(' ')
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// lowercase follows Rust: İ, the one character with two characters in lower case, becomes
// both.
func lowercase(s string) string {
	if strings.ContainsRune(s, 'İ') {
		s = strings.ReplaceAll(s, "İ", "i̇")
	}
	return strings.ToLower(s)
}

func without(s string, class *unicode.RangeTable) string {
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf && unicode.Is(class, r) {
			return -1
		}
		return r
	}, s)
}

// nmt drops and replaces characters as SentencePiece's nmt rules do.
func nmt(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 1 && r <= 8, r == 0xB, r >= 0xE && r <= 0x1F, r == 0x7F, r == 0x8F, r == 0x9F:
			return -1
		case r == '\t', r == '\n', r == '\f', r == '\r', r == 0x1680, r >= 0x200B && r <= 0x200F,
			r == 0x2028, r == 0x2029, r == 0x2581, r == 0xFEFF, r == 0xFFFD:
			return ' '
		}
		return r
	}, s)
}

// isSpace is Unicode's White_Space.
func isSpace(r rune) bool { return unicode.IsSpace(r) }

// isControl reports whether BERT treats r as a control character, which includes formats
// and private use.
func isControl(r rune) bool {
	if r == '\t' || r == '\n' || r == '\r' {
		return false
	}
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7F
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co)
}

// IsPunct is BERT's punctuation: all of ASCII that is neither letter, digit nor
// space, and Unicode's.
func IsPunct(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && r < 0x7F && !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	}
	return unicode.IsPunct(r)
}

// isWord is \w with Unicode.
func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.In(r, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic, unicode.Join_Control)
}

func isChinese(r rune) bool {
	return r >= 0x3400 && (r >= 0x4E00 && r <= 0x9FFF || r <= 0x4DBF || r >= 0x20000 && r <= 0x2A6DF || r >= 0x2A700 && r <= 0x2B73F ||
		r >= 0x2B740 && r <= 0x2B81F || r >= 0x2B920 && r <= 0x2CEAF || r >= 0xF900 && r <= 0xFAFF || r >= 0x2F800 && r <= 0x2FA1F)
}

// charsMap is SentencePiece's map of characters: a double-array trie whose
// values are places in a list of NUL-terminated strings.
type charsMap struct {
	trie []uint32
	text string
}

func newCharsMap(encoded string) (*charsMap, error) {
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, err
	}
	if len(data) < 4 {
		return nil, errors.New("the character map is too short")
	}
	size := binary.LittleEndian.Uint32(data)
	data = data[4:]
	if size%4 != 0 || size < 4 || uint64(size) > uint64(len(data)) {
		return nil, fmt.Errorf("the character map says %d bytes and has %d", size, len(data))
	}
	m := &charsMap{trie: make([]uint32, size/4), text: string(data[size:])}
	for i := range m.trie {
		m.trie[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return m, nil
}

// longestMapped is the longest sequence of bytes that is looked up as a whole.
const longestMapped = 5

func (m *charsMap) apply(s string) string {
	var out strings.Builder
	out.Grow(len(s))
	state := -1
	for s != "" {
		var cluster string
		cluster, s, _, state = uniseg.FirstGraphemeClusterInString(s, state)
		if len(cluster) <= longestMapped {
			if text, ok := m.lookup(cluster); ok {
				out.WriteString(text)
				continue
			}
		}
		for _, r := range cluster {
			if text, ok := m.lookup(string(r)); ok {
				out.WriteString(text)
			} else {
				out.WriteRune(r)
			}
		}
	}
	return out.String()
}

// lookup is the value of the shortest key that s starts with, as the reference
// has it.
func (m *charsMap) lookup(s string) (string, bool) {
	offset := func(unit uint32) uint32 { return (unit >> 10) << ((unit & (1 << 9)) >> 6) }
	at := offset(m.trie[0])
	for i := range len(s) {
		if s[i] == 0 {
			break
		}
		at ^= uint32(s[i])
		if uint64(at) >= uint64(len(m.trie)) {
			break
		}
		unit := m.trie[at]
		if unit&(1<<31|0xFF) != uint32(s[i]) {
			break
		}
		at ^= offset(unit)
		if unit>>8&1 == 0 {
			continue
		}
		if uint64(at) >= uint64(len(m.trie)) {
			break
		}
		value := m.trie[at] & (1<<31 - 1)
		if uint64(value) > uint64(len(m.text)) {
			break
		}
		text, _, _ := strings.Cut(m.text[value:min(int(value)+limits.ReplacedBytes, len(m.text))], "\x00")
		return strings.ToValidUTF8(text, "\uFFFD"), true
	}
	return "", false
}
