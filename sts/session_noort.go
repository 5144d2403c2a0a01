//go:build !ort

package sts

import (
	"context"
	"errors"
)

// openORT is an error: this build has no ONNX Runtime.
func openORT(context.Context, EncoderOptions, modelSource) (session, error) {
	return nil, errors.New("this build has no ONNX Runtime: build with -tags ort")
}

// ORT reports whether this build has ONNX Runtime.
func ORT() bool { return false }
