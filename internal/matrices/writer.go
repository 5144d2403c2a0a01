package matrices

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"crscore/internal/journal"
	"crscore/internal/limits"
)

const (
	magic     = "\x89CRSM\r\n\x1a"
	blockMark = "BLCK"
	endMark   = "DONE"

	frameBytes = 20 // of a block before its description; all of the end mark
	sumBytes   = 4

	flagHuman     = 1
	flagAddressed = 2
)

// keep is the largest buffer that is reused for the next block.
const keep = 1 << 20

// Writer writes a file block by block, with one Write for each block. So a crash leaves at
// most one incomplete block.
type Writer struct {
	out    io.Writer
	blocks uint32
	buf    []byte
	err    error // of an earlier write, or that the writer is closed
}

// NewWriter writes the header. The stem is the part of the signature that the matrices depend
// on.
func NewWriter(out io.Writer, stem string) (*Writer, error) {
	if len(stem) > limits.MatrixText {
		return nil, fmt.Errorf("starting a matrix file: the stem has %w", beyond("bytes", len(stem), limits.MatrixText))
	}
	if _, err := out.Write(header(stem)); err != nil {
		return nil, fmt.Errorf("starting a matrix file: %w", err)
	}
	return &Writer{out: out}, nil
}

// Refused is the error of a block that a file cannot hold.
type Refused struct {
	ID  string // of the change
	Err error  // the reason
}

// Error names the change.
func (e *Refused) Error() string {
	return fmt.Sprintf("writing the matrices of change %.80q: %v", e.ID, e.Err)
}

// Unwrap returns the cause.
func (e *Refused) Unwrap() error { return e.Err }

// Write appends a block. A *Refused leaves the file as it was; any other error is final.
func (w *Writer) Write(b *Block) error {
	if w.err != nil {
		return w.err
	}
	if err := b.check(); err != nil {
		return &Refused{b.ID, err}
	}
	if w.blocks == math.MaxUint32 {
		return &Refused{b.ID, errors.New("the file has as many blocks as it can count")}
	}
	var err error
	if w.buf, err = appendBlock(w.buf[:0], w.blocks+1, b); err != nil {
		return &Refused{b.ID, err}
	}
	if _, err := w.out.Write(w.buf); err != nil {
		w.err = fmt.Errorf("writing the matrices of change %.80q: %w", b.ID, err)
		return w.err
	}
	w.blocks++
	if cap(w.buf) > keep {
		w.buf = nil
	}
	return nil
}

// Close writes the end mark. It does not close the underlying writer.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	w.err = errors.New("the matrix file is closed")
	if _, err := w.out.Write(frame(endMark, w.blocks, 0, 0)); err != nil {
		w.err = fmt.Errorf("ending the matrix file: %w", err)
		return w.err
	}
	return nil
}

// Continue returns a writer for a file that ends behind so many blocks.
func Continue(out io.Writer, blocks int) *Writer { return &Writer{out: out, blocks: uint32(blocks)} }

func header(stem string) []byte {
	b := make([]byte, 0, len(magic)+8+len(stem)+sumBytes)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint32(b, Version)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(stem)))
	b = append(b, stem...)
	return binary.LittleEndian.AppendUint32(b, journal.Sum(b))
}

func frame(mark string, number uint32, description, values int) []byte {
	b := append(make([]byte, 0, frameBytes), mark...)
	b = binary.LittleEndian.AppendUint32(b, number)
	b = binary.LittleEndian.AppendUint32(b, uint32(description))
	b = binary.LittleEndian.AppendUint32(b, uint32(values))
	return binary.LittleEndian.AppendUint32(b, journal.Sum(b))
}

// blockSum is the checksum of a whole block. It covers the checksum of the frame instead of
// the frame: a CRC over bytes and their CRC is the same for every frame.
func blockSum(block []byte) uint32 {
	return journal.More(last(block[:frameBytes]), block[frameBytes:])
}

// appendBlock adds a checked block to an empty buffer.
func appendBlock(buf []byte, number uint32, b *Block) ([]byte, error) {
	buf, err := appendDescription(append(buf, make([]byte, frameBytes)...), b)
	if err != nil {
		return buf, err
	}
	description, values := len(buf)-frameBytes, 0
	for i := range b.Reviews {
		for _, v := range b.Reviews[i].Sim {
			buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(v+0)) // -0 becomes 0
		}
		values += len(b.Reviews[i].Sim)
	}
	copy(buf, frame(blockMark, number, description, values))
	return binary.LittleEndian.AppendUint32(buf, blockSum(buf)), nil
}

// appendDescription adds a block's description. It stops soon after the limit.
func appendDescription(buf []byte, b *Block) ([]byte, error) {
	start := len(buf)
	tooLong := func() error {
		if n := len(buf) - start; n > limits.MatrixDescription {
			return fmt.Errorf("the description has more than the limit of %d bytes", limits.MatrixDescription)
		}
		return nil
	}
	buf = appendText(buf, b.ID)
	buf = appendText(buf, b.Sources)
	buf = binary.AppendUvarint(buf, uint64(len(b.Refs)))
	buf = binary.AppendUvarint(buf, uint64(len(b.Points)))
	for _, refs := range [][]Ref{b.Refs, b.Points} {
		for _, r := range refs {
			buf = appendText(buf, r.Kind)
			buf = appendText(buf, r.Source)
			buf = append(buf, byte(r.Necessity))
			if err := tooLong(); err != nil {
				return buf, err
			}
		}
	}
	buf = binary.AppendUvarint(buf, uint64(len(b.Reviews)))
	for i := range b.Reviews {
		buf = appendReview(buf, &b.Reviews[i])
		if err := tooLong(); err != nil {
			return buf, err
		}
	}
	return buf, nil
}

func appendReview(buf []byte, r *Review) []byte {
	buf = appendText(buf, r.ID)
	buf = appendText(buf, r.Unscored)
	buf = binary.AppendUvarint(buf, uint64(r.Sentences))
	flags := byte(0)
	if r.Human != nil {
		flags |= flagHuman
	}
	if r.Addressed != nil {
		flags |= flagAddressed
	}
	buf = append(buf, flags)
	if h := r.Human; h != nil {
		for _, v := range []float64{h.Con, h.Comp, h.Rel} {
			buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v))
		}
	}
	if r.Addressed != nil {
		buf = binary.AppendUvarint(buf, uint64(len(r.Addressed)))
		for _, n := range r.Addressed {
			buf = binary.AppendUvarint(buf, uint64(n))
		}
	}
	return buf
}

func appendText(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}
