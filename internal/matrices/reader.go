package matrices

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"crscore/internal/dataset"
	"crscore/internal/journal"
	"crscore/internal/limits"
)

// ErrTruncated is the error of a file without an end mark: it is unfinished, or its end was
// lost. The blocks before are good.
var ErrTruncated = journal.ErrTruncated

// ErrDamaged is the error of a wrong checksum, in a block or around it.
var ErrDamaged = errors.New("damaged: the checksum does not match")

// BlockError is the error of a block that cannot be used. It does not affect other blocks.
type BlockError struct {
	Block  int   // counted from 1
	Offset int64 // of the block's first byte in the file
	Err    error // what is wrong with it
}

// Error names the block and its place.
func (e *BlockError) Error() string {
	return fmt.Sprintf("block %d (byte %d): %v", e.Block, e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *BlockError) Unwrap() error { return e.Err }

// Reader reads blocks one by one. An error of a block does not end it. It holds one block,
// and allocates memory only for bytes that exist.
type Reader struct {
	in     *journal.Reader
	stem   string
	begin  int64  // of the block that was read last
	blocks uint32 // read so far
	err    error  // final
}

// NewReader reads the header. It returns an error for other files, other versions and a
// damaged header.
func NewReader(in io.Reader) (*Reader, error) {
	r := &Reader{in: journal.NewReader(in, 0)}
	if err := r.header(); err != nil {
		return nil, fmt.Errorf("reading the header of a matrix file: %w", err)
	}
	return r, nil
}

func (r *Reader) header() error {
	if b, err := r.in.Take(int64(len(magic))); err != nil || string(b) != magic {
		if err != nil && !errors.Is(err, ErrTruncated) {
			return err
		}
		return errors.New("this is not a matrix file of crscore")
	}
	b, err := r.in.More(8)
	if err != nil {
		return err
	}
	if v := binary.LittleEndian.Uint32(b[8:]); v != Version {
		return fmt.Errorf("version %d of the format, but this program reads version %d", v, Version)
	}
	n := binary.LittleEndian.Uint32(b[12:])
	if n > limits.MatrixText {
		return fmt.Errorf("the stem has %w", beyond("bytes", int(n), limits.MatrixText))
	}
	if b, err = r.in.More(int64(n) + sumBytes); err != nil {
		return err
	}
	if journal.Sum(b[:len(b)-sumBytes]) != last(b) {
		return ErrDamaged
	}
	r.stem = string(b[16 : len(b)-sumBytes])
	return nil
}

// Stem returns the part of the signature that the matrices depend on.
func (r *Reader) Stem() string { return r.stem }

// Place returns the number of the block that Next returned last, counted from 1, and the
// place of its first byte in the file: ReadAt reads it again.
func (r *Reader) Place() (number int, offset int64) { return int(r.blocks), r.begin }

// End is the place in the file behind the block that Next returned last.
func (r *Reader) End() int64 { return r.in.Offset() }

// ReadAt reads the block that stands at a place of a file.
func ReadAt(in io.ReaderAt, number int, offset int64) (*Block, error) {
	if number < 1 || offset < 0 {
		return nil, fmt.Errorf("there is no block %d at byte %d", number, offset)
	}
	text := io.NewSectionReader(in, offset, math.MaxInt64-offset)
	r := &Reader{in: journal.NewReader(text, offset), blocks: uint32(number - 1)}
	return r.Next()
}

// Next returns the next block; the caller owns it. The error is io.EOF at the end of a
// finished file. After a *BlockError, Next goes on with the next block. Any other error is
// final, such as [ErrTruncated] after the last block of an unfinished file.
func (r *Reader) Next() (*Block, error) {
	if r.err != nil {
		return nil, r.err
	}
	r.begin = r.in.Offset()
	b, err := r.next()
	if err == nil || errors.As(err, new(*BlockError)) {
		return b, err
	}
	r.err = err
	if !errors.Is(err, io.EOF) {
		r.err = fmt.Errorf("block %d (byte %d): %w", uint64(r.blocks)+1, r.begin, err)
	}
	return nil, r.err
}

func (r *Reader) next() (*Block, error) {
	head, err := r.in.Take(frameBytes)
	if err != nil {
		return nil, err
	}
	if journal.Sum(head[:len(head)-sumBytes]) != last(head) {
		return nil, fmt.Errorf("its frame is %w, so its end is not known", ErrDamaged)
	}
	mark := string(head[:4])
	number := binary.LittleEndian.Uint32(head[4:])
	description := binary.LittleEndian.Uint32(head[8:])
	values := binary.LittleEndian.Uint32(head[12:])
	switch {
	case mark == endMark:
		return nil, r.end(number, description, values)
	case mark != blockMark:
		return nil, fmt.Errorf("the mark %q is not that of a block", mark)
	case uint64(number) != uint64(r.blocks)+1:
		return nil, fmt.Errorf("it says that it is block %d: blocks are missing or doubled", number)
	case description > limits.MatrixDescription:
		return nil, fmt.Errorf("the description has %w", beyond("bytes", int(description), limits.MatrixDescription))
	case values > limits.MatrixValues:
		return nil, beyond("values", int(values), limits.MatrixValues)
	}
	b, err := r.in.More(int64(description) + 4*int64(values) + sumBytes)
	if err != nil {
		return nil, err
	}
	r.blocks++
	if blockSum(b[:len(b)-sumBytes]) != last(b) {
		return nil, &BlockError{int(r.blocks), r.begin, ErrDamaged}
	}
	body := b[frameBytes : len(b)-sumBytes]
	block, err := decode(body[:description], body[description:])
	if err != nil {
		return nil, &BlockError{int(r.blocks), r.begin, err}
	}
	return block, nil
}

// end checks that the file ends with its end mark.
func (r *Reader) end(number, description, values uint32) error {
	switch {
	case number != r.blocks:
		return fmt.Errorf("the end mark counts %d blocks, but there are %d", number, r.blocks)
	case description != 0 || values != 0:
		return errors.New("the end mark has a length")
	default:
		return r.in.End()
	}
}

// last is the checksum at the end of b.
func last(b []byte) uint32 { return binary.LittleEndian.Uint32(b[len(b)-sumBytes:]) }

// decode returns the block of a description and its values. It shares no memory with them.
func decode(description, values []byte) (*Block, error) {
	c := cursor{bytes: description, text: string(description)}
	b, counted := c.block()
	switch {
	case c.err != nil:
		return nil, fmt.Errorf("byte %d of the description: %w", c.at, c.err)
	case c.at != len(description):
		return nil, fmt.Errorf("byte %d of the description: it should have ended here", c.at)
	case 4*counted != int64(len(values)):
		return nil, fmt.Errorf("%d values, but the description counts %d", len(values)/4, counted)
	}
	sim := make([]float32, counted)
	for i := range sim {
		sim[i] = math.Float32frombits(binary.LittleEndian.Uint32(values[4*i:]))
	}
	for i := range b.Reviews {
		n := b.Reviews[i].Sentences * (len(b.Refs) + len(b.Points))
		if n > 0 {
			b.Reviews[i].Sim, sim = sim[:n:n], sim[n:]
		}
	}
	if err := b.check(); err != nil {
		return nil, fmt.Errorf("change %.80q: %w", b.ID, err)
	}
	return b, nil
}

// cursor reads a description. After an error it does not move, and returns empty values.
type cursor struct {
	bytes []byte
	text  string // the same, so that a block's texts are one allocation
	at    int
	err   error
}

func (c *cursor) block() (b *Block, values int64) {
	b = &Block{ID: c.string(), Sources: c.string()}
	// The smallest reference takes 3 bytes, the smallest review 4.
	refs, points := c.count("references", limits.MatrixRefs, 3), c.count("points", limits.MatrixRefs, 3)
	b.Refs, b.Points = c.refs(refs), c.refs(points)
	if n := c.count("reviews", limits.MatrixReviews, 4); n > 0 {
		b.Reviews = make([]Review, n)
	}
	for i := range b.Reviews {
		c.review(&b.Reviews[i])
		values += int64(b.Reviews[i].Sentences) * int64(refs+points)
		if c.err != nil {
			break
		}
	}
	return b, values
}

func (c *cursor) refs(n int) []Ref {
	if n == 0 || c.err != nil {
		return nil
	}
	refs := make([]Ref, n)
	for i := range refs {
		refs[i] = Ref{c.string(), c.string(), Necessity(c.byte())}
	}
	return refs
}

func (c *cursor) review(r *Review) {
	r.ID, r.Unscored = c.string(), c.string()
	r.Sentences = c.count("sentences", limits.MatrixSentences, 0)
	flags := c.byte()
	if flags&^(flagHuman|flagAddressed) != 0 {
		c.fail(fmt.Errorf("unknown flags %#x", flags))
	}
	if flags&flagHuman != 0 {
		r.Human = &dataset.Human{Con: c.float(), Comp: c.float(), Rel: c.float()}
	}
	if flags&flagAddressed != 0 {
		r.Addressed = make([]int, c.count("links", limits.MatrixRefs, 1))
		for i := range r.Addressed {
			r.Addressed[i] = c.count("points", limits.MatrixRefs, 0)
		}
	}
}

func (c *cursor) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// take skips n bytes and returns where they start.
func (c *cursor) take(n int) (start int, ok bool) {
	if c.err == nil && n > len(c.bytes)-c.at {
		c.fail(errors.New("it ends in the middle of a value"))
	}
	if c.err != nil {
		return 0, false
	}
	c.at += n
	return c.at - n, true
}

// count reads the length of a list whose elements take at least size bytes each.
func (c *cursor) count(what string, limit, size int) int {
	if c.err != nil {
		return 0
	}
	v, n := binary.Uvarint(c.bytes[c.at:])
	switch {
	case n <= 0:
		c.fail(errors.New("it ends in the middle of a number"))
	case n > 1 && c.bytes[c.at+n-1] == 0:
		c.fail(errors.New("a number is longer than it has to be"))
	case v > uint64(limit):
		c.fail(fmt.Errorf("%d %s, more than the limit of %d", v, what, limit))
	case int(v)*size > len(c.bytes)-c.at-n:
		c.fail(fmt.Errorf("%d %s in %d bytes", v, what, len(c.bytes)-c.at-n))
	}
	if c.err != nil {
		return 0
	}
	c.at += n
	return int(v)
}

func (c *cursor) string() string {
	n := c.count("bytes in a text", limits.MatrixText, 1)
	start, _ := c.take(n)
	if c.err != nil {
		return ""
	}
	return c.text[start : start+n]
}

func (c *cursor) byte() byte {
	if i, ok := c.take(1); ok {
		return c.bytes[i]
	}
	return 0
}

func (c *cursor) float() float64 {
	if i, ok := c.take(8); ok {
		return math.Float64frombits(binary.LittleEndian.Uint64(c.bytes[i:]))
	}
	return 0
}
