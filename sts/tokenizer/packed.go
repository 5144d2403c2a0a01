package tokenizer

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
)

// A packed tokenizer is a tokenizer.json whose vocabulary is searched where it lies. A program
// that has it as a constant does not read 33,000 names at its start. Its parts are
//
//	sizes     of the three parts below, in bytes
//	settings  the tokenizer.json, with an empty vocabulary
//	ends      of the token with each id, where its name ends in names
//	slots     a hash table: an id and 1, or 0 for a free slot; the next slot follows a full one
//	names     all names, by their ids
//
// Numbers have 32 bits, the lowest byte first.
const packedSizes = 3

// Pack packs a tokenizer.json with a WordPiece model and the ids from 0 on, without a gap.
func Pack(data []byte) ([]byte, error) {
	t, err := New(data)
	if err != nil {
		return nil, err
	}
	if t.kind != "WordPiece" {
		return nil, fmt.Errorf("model %s: only WordPiece is packed", t.kind)
	}
	settings, err := withoutVocabulary(data)
	if err != nil {
		return nil, err
	}
	n := len(t.vocab.ids)
	list := make([]string, n)
	for name, id := range t.vocab.ids {
		if id >= n || list[id] != "" || name == "" {
			return nil, fmt.Errorf("token %q has the id %d: packed ids are those from 0 to %d, one a name", name, id, n-1)
		}
		list[id] = name
	}
	free := uint32(1)
	for int(free)*3 < 4*n { // a quarter free at least
		free *= 2
	}
	slots := make([]uint32, free)
	var names, ends, table []byte
	for id, name := range list {
		at := hashOf([]byte(name)) % free
		for slots[at] != 0 {
			at = (at + 1) % free
		}
		slots[at] = uint32(id + 1)
		names = append(names, name...)
		ends = binary.LittleEndian.AppendUint32(ends, uint32(len(names)))
	}
	for _, slot := range slots {
		table = binary.LittleEndian.AppendUint32(table, slot)
	}
	var out []byte
	for _, part := range [packedSizes][]byte{settings, ends, table} {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(part)))
	}
	for _, part := range [][]byte{settings, ends, table, names} {
		out = append(out, part...)
	}
	return out, nil
}

// withoutVocabulary is a tokenizer.json with an empty vocabulary.
func withoutVocabulary(data []byte) ([]byte, error) {
	var whole, model map[string]json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(whole["model"], &model); err != nil {
		return nil, err
	}
	model["vocab"] = json.RawMessage("{}")
	var err error
	if whole["model"], err = json.Marshal(model); err != nil {
		return nil, err
	}
	return json.Marshal(whole)
}

// NewPacked opens what Pack made, which must not be changed. It reads the settings only.
func NewPacked(data string) (*Tokenizer, error) {
	var parts [packedSizes]string
	rest := data[min(4*packedSizes, len(data)):]
	for i := range parts {
		if len(data) < 4*packedSizes || uint64(number(data, i)) > uint64(len(rest)) {
			return nil, errors.New("the packed tokenizer is cut")
		}
		parts[i], rest = rest[:number(data, i)], rest[number(data, i):]
	}
	var f file
	if err := json.Unmarshal([]byte(parts[0]), &f); err != nil {
		return nil, err
	}
	if f.Model == nil || f.Model.kind() != "WordPiece" {
		return nil, errors.New("the packed tokenizer has no WordPiece model")
	}
	f.Model.Vocab.packed = &packedNames{ends: parts[1], slots: parts[2], text: rest}
	return newTokenizer(f)
}

// packedNames is the vocabulary of a packed tokenizer.
type packedNames struct{ ends, slots, text string }

func (p *packedNames) size() int { return len(p.ends) / 4 }

// name is the name of the token with an id; "" for an unknown id.
func (p *packedNames) name(id int) string {
	if id < 0 || id >= p.size() {
		return ""
	}
	from := uint32(0)
	if id > 0 {
		from = number(p.ends, id-1)
	}
	return p.text[from:number(p.ends, id)]
}

func (p *packedNames) find(name []byte) (id int, ok bool) {
	n := uint32(len(p.slots) / 4)
	if n == 0 {
		return 0, false
	}
	for at, tried := hashOf(name)%n, uint32(0); tried < n; at, tried = (at+1)%n, tried+1 {
		slot := number(p.slots, int(at))
		if slot == 0 {
			break
		}
		if id := int(slot) - 1; p.name(id) == string(name) {
			return id, true
		}
	}
	return 0, false
}

func hashOf(name []byte) uint32 {
	h := fnv.New32a()
	h.Write(name)
	return h.Sum32()
}

// number is the i-th number of s.
func number(s string, i int) uint32 {
	s = s[4*i : 4*i+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}
