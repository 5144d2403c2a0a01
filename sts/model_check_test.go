package sts

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crscore/sts/internal/onnxtest"
)

// What a file says of its sizes is held against limits before a backend believes it: memory that
// runs out, and a stack, take the whole process down.
func TestLyingModels(t *testing.T) {
	serial(t)
	want := map[string]string{
		"declared":        `output "last_hidden_state" is declared as [-1 -1 1099511627776] and made as [1 3 48]`,
		"cycle":           `(Add) needs its own output`,
		"long cycle":      `needs its own output`,
		"constant":        `(ConstantOfShape) makes the shape [17179869184], over the limit of `,
		"expand":          `(Expand) makes the shape [131072 131072], over the limit of `,
		"concat":          `(Concat) makes the shape [1 `,
		"range":           `(Range) counts with [1.152921504606847e+18], which is not followed`,
		"range of floats": `(Range) makes the shape [1000000003996], over the limit of `,
		"tile":            `(Tile) makes the shape [1 3145728 786432], over the limit of `,
		"pad":             `(Pad) makes the shape [1 1099511627779 48], over the limit of `,
		"resize":          `(Resize) is of a kind that is not known`,
		"short texts":     `(ConstantOfShape) makes the shape [33554432000], over the limit of `,
		"24 tokens":       `(ConstantOfShape) makes the shape [17179869184], over the limit of `,
		"data":            `(ConstantOfShape) needs the values of "ReduceSum_`,
		"sum":             `brings all values to `,
		"product":         `(MatMul) brings the multiplications to `,
		"heads":           `(MultiHeadAttention) has 1099511627776 heads for 48 dimensions`,
		"nodes":           `it has more than 65536 nodes`,
		"shapes":          `brings the steps that compute shapes to `,
		"unknown":         `(Loop) is of a kind that is not known`,
		"missing":         `(Add) needs "nowhere", which nothing makes`,
		"twice":           `(Identity) makes "again", which is there already`,
	}
	for _, lie := range onnxtest.Lies() {
		t.Run(lie, func(t *testing.T) {
			dir := smallModel(t, func(m *onnxtest.Transformer) { m.Lie = lie })
			e, err := OpenEncoder(context.Background(), dir, EncoderOptions{})
			place := "loading model.onnx: "
			if err == nil {
				defer e.Close()
				_, err = e.Encode(context.Background(), []string{strings.Repeat("a ", 20)})
				place = "24 tokens"
			}
			if err == nil {
				t.Fatal("no error")
			}
			if want[lie] == "" || !strings.Contains(err.Error(), want[lie]) || !strings.Contains(err.Error(), place) {
				t.Errorf("error is\n\t%v\nwant %q", err, want[lie])
			}
		})
	}
	t.Run("cross-encoder", func(t *testing.T) {
		dir := smallModel(t, func(m *onnxtest.Transformer) { m.Lie, m.Classes = "constant", 1 })
		if _, err := OpenCrossEncoder(context.Background(), dir, EncoderOptions{}); err == nil || !strings.Contains(err.Error(), want["constant"]) {
			t.Errorf("error is %v", err)
		}
	})
}

// Tensors that share the bytes of another file take memory each.
func TestExternalDataIsShared(t *testing.T) {
	dir := smallModel(t, external)
	file := filepath.Join(dir, "model.onnx_data")
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	g := onnxGraph{}
	part := externalPart{location: "model.onnx_data", length: info.Size(), values: info.Size() / 4}
	for n := 1; n <= 9; n++ {
		g.external = append(g.external, part)
		_, err := g.checkExternal(os.DirFS(dir), "model.onnx")
		if shared := err != nil; shared != (n == 9) {
			t.Errorf("%d tensors: error %v", n, err)
		}
	}
}
