package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"crscore"
	"crscore/internal/models"
	"crscore/internal/report"
	"crscore/internal/run"
	"crscore/internal/setup"
	"crscore/internal/spelling"
	"crscore/sts"
)

func modelsCommand(s streams) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "models",
		Short: "Download, list and check sentence models",
		Long: `models manages the sentence models that --encoder takes by name, and the cross-encoders
that --similarity cross:NAME takes. crscore works without a download: the built-in model is
part of it. pull also has the Ollama server download language models for --claims.

Downloaded models are in the folder of --dir, else in $` + models.EnvDir + `, else in
crscore/models in your cache folder. A folder with a model needs none of these commands:
crscore score --encoder FOLDER.`,
		Example: `  crscore models list
  crscore models pull mixedbread-ai/mxbai-embed-large-v1
  crscore score --encoder mixedbread-ai/mxbai-embed-large-v1 --mode hard \
    --similarity cosine --tau 0.7314 --splitter paper --data reviews.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&dir, "dir", "", "`FOLDER` of downloaded models")
	cmd.AddCommand(modelsPull(s, &dir), modelsList(s, &dir), modelsInfo(s, &dir), modelsRemove(s, &dir))
	return cmd
}

func modelsPull(s streams, dir *string) *cobra.Command {
	var o models.PullOptions
	var retries int
	cmd := &cobra.Command{
		Use:   "pull NAME[@REVISION] | " + ollamaPrefix + "NAME",
		Short: "Download a model from the Hugging Face hub, or with Ollama",
		Long: `pull downloads a sentence transformer or a cross-encoder with an ONNX export: the ONNX
file with its data, the tokenizer, the configuration and the licence. It resolves the
revision (default: main) to a commit, which the model's manifest records, and compares
every file with the size and the checksum that the hub names.

The same command resumes a pull that was interrupted; it checks the files that exist and
does not fetch them again. Environment: HF_TOKEN for private and gated models,
HF_ENDPOINT for a mirror, HTTPS_PROXY.

ollama:NAME is a language model for --claims. The Ollama server, at the address in
OLLAMA_HOST, downloads, checks and keeps it. OLLAMA_HOST may list several servers, joined
by commas; then each does so, one after the other.

Exit codes: 0 done; 2 usage, or the hub has no such model; 3 not done, but the same
command may succeed later.`,
		Example: `  crscore models pull mixedbread-ai/mxbai-embed-large-v1
  crscore models pull org/name@v1.0 --file onnx/model_quantized.onnx
  crscore models pull ollama:qwen2.5-coder:7b
  HF_ENDPOINT=https://hub.example.org crscore models pull org/name`,
		Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return documented(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == models.Builtin {
				return errors.New("the built-in model is part of crscore: there is nothing to download")
			}
			if name, ok := strings.CutPrefix(args[0], ollamaPrefix); ok {
				return pullOllama(cmd, s, name)
			}
			id, err := models.ParseID(args[0])
			if err != nil {
				return err
			}
			if o.MaxBytes <= 0 || o.IdleTimeout <= 0 || retries < 0 {
				return errors.New("--max-bytes and --idle-timeout must be more than 0, and --retries not less")
			}
			if o.Retries = retries; retries == 0 {
				o.Retries = -1
			}
			store, err := models.Open(*dir)
			if err != nil {
				return err
			}
			return pull(cmd.Context(), s, store, id, o)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&o.File, "file", "", "ONNX `FILE` to download (default: "+strings.Join(models.DefaultFiles[:], " or ")+")")
	fl.Int64Var(&o.MaxBytes, "max-bytes", models.DefaultMaxBytes, "refuse a download of more than `BYTES`")
	fl.IntVar(&retries, "retries", models.DefaultRetries, "try a request again up to `N` times, after failures that may pass")
	fl.DurationVar(&o.IdleTimeout, "idle-timeout", models.DefaultIdleTimeout, "give up a connection that is silent for `DURATION`")
	return cmd
}

// completePulled completes the names of downloaded models, and more names.
func completePulled(dir *string, more ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		names := slices.Clone(more)
		if store, err := models.Open(*dir); err == nil {
			all, _ := store.List() // completion has no place for the error
			for _, m := range all {
				names = append(names, m.Name)
			}
		}
		return names, cobra.ShellCompDirectiveDefault
	}
}

func documented() (names []string) {
	for _, k := range models.Documented() {
		names = append(names, k.Name)
	}
	return names
}

func pull(ctx context.Context, s streams, store *models.Store, id models.ID, o models.PullOptions) error {
	bar := s.progress("pulling", "", -1, false)
	o.Token, o.Endpoint = strings.TrimSpace(os.Getenv("HF_TOKEN")), os.Getenv("HF_ENDPOINT")
	o.UserAgent = "crscore/" + crscore.Version
	o.Progress = bar.Set
	o.Note = s.log.Warn
	m, err := store.Pull(ctx, id, o)
	bar.End()
	if err != nil {
		if models.Permanent(err) {
			return err
		}
		if errors.Is(err, context.Canceled) {
			err = errors.New("interrupted") // else Main would describe the error that it wraps
		}
		if n := store.Partial(id); n > 0 {
			err = fmt.Errorf("%w; %s are kept, and the same command resumes", err, spelling.Bytes(n))
		}
		return run.Incomplete{Err: err}
	}
	var b bytes.Buffer
	b.WriteString(spelling.Count("%s\n%d files, %s, checksums right, in\n%s\n", m.ID(), len(m.Files), spelling.Bytes(m.Bytes()), report.Plain(m.Dir)))
	use := models.SoftUse
	for _, k := range models.Documented() {
		if k.Name == m.Name {
			use = k.Use
		}
	}
	if o.File != "" {
		use = "--encoder-file " + o.File + " " + use
	}
	name := id.String()
	if usual, err := models.Open(""); err != nil || usual.Dir != store.Dir {
		name = report.Plain(m.Dir) // --encoder does not look in --dir
	}
	with := "--encoder "
	if is, _, _ := sts.InspectCrossEncoder(os.DirFS(m.Dir), o.File); is { // models info has the error
		with = "--similarity " + setup.CrossPrefix
	}
	fmt.Fprintf(&b, "\nuse it: crscore score %s%s %s ...\n", with, name, use)
	return s.print("text", b.Bytes())
}

func modelsRemove(s streams, dir *string) *cobra.Command {
	return &cobra.Command{
		Use:   "rm NAME[@REVISION]",
		Short: "Delete a downloaded model",
		Long: `rm deletes a downloaded model, all of its revisions unless one is named, and what
an interrupted pull of it left.`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completePulled(dir),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := models.ParseID(args[0])
			if err != nil {
				return err
			}
			store, err := models.Open(*dir)
			if err != nil {
				return err
			}
			gone, err := store.Remove(cmd.Context(), id)
			for _, g := range gone {
				if err := s.print("text", fmt.Appendf(nil, "removed %s\n", report.Plain(g))); err != nil {
					return err
				}
			}
			return err
		},
	}
}
