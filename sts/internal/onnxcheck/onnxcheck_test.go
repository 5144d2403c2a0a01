package onnxcheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// builder makes graphs of nodes with one output.
type builder struct{ Graph }

func newBuilder(dims ...int64) *builder {
	return &builder{Graph{Weights: map[string]Tensor{}, Inputs: []Port{{"x", Float, dims}}}}
}

// op adds a node; args are names of inputs and attributes.
func (b *builder) op(kind string, args ...any) string {
	n := Node{Name: fmt.Sprintf("%s_%d", kind, len(b.Nodes)), Op: kind, Attrs: map[string]Attr{}}
	for i := 0; i < len(args); i++ {
		switch name := args[i].(string); {
		case strings.HasPrefix(name, "-"):
			i++
			n.Attrs[name[1:]] = args[i].(Attr)
		default:
			n.Inputs = append(n.Inputs, name)
		}
	}
	n.Outputs = []string{n.Name + ":0"}
	b.Nodes = append(b.Nodes, n)
	return n.Outputs[0]
}

func (b *builder) tensor(elem int, dims []int64, values ...float64) string {
	name := fmt.Sprintf("w%d", len(b.Weights))
	t := Tensor{Elem: elem, Dims: dims, Values: values}
	b.Weights[name] = t
	b.Size += t.size()
	return name
}

func (b *builder) ints(v ...float64) string { return b.tensor(Int64, []int64{int64(len(v))}, v...) }
func (b *builder) int(v float64) string     { return b.tensor(Int64, nil, v) }

func numbers(v ...float64) Attr { return Attr{Numbers: v} }

// made is what a graph that ends with the value makes of it for 1 × 6 tokens of 8 dimensions.
func (b *builder) made(value string) (Tensor, error) {
	c := &checker{ops: ops, rows: 1, length: 6, limit: Limit(1, 6, b.Size)}
	known := scope{values: map[string]*Tensor{"x": {Elem: Float, Dims: []int64{1, 6, 8}}}}
	if err := c.graph(&b.Graph, &known); err != nil {
		return Tensor{}, err
	}
	return *known.find(value), nil
}

