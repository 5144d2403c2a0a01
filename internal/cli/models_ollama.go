package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"crscore/chat"
	"crscore/internal/run"
	"crscore/internal/spelling"
)

// ollamaPrefix begins the name of a language model, as in --claims.
const ollamaPrefix = "ollama:"

// pullOllama lets each Ollama server download a language model, one after the other.
func pullOllama(cmd *cobra.Command, s streams, name string) error {
	for _, flag := range []string{"file", "dir", "max-bytes", "retries", "idle-timeout"} {
		if cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s is for models of the hub: Ollama's server downloads and keeps its own", flag)
		}
	}
	all, err := chat.OllamaServers(name)
	if err != nil {
		return err
	}
	var said []byte
	for _, m := range all {
		digest, bytes, err := pullOne(cmd.Context(), s, m)
		if err != nil {
			return err
		}
		said = fmt.Appendf(said, "%s@%.12s\n%s, on the Ollama server at %s\n\n", m.Name(), digest, spelling.Bytes(bytes), m.Host())
	}
	name = all[0].Name()
	return s.print("text", fmt.Appendf(said, "use it: crscore score --claims symbolic,%s ...\n", name))
}

// pullOne lets one server download its model.
func pullOne(ctx context.Context, s streams, m *chat.Ollama) (digest string, bytes int64, err error) {
	bar := s.progress("pulling", "", -1, false)
	begun := false
	digest, bytes, err = m.Pull(ctx, func(done, total int64) {
		begun = true
		bar.Set(done, total)
	})
	bar.End()
	switch {
	case errors.Is(err, chat.ErrNoModel):
	case errors.Is(err, context.Canceled):
		err = run.Incomplete{Err: errors.New("interrupted; the server keeps the part that it has, and the same command resumes")} // else Main would describe the error
	case err != nil && begun:
		err = run.Incomplete{Err: fmt.Errorf("%w; the server keeps the part that it has, and the same command resumes", err)}
	case err != nil:
		err = run.Incomplete{Err: err}
	}
	return digest, bytes, err
}
