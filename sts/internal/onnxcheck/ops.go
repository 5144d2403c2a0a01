package onnxcheck

import (
	"slices"
	"strings"
)

// ops are the operations of the usual exports of transformers, plain, optimised and quantised,
// and what each makes.
var ops = table([]group{
	// As large as the first input.
	{1, same, `Abs Acos Asin Atan BatchNormalization BiasGelu BitwiseNot Ceil Celu Clip Cos CumSum Dropout Elu Erf Exp
		FastGelu Floor Gelu GroupNormalization HardSigmoid HardSwish Identity InstanceNormalization IsInf IsNaN
		LayerNormalization LeakyRelu Log LogSoftmax LpNormalization Mish Neg Not PRelu QuantizeLinear QuickGelu
		RMSNormalization Reciprocal Relu RotaryEmbedding Round ScatterElements ScatterND Selu Sigmoid Sign
		SimplifiedLayerNormalization Sin SkipLayerNormalization SkipSimplifiedLayerNormalization Softmax Softplus
		Softsign Sqrt Tan Tanh ThresholdedRelu Trilu`},
	{2, same, "GroupQueryAttention ReverseSequence"},
	{1, quantize, "DynamicQuantizeLinear"},
	{2, dequantize, "DequantizeLinear"},
	{1, cast, "Cast"},
	// As large as the inputs together, place by place.
	{1, broadcast, `Add And BitwiseAnd BitwiseOr BitwiseXor Div Equal Greater GreaterOrEqual Less LessOrEqual Max Mean Min Mod
		Mul Or Pow QLinearAdd QLinearMul Sub Sum Xor`},
	{3, broadcast, "Where"},
	{1, reduce, `ArgMax ArgMin ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd
		ReduceSum ReduceSumSquare`},
	// Products.
	{2, matmul, "DynamicQuantizeMatMul FusedMatMul MatMul MatMulInteger MatMulIntegerToFloat QLinearMatMul"},
	{2, packed, "MatMulNBits"},
	{2, gemm, "FusedGemm GemmFastGelu Gemm QGemm"},
	{1, einsum, "Einsum"},
	{2, conv, "Conv ConvInteger"},
	{1, attention, "Attention MultiHeadAttention QAttention"},
	{3, embed, "EmbedLayerNormalization"},
	// Look-ups.
	{2, gather, "Gather"},
	{2, gatherElements, "GatherElements"},
	{2, gatherND, "GatherND"},
	{1, nonZero, "NonZero"},
	// Shapes.
	{0, constant, "Constant"},
	{1, shape, "Shape Size"},
	{1, constantOfShape, "ConstantOfShape"},
	{3, arange, "Range"},
	{2, reshape, "Reshape"},
	{1, flatten, "Flatten"},
	{1, squeeze, "Squeeze"},
	{1, unsqueeze, "Unsqueeze"},
	{1, transpose, "Transpose"},
	{2, expand, "Expand"},
	{2, tile, "Tile"},
	{1, concat, "Concat"},
	{1, split, "Split"},
	{1, slice, "Slice"},
	{1, pad, "Pad"},
	{1, branch, "If"},
})

// group is several kinds of node that make the like.
type group struct {
	inputs int // that a node must have
	rule   rule
	names  string
}

// rule tells what a node makes.
type rule func(c *call) ([]Tensor, error)

func table(groups []group) map[string]group {
	out := map[string]group{}
	for _, g := range groups {
		for _, name := range strings.Fields(g.names) {
			out[name] = g
		}
	}
	return out
}

// quantizedInputs are where the tensors stand among the inputs of a quantised operation, between
// their scales and zeros.
var quantizedInputs = map[string][]int{
	"QLinearMatMul": {0, 3}, "QLinearAdd": {0, 3}, "QLinearMul": {0, 3}, "QGemm": {0, 3},
}

// operands are the tensors that an operation of two works on.
func (c *call) operands() []*Tensor {
	at, ok := quantizedInputs[c.Op]
	if !ok {
		return c.in[:min(2, len(c.in))]
	}
	var out []*Tensor
	for _, i := range at {
		out = append(out, c.input(i))
	}
	return out
}

// boolean are the operations whose result is true or false.
var boolean = strings.Fields("And Equal Greater GreaterOrEqual IsInf IsNaN Less LessOrEqual Not Or Xor")

// result is the element type of what an operation makes.
func (c *call) result(first Tensor) int {
	if slices.Contains(boolean, c.Op) {
		return Bool
	}
	return first.Elem
}
