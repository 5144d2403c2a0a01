package sts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend" // hugot's GO backend registers itself here.
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	mlmodel "github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/onnx-gomlx/onnx"
	"github.com/gomlx/onnx-gomlx/onnx/parser"
	"github.com/knights-analytics/hugot/backends"

	"crscore/sts/internal/limits"
)

// hugotVersion is the version of hugot in go.mod, which a test compares. It is
// part of the signature, because another version may give other bits.
const hugotVersion = "0.7.7"

// goBackend is the name of hugot's GO backend in signatures.
const goBackend = "hugot-" + hugotVersion + "-go"

// goSession runs a model with hugot's GO backend.
type goSession struct {
	base   *backends.BasePipeline
	made   sessionInfo
	shapes *shapeCheck
	narrow []bool // for each input, whether it has 32-bit numbers and not 64-bit ones
	// lengths are what texts are padded to, tokens how many tokens run together,
	// at least one text of them.
	lengths []int
	tokens  int
}

// openGo loads a model. The backend's own loader takes a path, finds the model
// by walking it and reads external data from wherever the model says; so the
// model is put together here, from dir alone, and hugot only runs it.
func openGo(ctx context.Context, src modelSource) (s session, err error) {
	// The parser panics on some files that are no model, the backend on graphs
	// that it cannot compile.
	defer func() {
		if r := recover(); r != nil {
			s, err = nil, fmt.Errorf("not a model that the backend can read: %v", r)
		}
	}()
	if err := vectorsRun(); err != nil && !src.static {
		return nil, err
	}
	data, err := fs.ReadFile(src.dir, src.file)
	if err != nil {
		return nil, err
	}
	parsed, err := parser.Parse(data)
	if err != nil {
		return nil, err
	}
	data = nil // It is as large as the model, and parsed holds a copy.
	external := &externalData{dir: src.dir, base: path.Dir(src.file), files: map[string]fs.File{}}
	parsed = parsed.WithExternalDataReader(external)
	defer func() { err = errors.Join(err, external.Close()) }()

	if err := src.graph.checkInputs(); err != nil {
		return nil, err
	}
	inputs, outputs := src.graph.inputs, src.graph.outputs
	at, pooled, err := src.chooseOutput()
	if err != nil {
		return nil, err
	}
	if elem := src.graph.elems[outputs[at].name]; elem != onnxFloat {
		return nil, fmt.Errorf("output %q has elements of type %d, want 32-bit floats, which hugot's GO backend is limited to", outputs[at].name, elem)
	}

	compiled, err := compileGo(parsed, inputs, outputs[at].name)
	if err != nil {
		return nil, err
	}
	model := &backends.Model{
		OutputsMeta: []backends.InputOutputInfo{{Name: outputs[at].name, Dimensions: outputs[at].dims}},
		GoMLXModel:  compiled,
	}
	for _, in := range inputs {
		model.InputsMeta = append(model.InputsMeta, backends.InputOutputInfo{Name: in.name, Dimensions: in.dims})
	}
	dims := outputs[at].dims
	lengths, tokens := src.batches(pooled)
	name := goBackend
	// A static model has no matrix product, for which alone they are used.
	if vector := vectorInstructions(); vector != "" && !src.static {
		name += "+" + vector
	}
	g := &goSession{
		lengths: lengths, tokens: tokens, shapes: src.graph.shapes,
		// The context belongs to the whole life of the model, not to this call.
		base: &backends.BasePipeline{Model: model, Runtime: "GO", SessionContext: context.WithoutCancel(ctx)},
		made: sessionInfo{backend: name, output: outputs[at].name, dim: int(dims[len(dims)-1]), pooled: pooled},
	}
	for _, in := range inputs {
		g.narrow = append(g.narrow, src.graph.elems[in.name] == onnxInt32)
	}
	if g.made.dim <= 0 {
		compiled.Destroy()
		return nil, fmt.Errorf("output %q has shape %v, want a fixed last dimension", outputs[at].name, dims)
	}
	return g, nil
}

// compileGo makes a program of the backend that computes one output of a model.
func compileGo(parsed onnx.Model, inputs []modelPort, output string) (*backends.GoMLXModel, error) {
	store := mlmodel.NewStore()
	if err := parsed.VariablesToScope(store.RootScope()); err != nil {
		return nil, err
	}
	backend, err := compute.NewWithConfig("go")
	if err != nil {
		return nil, err
	}
	exec, err := mlmodel.NewExec(backend, store, func(scope *mlmodel.Scope, in []*graph.Node) []*graph.Node {
		named := make(map[string]*graph.Node, len(in))
		for i := range in {
			named[inputs[i].name] = in[i]
		}
		return parsed.CallGraph(scope, in[0].Graph(), named, output)
	})
	if err != nil {
		return nil, err
	}
	exec.SetMaxCache(-1) // The encoder bounds the number of shapes.
	return &backends.GoMLXModel{
		Backend: backend, OnnxModel: parsed, Scope: store.RootScope(), Store: store, Exec: exec, MaxCache: -1,
		Destroy: func() {
			exec.Finalize()
			store.Finalize()
			backend.Finalize()
		},
	}, nil
}

// batches returns the lengths that texts are padded to, and the number of tokens that run
// together.
func (src modelSource) batches(pooled bool) ([]int, int) {
	switch {
	case src.static:
		return staticLengths, staticTokens
	case src.graph.quantised():
		return lengths, 1 // The range of values is taken over the batch: a text must be alone.
	case pooled:
		return lengths, 1 // What comes after the pooling has a row a text, and not a multiple of 12.
	}
	return lengths, transformerTokens
}

