package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Pair puts the tokens of two texts side by side, for a model that reads both at once. It
// is safe for concurrent use.
type Pair struct {
	parts   []pairPart
	special int
}

// pairPart is the place of a text, or special tokens.
type pairPart struct {
	text int // 0 or 1, the first or the second text; -1 for special tokens
	ids  []int
	kind int // the token type
}

// Pair returns how the file's post_processor pairs texts. It is an error if there is none,
// or if it puts nothing between the texts, as it does where the file leaves the pair open.
func (t *Tokenizer) Pair() (*Pair, error) {
	parts, err := t.post.pair()
	if err != nil {
		return nil, fmt.Errorf("post_processor: %w", err)
	}
	if parts == nil {
		return nil, errors.New("the file has no post_processor that says how to pair two texts")
	}
	p := &Pair{parts: parts}
	var at [2][]int // where the texts stand in the parts
	for i, part := range parts {
		if part.kind < 0 {
			return nil, fmt.Errorf("post_processor: the pair has the token type %d", part.kind)
		}
		if part.text >= 0 {
			at[part.text] = append(at[part.text], i)
		}
		for _, id := range part.ids {
			if _, ok := t.names[id]; !ok {
				return nil, fmt.Errorf("post_processor: the pair has the token id %d, which is not in the vocabulary", id)
			}
		}
		p.special += len(part.ids)
	}
	if len(at[0]) != 1 || len(at[1]) != 1 {
		return nil, fmt.Errorf("post_processor: the pair has %d places for the first text and %d for the second, want one each",
			len(at[0]), len(at[1]))
	}
	between := parts[min(at[0][0], at[1][0])+1 : max(at[0][0], at[1][0])]
	if !slices.ContainsFunc(between, func(part pairPart) bool { return len(part.ids) > 0 }) {
		return nil, errors.New("post_processor: the pair has no special token between its two texts")
	}
	return p, nil
}

// Special is the number of special tokens of a pair.
func (p *Pair) Special() int { return p.special }

// MaxType is the largest token type of a pair.
func (p *Pair) MaxType() int {
	top := 0
	for _, part := range p.parts {
		top = max(top, part.kind)
	}
	return top
}

// Join returns the ids and the token types of two texts with the special tokens.
func (p *Pair) Join(first, second []int) (ids, types []int) {
	texts := [2][]int{first, second}
	n := p.special + len(first) + len(second)
	ids, types = make([]int, 0, n), make([]int, 0, n)
	for _, part := range p.parts {
		add := part.ids
		if part.text >= 0 {
			add = texts[part.text]
		}
		ids = append(ids, add...)
		for range add {
			types = append(types, part.kind)
		}
	}
	return ids, types
}

// LongestFirst returns the lengths to which two texts of n and m tokens are cut, so that
// their sum is at most room: the longer text's end is cut until both are equally long, then
// both ends. An odd token goes to the longer text, or to the second if none is longer. It
// is the strategy longest_first of Hugging Face's library.
func LongestFirst(n, m, room int) (int, int) {
	if n > m {
		m, n = LongestFirst(m, n, room)
		return n, m
	}
	switch {
	case n+m <= room:
		return n, m
	case n <= room/2:
		return n, room - n
	}
	return room / 2, room - room/2
}

// pair returns the parts of a pair, nil where the post_processor says nothing of pairs.
func (p *postDef) pair() (parts []pairPart, err error) {
	if p == nil {
		return nil, nil
	}
	cls, sep := []int{p.Cls.id}, []int{p.Sep.id}
	switch p.Type {
	case "BertProcessing":
		return []pairPart{{-1, cls, 0}, {0, nil, 0}, {-1, sep, 0}, {1, nil, 1}, {-1, sep, 1}}, nil
	case "RobertaProcessing":
		return []pairPart{{-1, cls, 0}, {0, nil, 0}, {-1, sep, 0}, {-1, sep, 0}, {1, nil, 0}, {-1, sep, 0}}, nil
	case "Sequence":
		for _, child := range p.Processors {
			more, err := child.pair()
			switch {
			case err != nil:
				return nil, err
			case more != nil && parts != nil:
				return nil, errors.New("a sequence of two that pair texts is not supported")
			case more != nil:
				parts = more
			}
		}
	case "TemplateProcessing":
		return p.pairTemplate()
	}
	return parts, nil
}

func (p *postDef) pairTemplate() ([]pairPart, error) {
	var items []struct {
		SpecialToken, Sequence *struct {
			ID   string `json:"id"`
			Type int    `json:"type_id"`
		}
	}
	if len(p.Pair) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(p.Pair, &items); err != nil {
		return nil, fmt.Errorf("template of the pair: %w", err)
	}
	parts := make([]pairPart, len(items))
	for i, item := range items {
		switch s, special := item.Sequence, item.SpecialToken; {
		case special != nil && s == nil:
			token, ok := p.Special[special.ID]
			if !ok {
				return nil, fmt.Errorf("template of the pair: special token %q is not defined", special.ID)
			}
			parts[i] = pairPart{-1, token.IDs, special.Type}
		case s != nil && special == nil && s.ID == "A":
			parts[i] = pairPart{0, nil, s.Type}
		case s != nil && special == nil && s.ID == "B":
			parts[i] = pairPart{1, nil, s.Type}
		default:
			return nil, fmt.Errorf("template of the pair: part %d is neither a special token nor the text A or B", i+1)
		}
	}
	return parts, nil
}
