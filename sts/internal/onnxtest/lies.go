package onnxtest

import (
	"fmt"
	"maps"
	"slices"
)

// declared is the lie of the output's declaration, which no node tells.
const declared = "declared"

// lies make a tensor of x, the vectors of tokens, that no computer has room or time for.
var lies = map[string]func(g *graph, x string) string{
	declared: nil,
	"cycle": func(g *graph, x string) string {
		return g.op("Add", x, fmt.Sprintf("Add_%d:0", g.n+1))
	},
	"long cycle": func(g *graph, x string) string {
		last := fmt.Sprintf("Relu_%d:0", g.n+4)
		return g.op("Relu", g.op("Relu", g.op("Relu", g.op("Add", x, last))))
	},
	"constant": func(g *graph, _ string) string { return g.op("ConstantOfShape", g.ints(1<<34)) },
	"expand": func(g *graph, x string) string {
		return g.op("Expand", g.op("ReduceMax", x, intAttr("keepdims", 0)), g.ints(1<<17, 1<<17))
	},
	"concat": func(g *graph, x string) string {
		for range 40 {
			x = g.op("Concat", x, x, intAttr("axis", 1))
		}
		return x
	},
	"range": func(g *graph, _ string) string {
		return g.op("Cast", g.op("Range", g.index(0), g.index(1<<60), g.index(1)), intAttr("to", elemFloat))
	},
	"range of floats": func(g *graph, _ string) string {
		return g.op("Range", g.scalar(0), g.scalar(1), g.scalar(1e-12))
	},
	"tile": func(g *graph, x string) string { return g.op("Tile", x, g.ints(1, 1<<20, 1<<14)) },
	"pad":  func(g *graph, x string) string { return g.op("Pad", x, g.ints(0, 0, 0, 0, 1<<40, 0)) },
	"resize": func(g *graph, x string) string {
		return g.op("Resize", x, "", "", g.ints(1, 1<<20, 1<<20))
	},
	// A size that only short texts have, which a check of the longest does not see.
	"short texts": func(g *graph, x string) string {
		short := g.op("Sub", g.ints(128), g.length(x))
		return g.op("ConstantOfShape", g.op("Mul", short, g.ints(1<<28)))
	},
	// A size that texts of 13 to 24 tokens have alone.
	"24 tokens": func(g *graph, x string) string {
		now := g.op("Cast", g.op("Equal", g.length(x), g.ints(24)), intAttr("to", elemInt64))
		return g.op("ConstantOfShape", g.op("Max", g.op("Mul", now, g.ints(1<<34)), g.ints(1)))
	},
	// A size that follows from what the text says.
	"data": func(g *graph, _ string) string {
		return g.op("ConstantOfShape", g.op("ReduceSum", "input_ids", g.ints(1), intAttr("keepdims", 0)))
	},
	// Each tensor would do, but not all.
	"sum": func(g *graph, x string) string {
		of := x
		for i := range 300 {
			of = g.op("Add", g.op("ReduceMax", of, intAttr("keepdims", 0)), g.op("ConstantOfShape", g.ints(1<<20+i)))
		}
		return of
	},
	"product": func(g *graph, x string) string {
		side := g.op("ConstantOfShape", g.ints(1<<12, 1<<12))
		return g.op("MatMul", side, side)
	},
	"heads": func(g *graph, x string) string {
		return g.op("MultiHeadAttention", x, x, x, intAttr("num_heads", 1<<40))
	},
	"nodes": func(g *graph, x string) string {
		for range 1 << 16 {
			x = g.op("Relu", x)
		}
		return x
	},
	// Backends compute a shape anew for each node that needs it.
	"shapes": func(g *graph, x string) string {
		shape := g.op("Shape", x)
		for range 3000 {
			shape = g.op("Identity", shape)
			x = g.op("Reshape", x, shape)
		}
		return x
	},
	"unknown": func(g *graph, x string) string { return g.op("Loop", x) },
	"missing": func(g *graph, x string) string { return g.op("Add", x, "nowhere") },
	"twice": func(g *graph, x string) string {
		g.name("again", x)
		g.name("again", x)
		return "again"
	},
}

// Lies are what a Transformer can lie about.
func Lies() []string { return slices.Sorted(maps.Keys(lies)) }

// length is the number of tokens, as a list of one.
func (g *graph) length(x string) string {
	return g.op("Slice", g.op("Shape", x), g.ints(1), g.ints(2))
}