// missingOperator finds the operator that the backend's error names.
const missingOperator = `unimplemented ONNX op "([^"]*)"`

func (s *goSession) info() sessionInfo { return s.made }

// lengths are the sequence lengths that the model runs at. The backend compiles
// a graph for every shape it sees and keeps it for ever, so shapes must be few.
//
// They are multiples of 12 wherever several texts run together: the backend's
// small matrix product takes 3 or 4 rows at a time and adds up in another order
// for what is left over at the end, so that the last text would get other bits
// than the same text before it.
var lengths = []int{12, 24, 36, 48, 72, 96, 144, 192, 288, 384, limits.Tokens}

// staticLengths are a static model's, which has no matrix product: padding is
// what costs.
var staticLengths = []int{4, 8, 12, 16, 20, 24, 32, 48, 96, 192, limits.Tokens}

// Tokens that run together, padding included where there are fewer texts: for
// another number of rows the matrix product may take another way, so every
// length has one. For a transformer few are enough (MiniLM-L6 at 24 tokens, time
// a text: 1 text 91 ms, 2 texts 76, 5 texts 70, 10 texts 72), and a review of
// three sentences then pays for four and not for 32. So it is with a static model:
// the sentences and references of a change are a few of each length, and at 512 tokens
// nine in ten were padding.
const (
	transformerTokens = 48
	staticTokens      = 128
)

func (s *goSession) shape(n int) (length, rows int) { return batchShape(s.lengths, s.tokens, n) }

// batchShape is the first of lengths that has room for n tokens, and how many texts make tokens.
func batchShape(lengths []int, tokens, n int) (length, rows int) {
	i, _ := slices.BinarySearch(lengths, n)
	if lengths[i] == limits.Tokens {
		return limits.Tokens, 1
	}
	return lengths[i], max(1, tokens/lengths[i])
}

func (s *goSession) close() error {
	s.base.Model.GoMLXModel.Destroy()
	return nil
}

func (s *goSession) run(ctx context.Context, length, rows int, texts []tokenized) (out [][][]float32, err error) {
	// Cancelling is for here and not for hugot: when its context ends it returns
	// at once and frees the inputs, while the kernel still reads them.
	if err := errors.Join(ctx.Err(), s.shapes.check(rows, length)); err != nil {
		return nil, err
	}
	model := s.base.Model
	inputs := make([]*tensors.Tensor, len(model.InputsMeta))
	for i, in := range model.InputsMeta {
		values := make([]int64, rows*length)
		fillInput(in.Name, length, texts, values)
		if s.narrow[i] {
			inputs[i] = tensors.FromFlatDataAndDimensions(int32s(values), rows, length)
		} else {
			inputs[i] = tensors.FromFlatDataAndDimensions(values, rows, length)
		}
	}
	batch := backends.NewBatch(rows)
	batch.MaxSequenceLength = length
	batch.InputValues = inputs
	batch.DestroyInputs = func() error {
		var errs []error
		for _, t := range inputs {
			errs = append(errs, t.FinalizeAll())
		}
		return errors.Join(errs...)
	}
	defer func() { err = errors.Join(err, batch.Destroy()) }()
	// hugot strips the tokens that this mask does not name.
	masks := make([]bool, rows*length)
	batch.PaddingMask = make([][]bool, rows)
	for i := range batch.PaddingMask {
		batch.PaddingMask[i] = masks[i*length : (i+1)*length]
		if i < len(texts) {
			for k := range texts[i].ids {
				batch.PaddingMask[i][k] = true
			}
		}
	}
	if err := backends.RunSessionOnBatch(context.WithoutCancel(ctx), batch, s.base); err != nil {
		if op := regexp.MustCompile(missingOperator).FindStringSubmatch(err.Error()); op != nil {
			return nil, fmt.Errorf("hugot's GO backend has no operator %s, which the model needs (another backend may have it)", op[1])
		}
		return nil, err
	}
	switch values := batch.OutputValues[0].(type) {
	case [][][]float32:
		return values[:min(len(texts), len(values))], nil
	case [][]float32:
		out = make([][][]float32, min(len(texts), len(values)))
		for i := range out {
			out[i] = values[i : i+1]
		}
		return out, nil
	}
	return nil, fmt.Errorf("output %q is %T, want numbers of type float32", s.made.output, batch.OutputValues[0])
}

// externalData reads the weights that stand beside a model, in files of the
// model directory only. The backend calls it from one goroutine.
type externalData struct {
	dir   fs.FS
	base  string // the folder of the ONNX file in dir
	files map[string]fs.File
}

var _ onnx.ExternalDataReader = (*externalData)(nil)

func (e *externalData) ReadInto(info onnx.ExternalDataInfo, out []byte) error {
	f, ok := e.files[info.Location]
	if !ok {
		var err error
		// An fs.FS refuses names that are absolute or have "..".
		if f, err = e.dir.Open(path.Join(e.base, info.Location)); err != nil {
			return fmt.Errorf("external data %q: %w", info.Location, err)
		}
		e.files[info.Location] = f
	}
	r, ok := f.(io.ReaderAt)
	if !ok {
		return fmt.Errorf("external data %q: its file system reads files from start to end only", info.Location)
	}
	if _, err := r.ReadAt(out, info.Offset); err != nil {
		return fmt.Errorf("external data %q: %d bytes at %d: %w", info.Location, len(out), info.Offset, err)
	}
	return nil
}

// Close closes the files; they are opened again when ReadInto wants them.
func (e *externalData) Close() error {
	var errs []error
	for _, f := range e.files {
		errs = append(errs, f.Close())
	}
	clear(e.files)
	return errors.Join(errs...)
}