// Each kind of node makes what ONNX says; a shape is followed where it is computed.
func TestRules(t *testing.T) {
	tests := []struct {
		name  string
		build func(b *builder) string
		want  string // the dimensions, ~ before bounds, and the values
	}{
		{"same", func(b *builder) string { return b.op("Erf", "x") }, "[1 6 8]"},
		{"sum of a skip", func(b *builder) string {
			b.op("SkipSimplifiedLayerNormalization", "x", "x", b.tensor(Float, []int64{8}))
			b.Nodes[0].Outputs = append(b.Nodes[0].Outputs, "", "", "sum")
			return b.op("Shape", "sum")
		}, "[3] [1 6 8]"},
		{"broadcast", func(b *builder) string { return b.op("Add", "x", b.tensor(Float, []int64{5, 1, 1, 8})) }, "[5 1 6 8]"},
		{"cast", func(b *builder) string {
			return b.op("Cast", b.tensor(Float, []int64{2}, 1.5, -2.5), "-to", numbers(Int64))
		}, "[2] [1 -2]"},
		{"cast of too much", func(b *builder) string { return b.op("Cast", b.ints(1<<40), "-to", numbers(Int32)) }, "[1]"},
		{"int32 wraps", func(b *builder) string {
			two := b.tensor(Int32, []int64{1}, 1<<30)
			return b.op("Add", two, two)
		}, "[1]"},
		{"int64 wraps", func(b *builder) string { return b.op("Mul", b.ints(1<<40), b.ints(1<<40)) }, "[1]"},
		{"too large to be exact", func(b *builder) string { return b.op("Sub", b.ints(1<<62), b.ints(1<<62)) }, "[1]"},
		{"arithmetic", func(b *builder) string {
			n := b.op("Div", b.op("Mul", b.op("Shape", "x"), b.ints(7)), b.ints(2))
			return b.op("Max", b.op("Sub", b.op("Mod", n, b.ints(10)), b.ints(1)), b.ints(0))
		}, "[3] [2 0 7]"},
		{"negative division", func(b *builder) string { return b.op("Div", b.ints(-7), b.ints(2)) }, "[1]"},
		{"where", func(b *builder) string {
			s := b.op("Shape", "x")
			return b.op("Where", b.op("Equal", s, b.ints(6)), b.ints(-1), s)
		}, "[3] [1 -1 8]"},
		{"reduce", func(b *builder) string { return b.op("ReduceMean", "x", "-axes", numbers(-1)) }, "[1 6 1]"},
		{"reduce axes", func(b *builder) string { return b.op("ReduceSum", "x", b.ints(1), "-keepdims", numbers(0)) }, "[1 8]"},
		{"reduce all", func(b *builder) string { return b.op("ReduceMax", "x", "-keepdims", numbers(0)) }, "[]"},
		{"reduce shape", func(b *builder) string {
			return b.op("ReduceProd", b.op("Shape", "x"), "-keepdims", numbers(0))
		}, "[] [48]"},
		{"argmax", func(b *builder) string { return b.op("ArgMax", "x", "-axis", numbers(2), "-keepdims", numbers(0)) }, "[1 6]"},
		{"matmul", func(b *builder) string { return b.op("MatMul", "x", b.tensor(Float, []int64{8, 3})) }, "[1 6 3]"},
		{"vector", func(b *builder) string { return b.op("MatMul", "x", b.tensor(Float, []int64{8})) }, "[1 6]"},
		{"fused matmul", func(b *builder) string { return b.op("FusedMatMul", "x", "x", "-transB", numbers(1)) }, "[1 6 6]"},
		{"4 bits", func(b *builder) string {
			return b.op("MatMulNBits", "x", b.tensor(2, []int64{3, 1, 4}), "-K", numbers(8), "-N", numbers(3))
		}, "[1 6 3]"},
		{"gemm", func(b *builder) string {
			return b.op("Gemm", b.op("Squeeze", "x", b.ints(0)), b.tensor(Float, []int64{3, 8}), "-transB", numbers(1))
		}, "[6 3]"},
		{"einsum", func(b *builder) string { return b.op("Einsum", "x", "x", "-equation", Attr{Text: "bik, bjk -> bij"}) }, "[1 6 6]"},
		{"conv", func(b *builder) string {
			return b.op("Conv", b.op("Transpose", "x", "-perm", numbers(0, 2, 1)), b.tensor(Float, []int64{4, 8, 3}), "-pads", numbers(1, 1))
		}, "[1 4 6]"},
		{"attention of one matrix", func(b *builder) string {
			return b.op("Attention", "x", b.tensor(Float, []int64{8, 24}), "-num_heads", numbers(2))
		}, "[1 6 8]"},
		{"multi-head attention", func(b *builder) string {
			return b.op("MultiHeadAttention", "x", "x", "x", "-num_heads", numbers(2))
		}, "[1 6 8]"},
		{"gather", func(b *builder) string {
			return b.op("Gather", b.tensor(Float, []int64{100, 5}), b.op("ArgMax", "x", "-axis", numbers(2), "-keepdims", numbers(0)))
		}, "[1 6 5]"},
		{"gather a size", func(b *builder) string { return b.op("Gather", b.op("Shape", "x"), b.int(-2)) }, "[] [6]"},
		{"gatherND", func(b *builder) string { return b.op("GatherND", "x", b.tensor(Int64, []int64{7, 2})) }, "[7 8]"},
		{"non-zero", func(b *builder) string {
			ones := b.op("ConstantOfShape", b.op("Slice", b.op("Shape", "x"), b.ints(1), b.ints(2)), "-value", Attr{Tensor: &Tensor{Int64, []int64{1}, []float64{1}, false, 0}})
			return b.op("NonZero", ones)
		}, "[1 6] [0 1 2 3 4 5]"},
		{"non-zero of data", func(b *builder) string { return b.op("NonZero", "x") }, "~[3 48]"},
		{"shape of bounds", func(b *builder) string { return b.op("Shape", b.op("NonZero", "x")) }, "[2]"},
		{"range", func(b *builder) string { return b.op("Range", b.int(1), b.int(6), b.int(2)) }, "[3] [1 3 5]"},
		{"reshape", func(b *builder) string { return b.op("Reshape", "x", b.ints(0, -1, 2, 4)) }, "[1 6 2 4]"},
		{"flatten", func(b *builder) string { return b.op("Flatten", "x", "-axis", numbers(2)) }, "[6 8]"},
		{"squeeze", func(b *builder) string { return b.op("Squeeze", "x") }, "[6 8]"},
		{"unsqueeze", func(b *builder) string { return b.op("Unsqueeze", "x", b.ints(1, -1)) }, "[1 1 6 8 1]"},
		{"transpose", func(b *builder) string { return b.op("Transpose", "x") }, "[8 6 1]"},
		{"expand", func(b *builder) string { return b.op("Expand", "x", b.ints(3, 1, 1, 8)) }, "[3 1 6 8]"},
		{"tile", func(b *builder) string { return b.op("Tile", "x", b.ints(2, 1, 3)) }, "[2 6 24]"},
		{"concat", func(b *builder) string {
			return b.op("Concat", b.op("Shape", "x"), b.ints(9), "-axis", numbers(0))
		}, "[4] [1 6 8 9]"},
		{"split", func(b *builder) string { return b.op("Split", "x", b.ints(8), "-axis", numbers(-1)) }, "[1 6 8]"},
		{"slice", func(b *builder) string { return b.op("Slice", "x", b.ints(0), b.ints(1<<62), b.ints(2), b.ints(3)) }, "[1 6 3]"},
		{"slice to the end", func(b *builder) string { return b.op("Slice", "x", b.ints(-2), b.ints(1<<62), b.ints(1)) }, "[1 2 8]"},
		{"slice by data", func(b *builder) string {
			return b.op("Slice", "x", b.ints(0), b.op("Cast", b.op("ReduceMax", "x"), "-to", numbers(Int64)))
		}, "~[1 6 8]"},
		{"pad", func(b *builder) string { return b.op("Pad", "x", b.ints(0, 1, 0, 0, 2, 0)) }, "[1 9 8]"},
		{"if", func(b *builder) string {
			then, other := newBuilder(), newBuilder()
			then.Outputs = []Port{{Name: then.op("Squeeze", "x")}}
			other.Outputs = []Port{{Name: other.op("Identity", "x")}}
			return b.op("If", b.op("Equal", b.op("Size", "x"), b.int(48)), "-then_branch", Attr{Graph: &then.Graph}, "-else_branch", Attr{Graph: &other.Graph})
		}, "[6 8]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBuilder()
			got, err := b.made(tt.build(b))
			if err != nil {
				t.Fatal(err)
			}
			text := fmt.Sprint(got.Dims)
			if got.atMost {
				text = "~" + text
			}
			if got.Values != nil {
				text += fmt.Sprintf(" %v", got.Values)
			}
			if text != tt.want {
				t.Errorf("made %s, want %s", text, tt.want)
			}
		})
	}
}

