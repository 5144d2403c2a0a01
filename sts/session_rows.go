package sts

import (
	"context"
	"errors"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// builtinRows is the table of the built-in model, a packed row a token, in the bytes of the
// program. A graph engine would copy it several times and then look a few rows up.
type builtinRows struct {
	table string
	width int // numbers of 32 bits a row, each for one value in each lane
}

// lanes are the values that a number of a row holds (see the command train, which packs them).
const lanes = 4

// readRows finds the table in the built-in model's file: the bytes of its tensor E, of
// 32-bit integers.
func readRows(onnx string, dim int) (*builtinRows, error) {
	const head = "\x10\x06\x42\x01E\x4a" // the element type, the name and the field of the bytes
	_, rest, _ := strings.Cut(onnx, head)
	size, n := protowire.ConsumeVarint([]byte(rest[:min(10, len(rest))]))
	if n < 0 || size > uint64(len(rest)-n) || size == 0 || size%uint64(dim) != 0 {
		return nil, errors.New("model.onnx has no table E of the size that is known")
	}
	return &builtinRows{table: rest[n : n+int(size)], width: dim / lanes}, nil
}

// graph describes the model as readONNX does for the file.
func (r *builtinRows) graph() onnxGraph {
	dim := int64(lanes * r.width)
	return onnxGraph{
		vocab: len(r.table) / int(dim),
		outputs: []modelPort{
			{tokenOutputs[0], []int64{-1, -1, dim}},
			{pooledOutputs[0], []int64{-1, dim}},
		},
	}
}

// add adds the values of a token's row to out, each as hugot's GO backend computes it: the
// number moved to the left by its lane, then rounded.
func (r *builtinRows) add(id int, out []float32) {
	w := r.width
	row := r.table[lanes*w*id:][:lanes*w]
	a, b, c, d := out[:w], out[w:][:w], out[2*w:][:w], out[3*w:][:w]
	for k := range a {
		v := row[4*k:][:4]
		p := int32(uint32(v[0]) | uint32(v[1])<<8 | uint32(v[2])<<16 | uint32(v[3])<<24)
		a[k] += float32(p)
		b[k] += float32(p << 8)
		c[k] += float32(p << 16)
		d[k] += float32(p << 24)
	}
}

// rowsSession runs the built-in model without a graph engine. Its bits and so its name in
// signatures are those of hugot's GO backend, which a test holds it to.
type rowsSession struct {
	rows *builtinRows
	made sessionInfo
}

func openRows(src modelSource) (session, error) {
	at, pooled, err := src.chooseOutput()
	if err != nil {
		return nil, err
	}
	return &rowsSession{src.rows, sessionInfo{
		backend: goBackend, output: src.graph.outputs[at].name, dim: lanes * src.rows.width, pooled: pooled,
	}}, nil
}

func (s *rowsSession) info() sessionInfo { return s.made }

func (s *rowsSession) close() error { return nil }

func (s *rowsSession) shape(n int) (length, rows int) {
	return batchShape(staticLengths, staticTokens, n)
}

func (s *rowsSession) run(ctx context.Context, _, _ int, texts []tokenized) ([][][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := make([][][]float32, len(texts))
	for i, t := range texts {
		n := len(t.ids)
		if s.made.pooled {
			n = 1
		}
		out[i] = make([][]float32, n)
		values := make([]float32, n*s.made.dim)
		for k := range out[i] {
			out[i][k] = values[k*s.made.dim:][:s.made.dim]
		}
		for k, id := range t.ids {
			s.rows.add(id, out[i][min(k, n-1)])
		}
	}
	return out, nil
}
