package cli

import (
	"context"
	"errors"
	"fmt"

	"crscore/chat"

	"github.com/spf13/cobra"
)

// ollamaPrefix begins the name of a language model, as in --claims.
const ollamaPrefix = "ollama:"

// pullOllama lets the Ollama server download a language model.
func pullOllama(cmd *cobra.Command, s streams, name string) error {
	for _, flag := range []string{"file", "dir", "max-bytes", "retries", "idle-timeout"} {
		if cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s is for models of the hub: Ollama's server downloads and keeps its own", flag)
		}
	}
	m, err := chat.NewOllama(name, "")
	if err != nil {
		return err
	}
	bar := s.progress("pulling", "", -1, false)
	begun := false
	digest, bytes, err := m.Pull(cmd.Context(), func(done, total int64) {
		begun = true
		bar.set(done, total)
	})
	bar.end()
	switch {
	case errors.Is(err, chat.ErrNoModel):
		return err
	case errors.Is(err, context.Canceled):
		return incomplete{errors.New("interrupted; the server keeps the part that it has, and the same command resumes")} // else Main would describe the error
	case err != nil && begun:
		return incomplete{fmt.Errorf("%w; the server keeps the part that it has, and the same command resumes", err)}
	case err != nil:
		return incomplete{err}
	}
	return s.print("text", fmt.Appendf(nil, "%s@%.12s\n%s, on the Ollama server at %s\n\nuse it: crscore score --claims symbolic,%s ...\n", m.Name(), digest, size(bytes), m.Host(), m.Name()))
}
