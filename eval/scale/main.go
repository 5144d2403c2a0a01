// Command scale measures the time and memory to score datasets of any size. It generates
// synthetic datasets, streams them into the released command, and fits time and memory to the
// number of reviews. Only job arrays and Beam have datasets on the disk, which are removed.
//
//	go run ./eval/scale --max 100000
//	go run ./eval/scale --sizes 111859            # CodeReviewer's test set, 11 systems
//	go run ./eval/scale --max 30000 --out DIR     # with run directories, which are removed
//	go run ./eval/scale --sizes 20000 --shards 8  # as job arrays, too
//	go run ./eval/scale --generate 3000 > FILE    # the dataset alone
//
// The texts come from lists of words. Only their numbers and lengths follow real changes and
// reviews, so the scores mean nothing.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

// defaultSizes are the numbers of reviews that are measured by default.
var defaultSizes = []int{1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000}

func run(ctx context.Context, args []string, out, log io.Writer) error {
	flags := flag.NewFlagSet("scale", flag.ContinueOnError)
	most := flags.Int("max", 10_000, "measure 1000, 3000, 10000 … reviews up to this `number`")
	list := flags.String("sizes", "", "measure these `numbers` of reviews instead, joined by commas")
	seed := flags.Uint64("seed", 1, "of the datasets")
	cores := flags.Int("cores", 2, "processors that the command may use")
	bin := flags.String("bin", "", "the command as a `file` (default: it is built)")
	dirs := flags.String("out", "", "measure run directories with matrices, too, which are made in this `directory`")
	shards := flags.Int("shards", 0, "measure job arrays of this `number` of shards, too")
	beam := flags.String("beam", "", "measure crscore-beam in one process, too: the command as a `file`")
	only := flags.Int("generate", 0, "write a dataset with this `number` of reviews, and measure nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	g := generator{seed: *seed}
	if *only > 0 {
		w := bufio.NewWriter(out)
		return errors.Join(g.write(w, *only), w.Flush())
	}
	sizes, err := parseSizes(*list, *most)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "scale")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	m := measurer{generator: g, bin: *bin, work: temp, cores: *cores}
	if m.bin == "" {
		if m.bin, err = build(ctx, temp, log); err != nil {
			return err
		}
	}
	if m.bin, err = filepath.Abs(m.bin); err != nil {
		return err
	}
	kinds := []kind{{name: "to standard output"}}
	if *dirs != "" {
		dir, err := os.MkdirTemp(*dirs, "scale")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if dir, err = filepath.Abs(dir); err != nil {
			return err
		}
		kinds = append(kinds, kind{name: "into a run directory with matrices", dir: dir}, kind{name: "the finished run directory again", dir: dir, again: true})
	}
	if *shards > 0 {
		kinds = append(kinds,
			kind{name: fmt.Sprintf("%d shards of the file, a machine each", *shards), apart: m.shards(*shards, false)},
			kind{name: fmt.Sprintf("%d parts of the file, a machine each", *shards), apart: m.shards(*shards, true)})
	}
	if *beam != "" {
		bin, err := filepath.Abs(*beam)
		if err != nil {
			return err
		}
		kinds = append(kinds, kind{name: "Beam in one process", apart: m.beam(bin)})
	}
	if err := m.measure(ctx, kinds, sizes, log); err != nil {
		return err
	}
	return report(out, kinds, g)
}

// parseSizes reads numbers of reviews. Without any it returns the default sizes up to a
// maximum.
func parseSizes(list string, most int) (sizes []int, err error) {
	if list != "" {
		for _, s := range strings.Split(list, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(s))
			if err != nil || n < 1 {
				return nil, fmt.Errorf("--sizes: %q is not a number of reviews", s)
			}
			sizes = append(sizes, n)
		}
		return sizes, nil
	}
	for _, n := range defaultSizes {
		if n <= most {
			sizes = append(sizes, n)
		}
	}
	if len(sizes) == 0 {
		return nil, fmt.Errorf("--max is %d, but the smallest size is %d", most, defaultSizes[0])
	}
	return sizes, nil
}

// build builds the command as it is released.
func build(ctx context.Context, dir string, log io.Writer) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("finding the repository: %w", err)
	}
	bin := filepath.Join(dir, "crscore")
	cmd := exec.CommandContext(ctx, "make", "-s", "-C", filepath.Dir(strings.TrimSpace(string(root))), "build", "BIN="+bin)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("building the command: %w", err)
	}
	return bin, nil
}

// report prints a table and the fit for each kind of run.
func report(w io.Writer, kinds []kind, g generator) error {
	var reviewTime float64
	for i, k := range kinds {
		fmt.Fprintf(w, "%s:\n", k.name)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, "reviews\tchanges\tMB read\twall s\tCPU s\tCPU/2 s\tms CPU a change\tpeak MB\t")
		var n, cpu, wall, peak []float64
		for _, r := range k.runs {
			fmt.Fprintf(t, "%d\t%d\t%.0f\t%.1f\t%.1f\t%.1f\t%.2f\t%.0f\t\n", r.reviews, r.changes, float64(r.bytes)/1e6, r.wall.Seconds(),
				r.cpu.Seconds(), r.cpu.Seconds()/2, r.cpu.Seconds()*1000/float64(r.changes), float64(r.peak)/1e6)
			n, peak = append(n, float64(r.reviews)), append(peak, float64(r.peak))
			cpu, wall = append(cpu, r.cpu.Seconds()), append(wall, r.wall.Seconds())
		}
		if err := t.Flush(); err != nil {
			return err
		}
		for _, f := range []struct {
			what   string
			values []float64
		}{{"CPU time", cpu}, {"wall time", wall}, {"peak memory", peak}} {
			if e, ok := fit(n, f.values); ok {
				fmt.Fprintf(w, "%s grows with reviews to the power of %s\n", f.what, e)
			}
		}
		fmt.Fprintln(w)
		if last := k.runs[len(k.runs)-1]; i == 0 {
			reviewTime = last.cpu.Seconds() / float64(last.changes)
		}
	}
	read, err := g.readTime(300)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "To decode the JSON of a change takes %.3f ms of CPU time in the same process as this; to score it, %.1f times that.\n", read.Seconds()*1000, reviewTime/read.Seconds())
	return nil
}
