package stdio

import (
	"bufio"
	"bytes"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

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
