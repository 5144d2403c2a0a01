package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"crscore/internal/limits"
	"crscore/internal/run"
	"crscore/internal/server"
	"crscore/internal/server/guard"
	"crscore/internal/setup"
	"crscore/internal/stdio"
)

// tokenEnv is the environment variable with the service's token.
const tokenEnv = "CRSCORE_TOKEN"

type serveFlags struct {
	engine    engineFlags
	addr      string
	tokenFile string
	maxBody   int64 // MiB
	opts      server.Options
}

func serveCommand(s streams) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Answer requests over HTTP with a warm engine",
		Long: `serve keeps the engine loaded and answers over HTTP: POST /v1/score, /v1/gate and
/v1/refs, GET /healthz, /readyz and /metrics (Prometheus). /openapi.json describes
them, and / is a page to try them on.

A request has a change and texts, and may set mode, comp_by, tau, low and slope. The flags
choose the sources of references and the similarity for all requests.

serve listens on this machine only. To listen on other addresses it needs a token, in
the environment variable CRSCORE_TOKEN or in a file, and requests must send it
("Authorization: Bearer ..."). /healthz, /readyz, /openapi.json and the page itself
need no token. There is no TLS: put a proxy before it.

SIGTERM and Ctrl-C end the service after the answers to all accepted requests.
Exit codes: 0 ended so; 2 usage; 3 requests were cut off.`,
		Example: `  crscore serve
  crscore serve --addr 127.0.0.1:0 --mode hard --tau 0.25
  CRSCORE_TOKEN=$(openssl rand -hex 32) crscore serve --addr 0.0.0.0:8080 --host scores.example.org`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, s) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.addr, "addr", "127.0.0.1:8080", "`HOST:PORT` to listen on; port 0 is any free port, which standard error names")
	fl.StringVar(&f.tokenFile, "token-file", "", "`FILE` with the token that requests must send (default: $"+tokenEnv+")")
	fl.StringArrayVar(&f.opts.Hosts, "host", nil, "host `NAME` that requests may have, beside localhost and the host of --addr; may be repeated")
	fl.Int64Var(&f.maxBody, "max-body", server.DefaultMaxBody>>20, "largest request, in `MiB`")
	fl.IntVar(&f.opts.Queue, "queue", server.DefaultQueue, "let `N` requests, and `N` small ones beside them, wait for a worker; further requests get the status 429")
	between(cmd, "max-body", 1, limits.Served)
	between(cmd, "queue", 0, limits.Served)
	fl.DurationVar(&f.opts.ReadTimeout, "read-timeout", server.DefaultReadTimeout, "longest `DURATION` of reading a request")
	fl.DurationVar(&f.opts.Timeout, "timeout", server.DefaultTimeout, "longest `DURATION` of a request's waiting and scoring")
	fl.DurationVar(&f.opts.WriteTimeout, "write-timeout", server.DefaultWriteTimeout, "longest `DURATION` of writing an answer")
	fl.DurationVar(&f.opts.ShutdownTimeout, "shutdown-timeout", server.DefaultShutdownTimeout, "longest `DURATION` of answering accepted requests at the end")
	f.engine.add(cmd)
	return cmd
}

func (f *serveFlags) run(cmd *cobra.Command, s streams) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(cmd.Context())
	defer stop()
	f.opts.Log = s.log.Structured()
	srv, err := server.New(f.opts)
	if err != nil {
		return err
	}
	ln, err := guard.Listen(ctx, f.addr, f.opts.Token != "")
	if err != nil && ctx.Err() != nil {
		return nil // ended by a signal
	}
	if err != nil {
		return fmt.Errorf("--addr: %w", err)
	}
	s.log.Note("listening on http://" + ln.Addr().String())
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ctx, ln) }()
	e, err := f.engine.engine(ctx, cmd)
	if err == nil {
		defer e.Close()
		err = srv.Warm(ctx, e)
	}
	if err != nil && ctx.Err() == nil {
		stop()
		<-ended
		return err
	}
	if err == nil { // else a signal came before the service was ready
		s.log.Note("ready: " + e.Signature())
	}
	err = <-ended
	if err != nil && ctx.Err() != nil {
		return run.Incomplete{Err: err}
	}
	return err
}

// check checks the flags, and sets the options of the server.
func (f *serveFlags) check(cmd *cobra.Command) error {
	switch {
	case len(f.engine.Findings) > 0:
		return errors.New("--findings is for one change, and requests have many")
	}
	f.opts.MaxBody, f.opts.Workers = f.maxBody<<20, f.engine.Workers
	// An unspecified address, such as 0.0.0.0, is no host name.
	if host, _, err := net.SplitHostPort(f.addr); err == nil && host != "" && !net.ParseIP(host).IsUnspecified() {
		f.opts.Hosts = append(f.opts.Hosts, host)
	}
	if err := f.engine.readConfig(cmd, setup.Requests, ""); err != nil {
		return err
	}
	return f.token(cmd.Context())
}

// token reads the token from the file or the environment.
func (f *serveFlags) token(ctx context.Context) error {
	token, set := os.LookupEnv(tokenEnv)
	from := "$" + tokenEnv
	if f.tokenFile != "" {
		text, err := stdio.Empty(ctx).ReadFile(f.tokenFile, 1<<16)
		if err != nil {
			return fmt.Errorf("--token-file: %w", err)
		}
		token, set, from = string(text), true, "--token-file"
	}
	if f.opts.Token = strings.TrimSpace(token); set && f.opts.Token == "" {
		return fmt.Errorf("%s is empty: for a service without a token, leave it out", from)
	}
	return nil
}
