//go:build !ort

package sts

import (
	"context"
	"errors"
)

// openORT says that ONNX Runtime is not part of this build.
func openORT(context.Context, EncoderOptions, modelSource) (session, error) {
	return nil, errors.New("this build has no ONNX Runtime: build with -tags ort")
}

// ORT says whether this build has ONNX Runtime.
func ORT() bool { return false }
