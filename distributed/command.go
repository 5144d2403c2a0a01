package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crscore"
	"crscore/internal/cli"
	"crscore/internal/report"
)

// Exit codes, those of crscore score.
const (
	exitDone       = 0
	exitUsage      = 2
	exitIncomplete = 3
)

// incomplete is the error of a job that lacks a part of its results.
type incomplete struct{ error }

// command is the command line.
type command struct {
	data       []string
	out        string
	explain    bool
	shardLines int
	quiet      bool
	engine     cli.EngineFlags

	goesOn string // what an interrupted job does
	stderr io.Writer
}

// Main runs the command line without the program's name, and returns the exit code.
func Main(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c := command{stderr: stderr}
	cmd := c.cobra()
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	err := cmd.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitDone
	case ctx.Err() != nil:
		c.say("error: interrupted" + c.goesOn)
		return exitIncomplete
	}
	c.say("error: " + err.Error())
	if errors.As(err, new(incomplete)) {
		return exitIncomplete
	}
	return exitUsage
}

func (c *command) cobra() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "crscore-beam --data PATTERN --out FOLDER",
		Short: "Score a dataset on Apache Beam",
		Long: `crscore-beam scores the reviews of many files on Apache Beam: in this process, or on
a cluster with Flink, Spark or Dataflow. Files are JSON Lines, packed by gzip or not,
in folders that all workers see or in the buckets of gs:// and s3://.

The folder of --out gets, as files of JSON Lines:

  scores/        a line a review: joined in the order of their names, they are what
                 crscore score --data prints of the same files one after the other
  dead-letters/  what has no score: file, line (0: the whole file), review, reason
  warnings/      what a change was warned of
  duplicates/    ids that several changes have; all of them are scored
  systems.jsonl  of each system the reviews and the means of Con, Comp and Rel
  counts.jsonl   what was counted
  run.json       written last: the signature, the input, the counts

An empty part has no file. All files appear whole. Keys and addresses of model servers
come from the environment of the command and of the workers, never from a flag: flags
go to the cluster.

Exit codes: 0 done; 2 usage or bad input; 3 incomplete: there are dead letters, the job
failed or was interrupted.`,
		Example: `  crscore-beam --data 'reviews/*.jsonl.gz' --out scored
  cat scored/scores/*.jsonl > scores.jsonl
  crscore-beam --data reviews.jsonl --out scored --mode hard --tau 0.5 --explain
  crscore-beam --data 's3://b/in/*.jsonl.gz' --out s3://b/out --runner flink --endpoint jobserver:8099 \
    --environment_type EXTERNAL --environment_config localhost:50000 --worker_binary ./crscore-beam`,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return c.run(cmd) },
	}
	cmd.Version = crscore.Version
	cmd.SetVersionTemplate("crscore-beam {{.Version}}\n")
	fl := cmd.Flags()
	fl.StringArrayVar(&c.data, "data", nil,
		"`PATTERN` of files in JSON Lines, as in 'in/*.jsonl.gz'; may be repeated: in the order of the flags, then of the names")
	fl.StringVar(&c.out, "out", "", "`FOLDER` of the output, new or empty")
	fl.BoolVar(&c.explain, "explain", false, "add the evidence: sentences, references and similarities")
	fl.IntVar(&c.shardLines, "shard-lines", 2000,
		"an output file has the results of `N` lines of one input file; a worker holds as many in memory")
	fl.BoolVar(&c.quiet, "quiet", false, "standard error has only the reasons of failures: no notes or tables")
	c.engine.Add(cmd)
	addRunnerFlags(fl)
	return cmd
}

