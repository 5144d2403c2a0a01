//go:build ort

package sts

import (
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/gomlx/compute/dtypes/float16"
	ort "github.com/yalue/onnxruntime_go"
)

// ortSession runs a model with ONNX Runtime.
type ortSession struct {
	session *ort.DynamicAdvancedSession
	inputs  []ortInput
	shapes  *shapeCheck
	half    bool // the output is of 16-bit floats
	alone   bool // a text's numbers depend on the texts beside it
	made    sessionInfo
}

type ortInput struct {
	name  string
	int32 bool // else int64
}

// openORT loads a model. One on disk is opened by its path, so that ONNX Runtime
// finds the weights that stand beside it.
func openORT(_ context.Context, opts EncoderOptions, src modelSource) (_ session, err error) {
	if err := ortRuntime.acquire(opts.Library); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ortRuntime.release())
		}
	}()
	graph := src.graph
	if err := graph.checkInputs(); err != nil {
		return nil, err
	}
	at, pooled, err := src.chooseOutput()
	if err != nil {
		return nil, err
	}
	out := graph.outputs[at]
	s := &ortSession{
		shapes: graph.shapes,
		half:   graph.elems[out.name] == onnxFloat16,
		alone:  graph.quantised(),
		made: sessionInfo{
			backend: "onnxruntime-" + ort.GetVersion(),
			output:  out.name,
			dim:     int(out.dims[len(out.dims)-1]),
			pooled:  pooled,
		},
	}
	if s.made.dim <= 0 {
		return nil, fmt.Errorf("output %q has shape %v, want a fixed last dimension", out.name, out.dims)
	}
	if elem := graph.elems[out.name]; elem != onnxFloat && elem != onnxFloat16 {
		return nil, fmt.Errorf("output %q has elements of type %d, want 32-bit or 16-bit floats", out.name, elem)
	}
	var names []string
	for _, in := range graph.inputs {
		names = append(names, in.name)
		s.inputs = append(s.inputs, ortInput{in.name, graph.elems[in.name] == onnxInt32})
	}
	options, err := ortOptions()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, options.Destroy()) }()
	if src.path != "" {
		s.session, err = ort.NewDynamicAdvancedSession(filepath.Join(src.path, filepath.FromSlash(src.file)), names, []string{out.name}, options)
	} else {
		var data []byte
		if data, err = fs.ReadFile(src.dir, src.file); err != nil {
			return nil, err
		}
		s.session, err = ort.NewDynamicAdvancedSessionWithONNXData(data, names, []string{out.name}, options)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

func ortOptions() (*ort.SessionOptions, error) {
	options, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	err = errors.Join(
		// Batches run at the same time, one a worker, which is faster than several
		// threads for one batch.
		options.SetIntraOpNumThreads(1),
		// A pattern would be kept for every shape, for no gain in speed.
		options.SetMemPattern(false),
		// Errors come back as values; the log would go to stderr as well.
		options.SetLogSeverityLevel(ort.LoggingLevelFatal),
	)
	if err != nil {
		return nil, errors.Join(err, options.Destroy())
	}
	return options, nil
}

func (s *ortSession) info() sessionInfo { return s.made }

func (s *ortSession) close() error {
	return errors.Join(s.session.Destroy(), ortRuntime.release())
}

// shape pads little: ONNX Runtime takes every shape as it comes. What a text's
// numbers are depends neither on the texts beside it nor on the padding, as a
// test asserts, but for quantised models: they get every text alone.
func (s *ortSession) shape(n int) (length, rows int) {
	if s.alone {
		return n, 1
	}
	step := 4
	if n > 64 {
		step = 16
	}
	length = (n + step - 1) / step * step
	return length, max(1, min(32, 768/length))
}

// minRows is the smallest batch: operators take other ways through a dimension
// of 1, which gives other bits. Beyond that, rows that no text needs are spared.
const minRows = 2

func (s *ortSession) run(ctx context.Context, length, rows int, texts []tokenized) (out [][][]float32, err error) {
	rows = min(rows, max(minRows, len(texts)))
	if err := errors.Join(ctx.Err(), s.shapes.check(rows, length)); err != nil {
		return nil, err
	}
	var values []ort.Value
	defer func() {
		for _, v := range values {
			err = errors.Join(err, v.Destroy())
		}
	}()
	add := func(v ort.Value, err error) error {
		if err == nil {
			values = append(values, v)
		}
		return err
	}
	shape := ort.NewShape(int64(rows), int64(length))
	for _, in := range s.inputs {
		data := make([]int64, rows*length)
		fillInput(in.name, length, texts, data)
		if in.int32 {
			err = add(ort.NewTensor(shape, int32s(data)))
		} else {
			err = add(ort.NewTensor(shape, data))
		}
		if err != nil {
			return nil, err
		}
	}
	// ONNX Runtime writes into memory of ours: nothing is copied.
	each := length // rows of the output a text
	shape = append(shape, int64(s.made.dim))
	if s.made.pooled {
		each = 1
		shape = ort.NewShape(int64(rows), int64(s.made.dim))
	}
	size := rows * each * s.made.dim
	var flat []float32
	var narrow []byte
	if s.half {
		narrow = make([]byte, 2*size)
		err = add(ort.NewCustomDataTensor(shape, narrow, ort.TensorElementDataTypeFloat16))
	} else {
		flat = make([]float32, size)
		err = add(ort.NewTensor(shape, flat))
	}
	if err != nil {
		return nil, err
	}
	if err := s.forward(ctx, values[:len(s.inputs)], values[len(s.inputs):]); err != nil {
		return nil, err
	}
	if s.half {
		flat = make([]float32, size)
		for i := range flat {
			flat[i] = float16.Float16(binary.LittleEndian.Uint16(narrow[2*i:])).Float32()
		}
	}
	out = make([][][]float32, len(texts))
	for i, t := range texts {
		n := each
		if !s.made.pooled {
			n = len(t.ids)
		}
		out[i] = make([][]float32, n)
		for k := range out[i] {
			at := (i*each + k) * s.made.dim
			out[i][k] = flat[at : at+s.made.dim : at+s.made.dim]
		}
	}
	return out, nil
}

// forward runs the model, and stops it between two operators when ctx ends: a
// batch can take seconds.
func (s *ortSession) forward(ctx context.Context, inputs, outputs []ort.Value) (err error) {
	options, err := ort.NewRunOptions()
	if err != nil {
		return err
	}
	stopped := make(chan error, 1)
	cancel := context.AfterFunc(ctx, func() { stopped <- options.Terminate() })
	defer func() {
		if !cancel() {
			err = errors.Join(ctx.Err(), <-stopped)
		}
		err = errors.Join(err, options.Destroy())
	}()
	return s.session.RunWithOptions(inputs, outputs, options)
}

// ORT reports whether this build has ONNX Runtime.
func ORT() bool { return true }

// LibraryVariable names the environment variable with the path of ONNX Runtime's
// shared library. Other programs that load it at run time read the same one.
const LibraryVariable = "ORT_DYLIB_PATH"

// ortRuntime is the process's one ONNX Runtime: the library has a global
// environment, so there is nothing to hang this on but the process.
var ortRuntime ortLibrary

// ortLibrary is loaded by the first session and let go by the last.
type ortLibrary struct {
	mu    sync.Mutex
	users int
	path  string // what the users asked for
}

func (l *ortLibrary) acquire(path string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if path == "" {
		path = os.Getenv(LibraryVariable)
	}
	if l.users > 0 && path != l.path {
		return fmt.Errorf("ONNX Runtime is loaded from %q already, and a process has only one: close what uses it before you take another", l.path)
	}
	if l.users == 0 {
		if err := loadORT(path); err != nil {
			return err
		}
	}
	l.users++
	l.path = path
	return nil
}

func (l *ortLibrary) release() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users--; l.users > 0 {
		return nil
	}
	return ort.DestroyEnvironment()
}

