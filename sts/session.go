package sts

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Backends that run ONNX models, for EncoderOptions.Backend.
const (
	// BackendGo needs no native library and is part of every build: hugot's GO backend. The
	// rows of the built-in model are read without it, to the same bits.
	BackendGo = "go"
	// BackendORT is ONNX Runtime, in builds with the tag ort.
	BackendORT = "ort"
)

// session is a loaded ONNX model. run is safe for concurrent use; close is
// called once, when nothing runs.
type session interface {
	// run sends 1 to rows texts of at most length tokens through the model, padded to
	// rows rows of length tokens. It returns [text][token][dim] without the padding, or
	// one row a text when the model has only pooled output. run checks ctx before the
	// model runs; not every backend can stop while it runs.
	run(ctx context.Context, length, rows int, texts []tokenized) ([][][]float32, error)
	// shape is the length that a text of n tokens is padded to, and the number of texts
	// of that length that run together. It is chosen so that a text's numbers depend on
	// the text only.
	shape(n int) (length, rows int)
	info() sessionInfo
	close() error
}

// sessionInfo describes a loaded session.
type sessionInfo struct {
	backend string // name and version of what computes, and what else changes its bits: the signature's backend
	output  string // the name of the model's output that is used
	dim     int    // the number of values of a row of it
	pooled  bool   // that output is one row a text, not one a token
}

// modelSource is where a session finds its model.
type modelSource struct {
	dir  fs.FS  // the model directory; nothing outside it can be opened through it
	file string // the ONNX file in dir, with slashes
	// path is the directory behind dir on disk; empty when there is none, as for
	// the built-in model.
	path string
	// graph is what the file says of the model.
	graph onnxGraph
	// static says that a token's vector does not depend on the other tokens.
	static bool
	// output names the output to use; empty for what chooseOutput chooses.
	output string
	// rows are those of the built-in model, nil for any other and for ONNX Runtime.
	rows *builtinRows
	// classes is the number of logits of a pair, for a cross-encoder.
	classes int
}

// chooseOutput picks the output that is named, or else the best.
func (s modelSource) chooseOutput() (at int, pooled bool, err error) {
	if s.output == "" {
		return chooseOutput(s.graph.outputs, s.static)
	}
	at = slices.IndexFunc(s.graph.outputs, func(p modelPort) bool { return p.name == s.output })
	if at < 0 {
		return 0, false, fmt.Errorf("the model has no output %q", s.output)
	}
	return at, len(s.graph.outputs[at].dims) == 2, nil
}

// openSession loads the model with the backend that opts names.
func openSession(ctx context.Context, opts EncoderOptions, src modelSource) (session, error) {
	switch opts.Backend {
	case "", BackendGo:
		if src.rows != nil {
			return openRows(src)
		}
		return openGo(ctx, src)
	case BackendORT:
		return openORT(ctx, opts, src)
	}
	return nil, fmt.Errorf("unknown backend %q (known: %s, %s)", opts.Backend, BackendGo, BackendORT)
}

// modelInputs are the inputs that a model may have: token ids, 1 for a token
// and 0 for padding, the types of tokens (0 but for pairs of texts), and places from 0.
var modelInputs = []string{"input_ids", "attention_mask", "token_type_ids", "position_ids"}

// fillInput writes the input called name for texts, padded to length and rows
// with zeros, into out, which has length*rows values, all zero.
func fillInput(name string, length int, texts []tokenized, out []int64) {
	for i, t := range texts {
		row := out[i*length : (i+1)*length]
		switch name {
		case "input_ids":
			for k, id := range t.ids {
				row[k] = int64(id)
			}
		case "attention_mask":
			for k := range t.ids {
				row[k] = 1
			}
		case "token_type_ids":
			for k, kind := range t.types {
				row[k] = int64(kind)
			}
		case "position_ids":
			for k := range row {
				row[k] = int64(k)
			}
		}
	}
}

// int32s converts values for a model with 32-bit inputs; ids and positions are far
// smaller.
func int32s(values []int64) []int32 {
	out := make([]int32, len(values))
	for i, v := range values {
		out[i] = int32(v)
	}
	return out
}

// modelPort is an input or output of a model: its name and its dimensions, -1
// for those that vary.
type modelPort struct {
	name string
	dims []int64
}

func (g onnxGraph) hasInput(name string) bool {
	return slices.ContainsFunc(g.inputs, func(p modelPort) bool { return p.name == name })
}

// checkInputs returns an error for an input that the encoder cannot fill.
func (g onnxGraph) checkInputs() error {
	known := map[string]bool{}
	for _, name := range modelInputs {
		known[name] = true
	}
	ids := false
	for _, in := range g.inputs {
		if !known[in.name] {
			return fmt.Errorf("input %q is not supported (%s are)", in.name, strings.Join(modelInputs, ", "))
		}
		if elem := g.elems[in.name]; elem != onnxInt64 && elem != onnxInt32 {
			return fmt.Errorf("input %q has elements of type %d, want 64-bit or 32-bit integers", in.name, elem)
		}
		ids = ids || in.name == "input_ids"
	}
	if !ids {
		return fmt.Errorf("the model has no input input_ids")
	}
	return nil
}

// classOutput is the name that exporters give to the output of a classifier, such as a
// cross-encoder.
const classOutput = "logits"

// encoderOutput refuses a model that gives classes, and no vectors.
func encoderOutput(src *modelSource, _ *modelSettings) error {
	at, pooled, err := chooseOutput(src.graph.outputs, src.static)
	if err == nil && pooled && src.graph.outputs[at].name == classOutput {
		return fmt.Errorf("its output %s has classes, not vectors: a cross-encoder is no encoder; compare pairs of texts with it (--similarity %s:MODEL)",
			classOutput, SimilarityCross)
	}
	return nil // The session has more to say of other models.
}

// tokenOutputs and pooledOutputs are the names that exporters give to these outputs, best
// first.
var (
	tokenOutputs  = []string{"last_hidden_state", "token_embeddings"}
	pooledOutputs = []string{"sentence_embedding", "pooler_output"}
)

// chooseOutput picks the output with a row a token, or else the output with a row a text.
// A static model gets only the tokens that are pooled. Its sentence_embedding, if it has
// such an output, is the sum of their rows, which saves copying them one by one.
func chooseOutput(outputs []modelPort, static bool) (at int, pooled bool, err error) {
	find := func(rank int, names []string) int {
		for _, name := range names {
			for i, o := range outputs {
				if o.name == name && len(o.dims) == rank {
					return i
				}
			}
		}
		for i, o := range outputs {
			if len(o.dims) == rank {
				return i
			}
		}
		return -1
	}
	if static {
		for i, o := range outputs {
			if o.name == pooledOutputs[0] && len(o.dims) == 2 {
				return i, true, nil
			}
		}
	}
	if at = find(3, tokenOutputs); at >= 0 {
		return at, false, nil
	}
	if at = find(2, pooledOutputs); at >= 0 {
		return at, true, nil
	}
	var have []string
	for _, o := range outputs {
		have = append(have, fmt.Sprintf("%s %v", o.name, o.dims))
	}
	return 0, false, fmt.Errorf("no output has the shape [batch, token, dimension] or [batch, dimension]; the model has %s", strings.Join(have, ", "))
}