// addRunnerFlags adds the flags of Beam. Those that most jobs need are in the help.
func addRunnerFlags(fl *pflag.FlagSet) {
	usage := map[string]string{
		"runner":              "`RUNNER` of the job: prism (in this process), flink, spark, dataflow, or universal for another job server",
		"endpoint":            "`HOST:PORT` of the job server",
		"environment_type":    "where workers run: LOOPBACK (in this process), EXTERNAL (a pool of workers), DOCKER or PROCESS",
		"environment_config":  "`ADDRESS` of the pool, or image of DOCKER",
		"worker_binary":       "`FILE` that workers run: this program, built for their machines",
		"parallelism":         "parts of the job at a time on Flink (default: as the cluster is set up)",
		"job_name":            "`NAME` of the job",
		"project":             "`PROJECT` of Dataflow",
		"region":              "`REGION` of Dataflow",
		"staging_location":    "gs:// `FOLDER` for the files of the job on Dataflow",
		"sdk_container_image": "`IMAGE` of the workers on Dataflow",
		"num_workers":         "workers at the start on Dataflow",
		"max_num_workers":     "most workers on Dataflow",
		"worker_machine_type": "`TYPE` of the machines on Dataflow",
	}
	flag.CommandLine.VisitAll(func(f *flag.Flag) {
		if fl.Lookup(f.Name) != nil {
			return
		}
		text, shown := usage[f.Name]
		p := fl.VarPF(goFlag{f}, f.Name, "", text)
		p.Hidden, p.DefValue = !shown, ""
		cli.MarkRunner(p)
		if p.Value.Type() == "bool" {
			p.NoOptDefVal = "true"
		}
	})
}

// goFlag is a flag of Beam. Beam reads those that Go's own set of flags knows as given, and sends
// them to the cluster; ours are not among them.
type goFlag struct{ flag *flag.Flag }

// String returns the value.
func (f goFlag) String() string { return f.flag.Value.String() }

// Set sets the value.
func (f goFlag) Set(value string) error { return flag.CommandLine.Set(f.flag.Name, value) }

// Type is for the help.
func (f goFlag) Type() string {
	if b, is := f.flag.Value.(interface{ IsBoolFlag() bool }); is && b.IsBoolFlag() {
		return "bool"
	}
	return "string"
}

// run scores.
func (c *command) run(cmd *cobra.Command) error {
	ctx := cmd.Context()
	j, err := c.job(cmd)
	if err != nil {
		return err
	}
	if err := checkRunner(); err != nil {
		return err
	}
	if c.quieten(); !workersHere() {
		c.goesOn = ": the job goes on until it is cancelled on the cluster; nobody will write " + runFile
	}
	if workersHere() {
		remove, err := ownTemp()
		if err != nil {
			return err
		}
		defer remove()
	}
	p, s := beam.NewPipelineWithRoot()
	j.build(s)
	c.note(fmt.Sprintf("scoring files: %d", len(j.files)))
	res, err := beamx.RunWithMetrics(ctx, p)
	if ctx.Err() == nil || workersHere() { // else the workers still write their files
		if sweeping := sweep(context.WithoutCancel(ctx), j.out); sweeping != nil && err == nil {
			err = sweeping
		}
	}
	if err != nil {
		return incomplete{fmt.Errorf("the job failed: %s", cause(err))}
	}
	return c.finish(ctx, j, res)
}

// job reads the flags, and looks at input and output before anything is computed.
func (c *command) job(cmd *cobra.Command) (job, error) {
	ctx := cmd.Context()
	switch {
	case len(c.data) == 0:
		return job{}, errors.New("nothing to score: give --data PATTERN")
	case c.out == "":
		return job{}, errors.New("there is no place for the results: give --out FOLDER")
	case c.shardLines < 1 || c.shardLines > 1e6:
		return job{}, fmt.Errorf("--shard-lines is %d, but must be from 1 to 1000000", c.shardLines)
	}
	if c.out != "/" {
		c.out = strings.TrimSuffix(c.out, "/")
	}
	if err := checkOut(ctx, c.out); err != nil {
		return job{}, err
	}
	files, err := listFiles(ctx, c.data)
	if err != nil {
		return job{}, err
	}
	if !workersHere() { // they may be started in another folder
		c.out = absolute(c.out)
		for i := range files {
			files[i].Path = absolute(files[i].Path)
		}
	}
	settings, err := c.engine.Settings(cmd)
	if err != nil {
		return job{}, err
	}
	log := c.stderr
	if c.quiet {
		log = io.Discard
	}
	w, err := openWorker(ctx, settings, log)
	if err != nil {
		return job{}, err
	}
	if err := checkClaims(ctx, files[0], w.engine.ClaimSets()); err != nil {
		return job{}, err
	}
	return job{files: files, out: c.out, engine: settings, signature: w.engine.Signature(), explain: c.explain, shardLines: c.shardLines}, nil
}