// loadORT loads the library from path, a file or a directory, or when that is
// empty as the system finds it.
func loadORT(path string) error {
	// The system keeps what went wrong for the thread that asked for the library.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	tries := systemLibraries()
	if path != "" {
		info, err := os.Stat(path)
		if err != nil {
			return noLibrary(err.Error())
		}
		if info.IsDir() {
			for i := range tries {
				tries[i] = filepath.Join(path, tries[i])
			}
		} else {
			tries = []string{path}
		}
	}
	var failed []string
	for _, try := range tries {
		if path != "" {
			// A name without a slash would be looked for where the system has its
			// libraries.
			abs, err := filepath.Abs(try)
			if err != nil {
				return noLibrary(err.Error())
			}
			try = abs
			if err := checkLibrary(try); err != nil {
				failed = append(failed, err.Error())
				continue
			}
		}
		ort.SetSharedLibraryPath(try)
		err := ort.InitializeEnvironment(ort.WithLogLevelFatal())
		if err == nil {
			return nil
		}
		// What the system says names the file already.
		why := strings.TrimPrefix(err.Error(), "Platform-specific initialization failed: ")
		why = strings.TrimPrefix(why, fmt.Sprintf("Error loading ONNX shared library %q: ", try))
		if strings.Contains(why, "ORT API base") {
			why = try + " is older than version 1.28"
		}
		failed = append(failed, why)
	}
	return noLibrary(strings.Join(failed, "; "))
}

// checkLibrary refuses what the system's loader would crash on: of half a file
// it maps what is not there. The table of sections stands at the end.
func checkLibrary(path string) error {
	if runtime.GOOS != "linux" {
		return nil
	}
	f, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("%s is no shared library, or not a whole one: %w", path, err)
	}
	return f.Close()
}

// noLibrary says how to get the library.
func noLibrary(why string) error {
	return fmt.Errorf("ONNX Runtime's shared library cannot be loaded: %s. Give the path of one of version 1.28 or newer, or set %s to it; "+
		"it comes with the releases of ONNX Runtime, with PyPI's onnxruntime and with npm's onnxruntime-node", why, LibraryVariable)
}

// systemLibraries are the library's names, for the system's search.
func systemLibraries() []string {
	switch runtime.GOOS {
	case "windows":
		return []string{"onnxruntime.dll"}
	case "darwin":
		return []string{"libonnxruntime.dylib"}
	}
	return []string{"libonnxruntime.so.1", "libonnxruntime.so"}
}
