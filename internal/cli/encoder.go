package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/internal/models"
	"crscore/score"
	"crscore/sts"
)

// encoderFlags choose the encoder.
type encoderFlags struct {
	encoder, file, pooling, backend, library string
}

func (f *encoderFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.encoder, "encoder", builtinName, "sentence model: builtin, a downloaded one by its name, or a `FOLDER` with one (ONNX, as on the Hugging Face hub)")
	fl.StringVar(&f.file, "encoder-file", "", "ONNX `FILE` in the model's folder, such as onnx/model_quantized.onnx (default: model.onnx, onnx/model.onnx or the only one)")
	fl.StringVar(&f.pooling, "pooling", sts.PoolingPaper, "a text's vector: paper (mean of its tokens without stop words) or model (as the model's files say, with its default prompt)")
	fl.StringVar(&f.backend, "backend", sts.BackendGo, "what runs the model: go, or ort (ONNX Runtime, in builds with -tags ort)")
	fl.StringVar(&f.library, "ort-library", "", "`FILE` of ONNX Runtime's shared library, for --backend ort (default: $ORT_DYLIB_PATH, else the system's)")
	complete(cmd, "pooling", sts.PoolingPaper, sts.PoolingModel)
	complete(cmd, "backend", sts.BackendGo, sts.BackendORT)
	// The error is for a flag that does not exist; a test completes each.
	_ = cmd.RegisterFlagCompletionFunc("encoder", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		names := []string{builtinName}
		if store, err := models.Open(""); err == nil {
			list, _ := store.List()
			for _, m := range list {
				names = append(names, m.Name)
			}
		}
		return names, cobra.ShellCompDirectiveDefault
	})
}

func (encoderFlags) names() []string {
	return []string{"encoder", "encoder-file", "pooling", "backend", "ort-library"}
}

// check refuses what cannot work before a model is loaded, which may take long.
func (f *encoderFlags) check(cmd *cobra.Command, opts crscore.Options) error {
	if err := notEmpty(cmd, f.names()...); err != nil {
		return err
	}
	if f.file != "" && f.encoder == builtinName {
		return errors.New("--encoder-file needs --encoder: the built-in model has one file")
	}
	if f.library != "" && f.backend != sts.BackendORT {
		return errors.New("--ort-library needs --backend ort")
	}
	if f.encoder != builtinName && opts.Mode != score.Soft && opts.Tau == nil && opts.Profile == nil {
		return fmt.Errorf("--encoder %s needs --tau or --profile: there is no default threshold but the built-in model's; "+
			"the paper's for mixedbread-ai/mxbai-embed-large-v1 is 0.7314 (with --mode hard --similarity cosine --splitter paper), and crscore calibrate --data FILE finds one for any model; "+
			"--mode soft needs none", f.encoder)
	}
	return nil
}

// open loads the encoder and says on standard error what a person should know of
// it.
func (f *encoderFlags) open(ctx context.Context, cmd *cobra.Command) (*sts.ModelEncoder, error) {
	opts := sts.EncoderOptions{File: f.file, Pooling: f.pooling, Backend: f.backend, Library: f.library}
	if f.encoder == builtinName {
		return sts.NewBuiltin(ctx, opts)
	}
	m, err := models.Find(f.encoder)
	if err != nil {
		return nil, fmt.Errorf("--encoder: %w", err)
	}
	opts.Name = m.Name // none for a folder, which has a name of its own
	e, err := sts.OpenEncoder(ctx, m.Dir, opts)
	if err != nil {
		return nil, fmt.Errorf("--encoder: %w", err)
	}
	for _, note := range e.Notes() {
		logOf(cmd).warn(note)
	}
	if f.backend == sts.BackendGo && !e.Static() && runtime.GOARCH == "amd64" && !sts.SIMD() {
		logOf(cmd).note("this build has no vector instructions, with which the model would run several times faster: build with make build (GOEXPERIMENT=simd)")
	}
	return e, nil
}
