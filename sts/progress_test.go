package sts

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
)

// looked is how many bytes the splitter looks at in a text, some of them again and again.
func looked(text string) int {
	p := &progress{ctx: context.Background()}
	Markdown{}.split(p, text)
	return p.looked
}

// TestSplitIsLinear: four times the text is four times the bytes that are looked at. It counts bytes
// since the time of a busy machine says nothing.
func TestSplitIsLinear(t *testing.T) {
	const size = 8 << 10
	small, large := hostile(size), hostile(4*size)
	maps.Copy(small, hostileForms(size))
	maps.Copy(large, hostileForms(4*size))
	for _, mark := range []string{"- ", "* ", "+ ", "1. ", "  - ", "-   ", "- - > ", "> ", ">", "- [ ] ", "```\n", "`", "``", "[", "![", "[![", "](", "<", "<sub>", "<sup><sub>", "<details>",
		"<summary>", "<!--", "<img alt=\"", "&", "**", "_", "|a|", "\"", "(", "http://", "[high] ", "nit: ", "a. "} {
		for _, head := range []string{"", "- ", "> ", "<details>", "**"} {
			name := head + mark
			small[name], large[name] = head+strings.Repeat(mark, size/len(mark))+"b", head+strings.Repeat(mark, 4*size/len(mark))+"b"
		}
	}
	for name, text := range small {
		few, many := looked(text), looked(large[name])
		grown := float64(len(large[name])) / float64(len(text))
		if ratio := float64(many) / float64(few); ratio > 1.5*grown {
			t.Errorf("%s: %d bytes are looked at in %d, and %d in %d: %.1f times", name, few, len(text), many, len(large[name]), ratio)
		}
	}
}

// TestSplitEnds: a text is not read to its end when the context ends.
func TestSplitEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	text := strings.Repeat("A sentence.\n", checkEvery)
	p := &progress{ctx: ctx}
	Markdown{}.split(p, text)
	if p.looked > 3*checkEvery {
		t.Errorf("%d bytes of %d were looked at after the end", p.looked, len(text))
	}
	if got, err := SplitContext(ctx, Markdown{}, text); !errors.Is(err, context.Canceled) || got != nil {
		t.Errorf("%d sentences, %v", len(got), err)
	}
}

// TestMarkers: the text behind more markers than a line can have is kept.
func TestMarkers(t *testing.T) {
	for _, marker := range []string{"- ", "* ", "> ", ">", "1. ", "  - ", "-   ", "> - "} {
		for _, text := range []string{"b", "A sentence.", "---b"} {
			got := Markdown{}.Split(strings.Repeat(marker, 2*mostMarkers) + text)
			if n := len(got); n == 0 || !strings.HasSuffix(got[n-1].Text, text) {
				t.Errorf("%q and %q: %q", marker, text, texts(got))
			}
		}
	}
}