// A branch that is not taken is checked too, because a backend may compute its constants.
func TestBranches(t *testing.T) {
	b := newBuilder(-1, -1)
	then, other := newBuilder(), newBuilder()
	then.Outputs = []Port{{Name: then.op("Identity", "x")}}
	other.Outputs = []Port{{Name: other.op("ConstantOfShape", b.ints(1<<34))}}
	b.op("If", b.op("Equal", b.int(1), b.int(1)), "-then_branch", Attr{Graph: &then.Graph}, "-else_branch", Attr{Graph: &other.Graph})
	if _, err := b.Check(1, 6); err == nil || !strings.Contains(err.Error(), "makes the shape [17179869184]") {
		t.Errorf("error is %v", err)
	}
	// A branch that waits for the node that it is in.
	b = newBuilder(-1, -1)
	then.Outputs[0].Name, then.Nodes[0].Inputs[0] = "If_1:0", "x"
	b.op("If", b.op("Equal", b.int(1), b.int(1)), "-then_branch", Attr{Graph: &then.Graph}, "-else_branch", Attr{Graph: &then.Graph})
	if _, err := b.Check(1, 6); err == nil || !strings.Contains(err.Error(), "needs its own output") {
		t.Errorf("error is %v", err)
	}
}

// The limits leave room above the largest of the usual models: here BERT-large as old exports have
// it, with elementary nodes, for the longest text.
func TestLimitsLeaveRoom(t *testing.T) {
	const layers, hidden, heads, vocab, length = 24, 1024, 16, 30522, 512
	b := newBuilder(-1, -1)
	weight := func(dims ...int64) string { return b.tensor(Float, dims) }
	linear := func(x string, in, out int64) string {
		return b.op("Add", b.op("MatMul", x, weight(in, out)), weight(out))
	}
	norm := func(x string) string {
		off := b.op("Sub", x, b.op("ReduceMean", x, "-axes", numbers(-1)))
		variance := b.op("ReduceMean", b.op("Mul", off, off), "-axes", numbers(-1))
		return b.op("Add", b.op("Mul", b.op("Div", off, b.op("Sqrt", variance)), weight(hidden)), weight(hidden))
	}
	x := norm(b.op("Gather", weight(vocab, hidden), "x"))
	split, join := b.ints(0, 0, heads, hidden/heads), b.ints(0, 0, hidden)
	for range layers {
		part := func(order ...float64) string {
			return b.op("Transpose", b.op("Reshape", linear(x, hidden, hidden), split), "-perm", numbers(order...))
		}
		scores := b.op("Div", b.op("MatMul", part(0, 2, 1, 3), part(0, 2, 3, 1)), b.tensor(Float, nil, 8))
		for range 6 { // masks, and what is done about NaN
			scores = b.op("Add", scores, weight(1, 1, 1, length))
		}
		mixed := b.op("MatMul", b.op("Softmax", scores), part(0, 2, 1, 3))
		mixed = linear(b.op("Reshape", b.op("Transpose", mixed, "-perm", numbers(0, 2, 1, 3)), join), hidden, hidden)
		x = norm(b.op("Add", mixed, x))
		up := linear(x, hidden, 4*hidden)
		for range 5 {
			up = b.op("Erf", up)
		}
		x = norm(b.op("Add", linear(up, 4*hidden, hidden), x))
	}
	for _, n := range []int{3, 12, length} {
		c := &checker{ops: ops, rows: 1, length: n, limit: Limit(1, n, b.Size)}
		known := scope{values: map[string]*Tensor{"x": {Elem: Int64, Dims: []int64{1, int64(n)}}}}
		if err := c.graph(&b.Graph, &known); n == length && err != nil {
			t.Fatal(err)
		}
		t.Logf("%d tokens: %.3g of %.3g values, %.3g of %.3g multiplications", n,
			float64(c.values), float64(c.limit), float64(c.work), float64(c.limit*workPerValue))
		if c.values > c.limit/4 || c.work > c.limit*workPerValue/4 {
			t.Errorf("%d tokens: too little room", n)
		}
	}
}

// A small file gets little memory, whatever it says: limits grow with weights that it really has.
func TestLimit(t *testing.T) {
	for _, tt := range []struct {
		rows, length int
		weights      int64
		want         int64
	}{
		{1, 3, 0, 1<<26 + 3<<20 + 9<<12},
		{1, 512, 0, 1<<26 + 1<<29 + 1<<30},
		{4, 12, 1 << 20, 1<<26 + 4<<20 + 48*(1<<20+1<<17) + 576*(1<<12+1<<8)},
	} {
		if got := Limit(tt.rows, tt.length, tt.weights); got != tt.want {
			t.Errorf("%+v: got %d", tt, got)
		}
	}
	if n := Limit(32, 512, 1<<62); n < 0 {
		t.Errorf("overflows to %d", n)
	}
}

// A kind of node that computes shapes is one that is known.
func TestOps(t *testing.T) {
	for _, name := range slices.Concat(boolean, slices.Collect(maps.Keys(binary)), slices.Collect(maps.Keys(unary)), slices.Collect(maps.Keys(quantizedInputs))) {
		if _, ok := ops[name]; !ok {
			t.Errorf("no node is of the kind %s", name)
		}
	}
}
