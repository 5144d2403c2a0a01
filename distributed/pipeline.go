package main

import (
	"context"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"crscore/internal/setup"
)

// File is an input file, with its place among all.
type File struct {
	Index int    // counted from 0
	Path  string // as the file system lists it
}

// Line is a line of an input file that is not blank.
type Line struct {
	File   File
	Number int    // counted from 1
	Text   []byte // without spaces around
}

// Out is a part of an output file: whole lines about one line of the input, or about a system.
type Out struct {
	Line int    // of the input; 0 for a file or a system
	Text []byte // whole lines
}

// The output files, below the folder of the output.
const (
	scoresDir     = "scores"
	deadDir       = "dead-letters"
	warningsDir   = "warnings"
	duplicatesDir = "duplicates"
	systemsFile   = "systems"
	countsFile    = "counts"
)

// job is a pipeline with what it needs.
type job struct {
	files      []File
	out        string
	engine     setup.Settings
	signature  string
	explain    bool
	shardLines int
	ahead      int // changes that a bundle may have in work; 0 for the default
}

// shardName is the output file, without folder and ending, for what is said about a line. A file of
// the output has the results of shardLines lines of one file of the input. In the order of the
// names the files have the order of the input.
func shardName(dir string, file, line, shardLines int) string {
	first := (max(line, 1)-1)/shardLines*shardLines + 1
	return fmt.Sprintf("%s/%06d-%012d", dir, file, first)
}

// build adds the job to a pipeline.
func (j job) build(s beam.Scope) {
	files := make([]any, len(j.files))
	for i, f := range j.files {
		files[i] = f
	}
	// Each file is read by one worker, whatever its size, and each line is scored by any: a
	// packed file cannot be read in parts.
	paths := beam.Reshuffle(s, beam.Create(s, files...))
	lines, readOut, readCounts := beam.ParDo3(s, &readFn{ShardLines: j.shardLines}, paths)
	scoredOut, sums, uses := beam.ParDo3(s, &scoreFn{
		Engine: j.engine, Signature: j.signature, Explain: j.explain, ShardLines: j.shardLines, Ahead: j.ahead,
	}, beam.Reshuffle(s, lines))
	dupOut, dupCounts := beam.ParDo2(s, &duplicateFn{ShardLines: j.shardLines}, beam.CombinePerKey(s, addUses, uses))
	totals := beam.CombinePerKey(s, addSums, beam.Flatten(s, readCounts, sums, dupCounts))
	systems, counts := beam.ParDo2(s, tellSum, totals)
	written := beam.ParDo(s, &writeFn{Dir: j.out}, beam.GroupByKey(s, beam.Flatten(s, readOut, scoredOut, dupOut, systems)))
	// The counts come after all other files, so that who finds them has a whole output: a runner
	// may call a job done that somebody has cancelled.
	beam.ParDo(s, &writeFn{Dir: j.out}, beam.GroupByKey(s, beam.Flatten(s, counts, written)))
}

// init registers what runs on workers: a worker finds functions and types by their names, in a
// table that must be whole before main begins. Beam has no other way.
func init() {
	for _, v := range []any{File{}, Line{}, Out{}, Sum{}, Uses{}, Place{}} {
		beam.RegisterType(reflect.TypeOf(v))
	}
	register.DoFn5x1[context.Context, File, func(Line), func(string, Out), func(string, Sum), error](&readFn{})
	register.DoFn5x1[context.Context, Line, func(string, Out), func(string, Sum), func(string, Uses), error](&scoreFn{})
	register.DoFn5x1[context.Context, string, Uses, func(string, Out), func(string, Sum), error](&duplicateFn{})
	register.DoFn4x1[context.Context, string, func(*Out) bool, func(string, Out), error](&writeFn{})
	register.Function2x1(addSums)
	register.Function2x1(addUses)
	register.Function4x1(tellSum)
	register.Emitter1[Line]()
	register.Emitter2[string, Out]()
	register.Emitter2[string, Sum]()
	register.Emitter2[string, Uses]()
	register.Iter1[Out]()
}
