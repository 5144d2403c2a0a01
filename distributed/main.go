// Command crscore-beam scores a dataset on Apache Beam: in this process, or on a cluster with
// Flink, Spark or Dataflow. What it writes is what crscore score writes of the same files.
//
// The module has the pipeline and its command, nothing that scores and no scheduler: the engine,
// the readers and the rows are crscore's. It is a module of its own so that crscore does not
// depend on Beam. Beam has flags, registrations and one engine a worker process, all of them
// global; such state may stand here and nowhere else.
package main

import (
	"flag"
	"os"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

func main() {
	if isWorker(os.Args[1:]) {
		flag.Parse()
		beam.Init() // works on bundles until the runner ends the process
		os.Exit(exitIncomplete)
	}
	os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr))
}

// isWorker reports whether Beam's launcher of workers has started the process.
func isWorker(args []string) bool {
	return slices.Contains(args, "--worker") || slices.Contains(args, "--worker=true")
}
