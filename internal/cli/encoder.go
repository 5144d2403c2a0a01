package cli

import (
	"context"
	"crscore/internal/terminal"
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
	cmd.Flags().StringVar(&f.encoder, "encoder", models.Builtin, "sentence `MODEL`: builtin, the name of a downloaded model, or a folder with an ONNX model")
	f.addHow(cmd)
	// The error is for a flag that does not exist; a test completes each.
	_ = cmd.RegisterFlagCompletionFunc("encoder", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		names := []string{models.Builtin}
		if store, err := models.Open(""); err == nil {
			list, _ := store.List()
			for _, m := range list {
				names = append(names, m.Name)
			}
		}
		return names, cobra.ShellCompDirectiveDefault
	})
}

// addHow adds the flags that say how a model is opened.
func (f *encoderFlags) addHow(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.file, "encoder-file", "", "ONNX `FILE` in the model's folder (default: model.onnx, onnx/model.onnx or the only ONNX file)")
	fl.StringVar(&f.pooling, "pooling", sts.PoolingPaper, "`POOLING` of tokens to a vector: paper (mean without stop words) or model (as the model's files say, with its default prompt)")
	fl.StringVar(&f.backend, "backend", sts.BackendGo, "`BACKEND` that runs the model: go, or ort (ONNX Runtime, in builds with -tags ort)")
	fl.StringVar(&f.library, "ort-library", "", "shared library `FILE` of ONNX Runtime (default: $ORT_DYLIB_PATH, else the system's)")
	complete(cmd, "pooling", sts.PoolingPaper, sts.PoolingModel)
	complete(cmd, "backend", sts.BackendGo, sts.BackendORT)
}

func (encoderFlags) names() []string {
	return []string{"encoder", "encoder-file", "pooling", "backend", "ort-library"}
}

// checkBackend refuses flags that do not fit together, whatever the model is.
func (f *encoderFlags) checkBackend(cmd *cobra.Command) error {
	if err := notEmpty(cmd, f.names()...); err != nil {
		return err
	}
	if f.library != "" && f.backend != sts.BackendORT {
		return errors.New("--ort-library needs --backend ort")
	}
	return nil
}

// check refuses an encoder that the other flags do not fit, before it is loaded for seconds.
func (f *encoderFlags) check(cmd *cobra.Command, opts crscore.Options) error {
	if err := f.checkBackend(cmd); err != nil {
		return err
	}
	if f.file != "" && f.encoder == models.Builtin {
		return errors.New("--encoder-file needs --encoder: the built-in model has one file")
	}
	if f.encoder != models.Builtin && opts.Mode != score.Soft && opts.Tau == nil && opts.Profile == nil {
		return fmt.Errorf("--encoder %s needs --tau or --profile: there is no default threshold but the built-in model's; "+
			"the paper's for mixedbread-ai/mxbai-embed-large-v1 is 0.7314 (with --mode hard --similarity cosine --splitter paper), and crscore calibrate --data FILE finds one for any model; "+
			"--mode soft needs none", f.encoder)
	}
	return nil
}

// open loads the encoder. The encoder's notes go to standard error.
func (f *encoderFlags) open(ctx context.Context, cmd *cobra.Command) (*sts.ModelEncoder, error) {
	var m models.Model
	if f.encoder != models.Builtin {
		var err error
		if m, err = models.Find(f.encoder); err != nil {
			return nil, fmt.Errorf("--encoder: %w", err)
		}
	}
	e, err := f.load(ctx, m.Dir, m.Name)
	if err != nil {
		return nil, fmt.Errorf("--encoder: %w", err)
	}
	for _, note := range e.Notes() {
		terminal.LogOf(cmd).Warn(note)
	}
	if !e.Static() {
		f.noteSlow(cmd)
	}
	return e, nil
}

// load loads the encoder in a folder, the built-in one for none. A folder without a name is called
// as it is.
func (f *encoderFlags) load(ctx context.Context, dir, name string) (*sts.ModelEncoder, error) {
	opts := f.options(name)
	opts.Pooling = f.pooling
	if dir == "" {
		return sts.NewBuiltin(ctx, opts)
	}
	return sts.OpenEncoder(ctx, dir, opts)
}

// options are those of a model of any kind.
func (f *encoderFlags) options(name string) sts.EncoderOptions {
	return sts.EncoderOptions{Name: name, File: f.file, Backend: f.backend, Library: f.library}
}

// noteSlow says, for a transformer, that another build would be faster.
func (f *encoderFlags) noteSlow(cmd *cobra.Command) {
	if f.backend == sts.BackendGo && runtime.GOARCH == "amd64" && !sts.SIMD() {
		terminal.LogOf(cmd).Note("this build has no vector instructions, with which the model would run several times faster: build with make build (GOEXPERIMENT=simd)")
	}
}