// runnerNames are the runners that can score; Beam has others, which draw or check a job, and ends
// the process where there is none of a name.
func runnerNames() []string {
	return []string{"prism", "flink", "spark", "dataflow", "universal",
		"PrismRunner", "FlinkRunner", "SparkRunner", "DataflowRunner", "PortableRunner", "portable"}
}

// checkRunner refuses a job for other machines without a program for them: Beam would then
// compile one without C, which cannot parse code.
func checkRunner() error {
	switch name := *runners.Runner; {
	case name != "" && !slices.Contains(runnerNames(), name):
		return fmt.Errorf("there is no --runner %s: choose %s", name, strings.Join(runnerNames()[:5], ", "))
	case *jobopts.Async:
		return errors.New("--async: the table of systems is made at the end of the job: run the command in the background")
	case *jobopts.Endpoint == "" && !slices.Contains([]string{"", "prism", "PrismRunner", "dataflow", "DataflowRunner"}, *runners.Runner):
		return fmt.Errorf("--endpoint is missing: give the HOST:PORT of the job server of --runner %s", *runners.Runner)
	case workersHere():
		return nil
	case *jobopts.WorkerBinary == "":
		return errors.New("--worker_binary is missing: give this program, built for the machines of the workers " +
			"(with cgo: it parses code with tree-sitter)")
	}
	if st, err := os.Stat(*jobopts.WorkerBinary); err != nil {
		return fmt.Errorf("--worker_binary: %w", err)
	} else if !st.Mode().IsRegular() {
		return fmt.Errorf("--worker_binary %s is not a file", *jobopts.WorkerBinary)
	}
	return nil
}

// quieten leaves the warnings of Beam, which says a lot, and nothing of a Prism in this process: its
// errors are those of the job.
func (c *command) quieten() {
	if log.LogLevel = "warn"; c.quiet {
		log.LogLevel = "error"
	}
	if !beam.Initialized() {
		beam.Init()
	}
	if inProcess() {
		slog.SetDefault(slog.New(slog.DiscardHandler))
	}
}

// inProcess reports whether the job runs on a Prism of this process.
func inProcess() bool {
	return slices.Contains([]string{"", "prism", "PrismRunner"}, *runners.Runner) && *jobopts.Endpoint == "" && *jobopts.EnvironmentType == ""
}

// workersHere reports whether this process is the worker.
func workersHere() bool { return inProcess() || jobopts.IsLoopback() }

// ownTemp gives the process a folder for temporary files, which remove removes: Beam leaves a file
// there for each job of workers in this process, and panics where it cannot.
func ownTemp() (remove func(), err error) {
	const env = "TMPDIR"
	dir, err := os.MkdirTemp("", "crscore-beam-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for temporary files: %w", err)
	}
	old, had := os.LookupEnv(env)
	if err := os.Setenv(env, dir); err != nil {
		return nil, err
	}
	return func() {
		if _ = os.Setenv(env, old); !had {
			_ = os.Unsetenv(env)
		}
		_ = os.RemoveAll(dir)
	}, nil
}

// cause is what a DoFn said, without the plan of the job that Beam prints before it.
func cause(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, "failed:\n"); i >= 0 {
		text = text[i+len("failed:\n"):]
	}
	return strings.TrimSpace(text)
}

// note says something that is no failure.
func (c *command) note(msg string) {
	if !c.quiet {
		c.say(msg)
	}
}

// say writes a message, which may quote names that nobody has looked at.
func (c *command) say(msg string) {
	lines := strings.Split(strings.TrimSuffix(msg, "\n"), "\n")
	for i := range lines {
		lines[i] = report.Plain(lines[i])
	}
	_, _ = c.stderr.Write(report.Inert([]byte("crscore-beam: " + strings.Join(lines, "\n") + "\n")))
}
