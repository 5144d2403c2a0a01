package refmetrics

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// treebankTokens makes the tokens of the Penn Treebank in lower case: "It isn't (a, b)." gives
// it is n't ( a , b ) . The rules are those of NLTKWordTokenizer of nltk 3.8, a row of
// substitutions by regular expressions. The text is not cut into sentences before, so only the
// last period is a token.
func treebankTokens(list []string, text string) []string {
	text = string(treebankPad(text))
	blank := true // before the word
	for text != "" {
		end := strings.IndexFunc(text, isSpace)
		if end < 0 {
			end = len(text)
		}
		// Only a blank counts here: at the end of a line "isn't" stays whole.
		before := blank
		blank = end == len(text) || text[end] == ' '
		if end > 0 {
			list = treebankWord(list, text[:end], before, blank)
		}
		_, size := utf8.DecodeRuneInString(text[end:])
		text = text[end+size:]
	}
	return list
}

// treebankPad puts blanks around the marks that are tokens.
func treebankPad(text string) []byte {
	out := make([]byte, 0, len(text)+len(text)/4+16)
	period, comma := finalPeriod(text), -2 // the last comma or colon that is a token
	for i := 0; i < len(text); {
		mark, size, late := treebankMark(text, i)
		switch c := text[i]; c {
		case '.':
			if size == 1 && i != period {
				mark = ""
			}
		case ',', ':':
			// The substitution consumes the next character: of ",,a" the second comma stays.
			if next, _ := utf8.DecodeRuneInString(text[i+1:]); comma == i-1 || unicode.IsDigit(next) {
				mark = ""
			} else {
				comma = i
			}
		}
		switch {
		case mark != "":
			if !late {
				out = cutQuote(out)
			}
			out = append(append(append(out, ' '), mark...), ' ')
		case text[i] == ' ':
			out = append(cutQuote(out), ' ')
		default:
			out = append(out, text[i:i+size]...)
			if text[i] == '\'' && letterAlone(text[i+1:]) {
				out = append(cutQuote(out), ' ')
			}
		}
		i += size
	}
	return out
}

// treebankMark returns the mark at byte i as a token, or "" where there is no mark, and the
// number of bytes. A late mark is found after the quotation marks before it.
func treebankMark(text string, i int) (mark string, size int, late bool) {
	r, size := utf8.DecodeRuneInString(text[i:])
	twice := i+1 < len(text) && text[i+1] == text[i]
	switch r {
	case ',', ':', ';', '@', '#', '$', '%', '&', '?', '!', '«', '“', '‘', '„':
	case '*', '[', ']', '(', ')', '{', '}', '<', '>', '»', '”', '’':
		late = true
	case '.':
		size = len(text) - i - len(strings.TrimLeft(text[i:], "."))
	case '`', '-', '\'':
		if twice {
			size = 2
		} else if r != '`' {
			return "", 1, false
		}
		if late = r != '`'; r == '\'' && opens(text, i) {
			return "``", 2, true
		}
	case '"':
		if opens(text, i) {
			return "``", 1, true
		}
		return "''", 1, true
	default:
		return "", size, false
	}
	return text[i : i+size], size, late
}

// opens reports whether the quotation marks at byte i begin a quotation.
func opens(text string, i int) bool {
	if i < 2 && text[0] == '"' {
		return true
	}
	r, size := utf8.DecodeLastRuneInString(text[:i])
	return size > 0 && strings.ContainsRune(" ([{<`«“‘„", r)
}

// cutQuote makes a quotation mark at the end a token.
func cutQuote(out []byte) []byte {
	if n := len(out) - 1; n >= 0 && out[n] == '\'' {
		return append(out[:n], " '"...)
	}
	return out
}

// letterAlone reports whether a text begins with a word of one letter that is no end of a
// word, such as the s of "it's".
func letterAlone(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	next, _ := utf8.DecodeRuneInString(text[size:])
	return isWord(r) && !isWord(next) && !strings.ContainsRune("mtsdnſ", unicode.ToLower(r))
}

// finalPeriod returns the place of the period that ends the text, or -1. Brackets, quotation
// marks and blanks may stand after it, but no mark that begins a quotation.
func finalPeriod(text string) int {
	text = strings.TrimRightFunc(text, isSpace)
	rest := strings.TrimRight(text, "])}>\"'»”’ ")
	i, end := len(rest)-1, text[len(rest):]
	if i < 1 || rest[i] != '.' || rest[i-1] == '.' || strings.Contains(end, ` "`) || strings.Contains(end, " ''") {
		return -1
	}
	return i
}

// treebankWord appends the tokens of a word without white space. The bounds tell whether a
// blank is before and after it.
func treebankWord(list []string, word string, before, after bool) []string {
	var ends [2]string // of "he'll's", 'll and 's
	if after && strings.Contains(word, "'") {
		word, ends[1] = cutEnd(word, "'", "'s", "'S", "'m", "'M", "'d", "'D")
		word, ends[0] = cutEnd(word, "'ll", "'LL", "'re", "'RE", "'ve", "'VE", "n't", "N'T")
	}
	for i := 0; i+len("d'ye") <= len(word); i++ {
		if r, _ := utf8.DecodeLastRuneInString(word[:i]); i > 0 && isWord(r) {
			continue
		}
		size, cut := contraction(word[i:], i == 0 && before)
		if size == 0 {
			continue
		}
		if i > 0 {
			list = append(list, lower(word[:i]))
		}
		list = append(list, lower(word[i:i+cut]), lower(word[i+cut:i+size]))
		word, i, before = word[i+size:], -1, word[i] != '\''
	}
	for _, token := range [...]string{word, ends[0], ends[1]} {
		if token != "" {
			list = append(list, lower(token))
		}
	}
	return list
}

// cutEnd cuts the first of the ends that the word has off a word, where something other than
// a quotation mark is left.
func cutEnd(word string, ends ...string) (left, end string) {
	for _, end := range ends {
		if left, ok := strings.CutSuffix(word, end); ok && left != "" && left[len(left)-1] != '\'' {
			return left, end
		}
	}
	return word, ""
}

// contraction returns the size of the contraction that a text begins with, such as "cannot",
// and that of its first token, or 0.
func contraction(text string, blank bool) (size, cut int) {
	for _, c := range [...]struct {
		text string
		cut  int
	}{
		{"cannot", 3}, {"d'ye", 1}, {"gimme", 3}, {"gonna", 3}, {"gotta", 3}, {"lemme", 3}, {"more'n", 4},
		{"wanna", 3}, {"'tis", 2}, {"'twas", 2},
	} {
		n := len(c.text)
		if text[0]|0x20 != c.text[0]|0x20 || len(text) < n || !strings.EqualFold(text[:n], c.text) {
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[n:])
		if isWord(next) || c.text[0] == '\'' && !blank || c.text == "wanna" && len(text) > n {
			continue
		}
		return n, c.cut
	}
	return 0, 0
}
