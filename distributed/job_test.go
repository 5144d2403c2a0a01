package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"google.golang.org/protobuf/encoding/prototext"

	"crscore/internal/dataset"
	"crscore/internal/limits"
	"crscore/internal/setup"
	"crscore/score"
)

// jobOf is the job of a command line.
func jobOf(t *testing.T, args ...string) job {
	t.Helper()
	c := command{stderr: io.Discard}
	cmd := c.cobra()
	cmd.SetContext(context.Background())
	if err := cmd.ParseFlags(configured(args)); err != nil {
		t.Fatal(err)
	}
	j, err := c.job(cmd)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// runJob runs a job as it stands.
func runJob(t *testing.T, j job) (beam.PipelineResult, error) {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	j.build(s)
	return ptest.RunWithMetrics(p)
}

// TestBundles: neither the bundles nor the parts of the input change a byte of the output.
func TestBundles(t *testing.T) {
	dir := t.TempDir()
	for i := range 12 {
		write(t, dir, "part"+string(rune('a'+i))+".jsonl", changes(17*i, 17))
	}
	whole := write(t, dir, "whole.jsonl", changes(0, 12*17))
	var want string
	for _, test := range []struct {
		data  string
		ahead int
	}{{whole, 1}, {whole, 64}, {dir + "/part*", 1}, {dir + "/part*", 0}} {
		j := jobOf(t, "--data", test.data, "--out", filepath.Join(t.TempDir(), "out"))
		j.ahead = test.ahead
		res, err := runJob(t, j)
		if err != nil {
			t.Fatal(err)
		}
		got := joined(t, j.out, scoresDir) + joined(t, j.out, systemsFile+ending)
		if want == "" {
			want = got
		}
		same(t, "output", got, want)
		if n := committed(res); n[reviewsScored] != 2*12*17 || n[changesScored] != 12*17 {
			t.Errorf("committed counters: %v", n)
		}
	}
}

// TestFixed: sums do not depend on the order of their parts, and do not overflow.
func TestFixed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	parts := make([]Sum, 1000)
	for i := range parts {
		parts[i] = Sum{N: 1, Con: fixed(r.Float64()), Comp: fixed(1), Rel: fixed(1.0 / 3)}
	}
	var forward, backward Sum
	for i := range parts {
		forward, backward = addSums(forward, parts[i]), addSums(parts[len(parts)-1-i], backward)
	}
	halves := addSums(sumOf(parts[:500]), sumOf(parts[500:]))
	if forward != backward || forward != halves {
		t.Errorf("%+v, %+v, %+v", forward, backward, halves)
	}
	if forward.Comp.mean(1000) != 1 || forward.Comp != (Fixed{1000, 0}) {
		t.Errorf("the sum of 1000 ones is %v", forward.Comp)
	}
	big := Fixed{1 << 60, 1<<fixedDigits - 1}
	if got := big.add(fixed(1)); got != (Fixed{1<<60 + 1, 1<<fixedDigits - 1}) {
		t.Errorf("%v", got)
	}
	for f := range reflect.TypeFor[Fixed]().NumField() {
		if k := reflect.TypeFor[Fixed]().Field(f).Type.Kind(); k != reflect.Int64 {
			t.Errorf("a sum has a field of %v", k)
		}
	}
}

func sumOf(parts []Sum) (sum Sum) {
	for _, p := range parts {
		sum = addSums(sum, p)
	}
	return sum
}

// TestDuplicates: ids of several changes are told, and all of them are scored.
func TestDuplicates(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
	write(t, dir, "a.jsonl", changes(0, 5))
	write(t, dir, "b.jsonl", changes(3, 3)+strings.Repeat(change(3)+"\n", 12))
	code, errs := beamed(t, "--data", dir+"/*", "--out", out)
	if code != exitDone || !strings.Contains(errs, "ids that several changes have, all of which are scored: 2 ("+out+"/duplicates)") {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	got := jsonLines[duplicate](t, joined(t, out, duplicatesDir))
	if len(got) != 2 || got[0].ID != "3" || got[0].Uses != 14 || len(got[0].Places) != limits.IDPlaces ||
		got[0].Places[0] != (place{dir + "/a.jsonl", 4}) || got[1].ID != "4" || got[1].Places[1] != (place{dir + "/b.jsonl", 2}) {
		t.Errorf("%+v", got)
	}
	if n := countsOf(t, out); n[changesScored] != 20 || n[duplicateIDs] != 2 {
		t.Errorf("%v", n)
	}
}

// TestPanic: a bug in the scoring of a change is its dead letter.
func TestPanic(t *testing.T) {
	ctx := context.Background()
	broken := &worker{slots: make(chan struct{}, 1)} // without an engine
	line := Line{File: File{0, "a.jsonl"}, Number: 3, Text: []byte(change(1))}
	s := broken.score(ctx, line, false)
	if s.err == nil || !strings.Contains(s.err.Error(), "bug: panic") {
		t.Fatalf("error %v", s.err)
	}
	if len(broken.slots) > 0 {
		t.Error("the slot is lost")
	}
	f := scoreFn{ShardLines: 10}
	outs, sums := map[string]string{}, map[string]int64{}
	err := f.emit(ctx, s, func(name string, o Out) { outs[name] += string(o.Text) }, func(key string, s Sum) { sums[key] += s.N }, nil)
	if err != nil || sums[countKey+failedChanges] != 1 ||
		!strings.HasPrefix(outs["dead-letters/000000-000000000001"], `{"file":"a.jsonl","line":3,"id":"1","reason":"bug: panic: `) {
		t.Errorf("%v %v (%v)", outs, sums, err)
	}
}

// TestOtherSignature: a worker that would score otherwise writes nothing.
func TestOtherSignature(t *testing.T) {
	in := write(t, t.TempDir(), "a.jsonl", changes(0, 2))
	j := jobOf(t, "--data", in, "--out", filepath.Join(t.TempDir(), "out"))
	j.signature = "another"
	if _, err := runJob(t, j); err == nil || !strings.Contains(err.Error(), "this worker would score otherwise than the launcher") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(j.out); !os.IsNotExist(err) {
		t.Error("something was written")
	}
}

// TestNoSecrets: neither the pipeline nor its options have anything from the environment.
func TestNoSecrets(t *testing.T) {
	secrets := map[string]string{
		"OPENAI_API_KEY": "one-secret", "OPENAI_BASE_URL": "http://127.0.0.1:9/two-secret", "OLLAMA_HOST": "http://127.0.0.1:9/three-secret",
		"AWS_SECRET_ACCESS_KEY": "four-secret",
	}
	for name, value := range secrets {
		t.Setenv(name, value)
	}
	in := write(t, t.TempDir(), "a.jsonl", changes(0, 2))
	j := jobOf(t, "--data", in, "--out", filepath.Join(t.TempDir(), "out"), "--claims=symbolic,openai:some-model", "--no-cache", "--job_name=seen")
	p, s := beam.NewPipelineWithRoot()
	j.build(s)
	edges, _, err := p.Build()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	env, err := graphx.CreateEnvironment(ctx, jobopts.GetEnvironmentUrn(ctx), jobopts.GetEnvironmentConfig)
	if err != nil {
		t.Fatal(err)
	}
	proto, err := graphx.Marshal(edges, &graphx.Options{Environment: env})
	if err != nil {
		t.Fatal(err)
	}
	options := runtime.NewOptions()
	options.LoadOptionsFromFlags(nil)
	sent, err := json.Marshal(options.Export())
	if err != nil {
		t.Fatal(err)
	}
	decoded := prototext.Format(proto) + string(sent)
	for i := range j.files {
		decoded += j.files[i].Path
	}
	fns, err := json.Marshal([]any{&scoreFn{Engine: j.engine, Signature: j.signature}, &writeFn{Dir: j.out}})
	if err != nil {
		t.Fatal(err)
	}
	if decoded += string(fns); !strings.Contains(string(fns), "openai:some-model") || !strings.Contains(string(sent), `"job_name":"seen"`) || strings.Contains(string(sent), `"data"`) {
		t.Fatalf("these are not the options: %s\n%s", fns, sent)
	}
	for _, value := range secrets {
		for _, part := range []string{value, strings.Split(value, "-secret")[0] + "-secret"} {
			if strings.Contains(decoded, part) {
				t.Errorf("the job has %q", part)
			}
		}
	}
}

// TestOptionsSurvive: Beam sends a DoFn as JSON, which has exported fields alone.
func TestOptionsSurvive(t *testing.T) {
	tau := 0.5
	for _, fn := range []any{
		&readFn{ShardLines: 7},
		&scoreFn{Engine: setup.Settings{Tau: &tau, Profile: setup.Profile{File: "p", Text: []byte("{}")}}, Signature: "s", Explain: true, ShardLines: 7, Ahead: 3},
		&duplicateFn{ShardLines: 7},
		&writeFn{Dir: "d"},
	} {
		b, err := json.Marshal(fn)
		if err != nil {
			t.Fatal(err)
		}
		got := reflect.New(reflect.TypeOf(fn).Elem())
		if err := json.Unmarshal(b, got.Interface()); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Interface(), fn) {
			t.Errorf("%T: %+v, and not %+v", fn, got.Interface(), fn)
		}
	}
}

// TestSettingsTravel: the user's configuration and the file of --profile are read once, by the
// launcher: workers do not have them.
func TestSettingsTravel(t *testing.T) {
	dir, text := t.TempDir(), changes(0, 30)
	in := write(t, dir, "a.jsonl", text)
	config := write(t, dir, "config.yaml", "smells:\n  rules:\n    all: off\nclaims:\n  rules:\n    parameter-added: off\n")
	w, err := openWorker(context.Background(), jobOf(t, "--data", in, "--out", filepath.Join(dir, "none")).engine, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	made := w.engine.Provenance()
	b, err := json.Marshal(score.Profile{Mode: score.Hard, Tau: 0.4, Similarity: made.Similarity.Portable(), Splitter: made.Splitter})
	if err != nil {
		t.Fatal(err)
	}
	profile := write(t, dir, "profile.json", string(b))
	args := []string{"--config=" + config, "--profile=" + profile}
	want := scoreOf(t, text, args...)
	j := jobOf(t, append(args, "--data", in, "--out", filepath.Join(t.TempDir(), "out"))...)
	for _, name := range []string{config, profile} {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	workers.byKey = map[string]*worker{} // that of the launcher
	if _, err := runJob(t, j); err != nil {
		t.Fatal(err)
	}
	same(t, "scores", joined(t, j.out, scoresDir), want)
	if want == scoreOf(t, text) {
		t.Error("the settings had no effect")
	}
}

// TestWorkerBinary: without a program for the workers Beam would compile one that cannot parse code.
func TestWorkerBinary(t *testing.T) {
	in := write(t, t.TempDir(), "a.jsonl", changes(0, 1))
	for _, test := range []struct{ args, want string }{
		{"--runner=flink --endpoint=127.0.0.1:9 --environment_type=EXTERNAL", "--worker_binary is missing: give this program"},
		{"--runner=dataflow", "--worker_binary is missing"},
		{"--runner=prism --endpoint=127.0.0.1:9", "--worker_binary is missing"},
		{"--runner=universal --endpoint=127.0.0.1:9 --environment_type=DOCKER", "--worker_binary is missing"},
		{"--runner=universal --environment_type=LOOPBACK", "--endpoint is missing: give the HOST:PORT of the job server of --runner universal"},
		{"--runner=spark --endpoint=127.0.0.1:9 --worker_binary=/none", "--worker_binary: stat /none"},
		{"--async", "--async: "},
		{"--runner=nothing", "there is no --runner nothing: choose prism, flink"},
	} {
		restore := keepFlags(t)
		code, errs := beamed(t, append(strings.Fields(test.args), "--data", in, "--out", filepath.Join(t.TempDir(), "out"))...)
		restore()
		if code == exitDone || !strings.Contains(errs, test.want) {
			t.Errorf("%s: exit code %d, and not %q: %s", test.args, code, test.want, errs)
		}
	}
}

// keepFlags keeps Beam's flags, which are global.
func keepFlags(t *testing.T) (restore func()) {
	t.Helper()
	old := map[string]string{}
	names := []string{"runner", "endpoint", "environment_type", "environment_config", "worker_binary", "async"}
	for _, name := range names {
		old[name] = flag.Lookup(name).Value.String()
	}
	set := func(name, value string) {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	set("endpoint", "")
	set("environment_type", "")
	return func() {
		for name, value := range old {
			set(name, value)
		}
	}
}

// TestUnreadable tells what a second try cannot cure.
func TestUnreadable(t *testing.T) {
	for err, want := range map[error]bool{
		&os.PathError{Op: "open", Err: os.ErrNotExist}:   true,
		&os.PathError{Op: "open", Err: os.ErrPermission}: true,
		&os.PathError{Op: "open", Err: syscall.ELOOP}:    true, // a link to itself
		&os.PathError{Op: "open", Err: syscall.ENXIO}:    true, // a socket
		&os.PathError{Op: "read", Err: syscall.EIO}:      false,
		errors.New("connection reset by peer"):           false,
		errors.New("error getting object s3://b/x: operation error S3: GetObject, https response error StatusCode: 404, RequestID: "): true,
		errors.New("error getting object s3://b/x: operation error S3: GetObject, https response error StatusCode: 503, RequestID: "): false,
	} {
		if got := unreadable(err); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
	ctx, text := context.Background(), &source{r: io.MultiReader(strings.NewReader(changes(0, 2)), broken{})}
	lines, err := dataset.NewLines("a", text)
	for err == nil {
		_, _, err = lines.Next()
	}
	if ctx.Err() != nil || text.err == nil || errors.Is(err, io.EOF) {
		t.Errorf("a broken way to a file is taken for its end: %v, %v", err, text.err)
	}
}

// broken is a way to a file that breaks.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestWritten: a file that is written twice is there once, and what a dead worker left is removed.
func TestWritten(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	for range 2 {
		parts := []Out{{3, []byte("c\n")}, {1, []byte("b\n")}, {1, []byte("a\n")}}
		next := func(o *Out) bool {
			if len(parts) == 0 {
				return false
			}
			*o, parts = parts[0], parts[1:]
			return true
		}
		if err := (&writeFn{Dir: dir}).ProcessElement(ctx, "scores/x", next, nil); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, "scores/y.jsonl"+temporary+"LEFT", "half")
	write(t, dir, "run.json"+temporary+"LEFT", "half")
	if err := sweep(ctx, dir); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(dir + "/*/*")
	if err != nil || len(names) != 1 || joined(t, dir, scoresDir) != "a\nb\nc\n" {
		t.Errorf("%v: %q (%v)", names, joined(t, dir, scoresDir), err)
	}
	if _, err := os.Stat(dir + "/run.json" + temporary + "LEFT"); !os.IsNotExist(err) {
		t.Error("half a file is left")
	}
	if err := writeFile(ctx, dir+"/scores/x.jsonl/below", nil); err == nil {
		t.Error("a file below a file was written")
	}
}

// TestCountsComeLast: whoever finds the counts has all other files, and without them the output is
// not called whole. A runner says of a job that was cancelled that it is done.
func TestCountsComeLast(t *testing.T) {
	in := write(t, t.TempDir(), "a.jsonl", changes(0, 5))
	j := jobOf(t, "--data", in, "--out", t.TempDir())
	write(t, j.out, scoresDir, "in the place of the folder")
	if _, err := runJob(t, j); err == nil {
		t.Fatal("the scores were written below a file")
	}
	c := command{stderr: io.Discard}
	if err := c.finish(t.Context(), j, nil); !errors.As(err, new(incomplete)) || !strings.Contains(err.Error(), "has ended without "+j.out+"/counts.jsonl") {
		t.Errorf("error %v", err)
	}
	for _, name := range []string{countsFile + ending, runFile} {
		if _, err := os.Stat(filepath.Join(j.out, name)); !os.IsNotExist(err) {
			t.Errorf("%s is there", name)
		}
	}
}

// TestTemporaryFiles: Beam leaves a file for each job, and panics where it cannot.
func TestTemporaryFiles(t *testing.T) {
	temp, in := t.TempDir(), write(t, t.TempDir(), "a.jsonl", changes(0, 2))
	for _, dir := range []string{temp, temp + "/none"} {
		t.Setenv("TMPDIR", dir)
		code, errs := beamed(t, "--data", in, "--out", filepath.Join(t.TempDir(), "out"))
		if dir == temp && code != exitDone || dir != temp && !strings.Contains(errs, "a folder for temporary files") {
			t.Errorf("%s: exit code %d: %s", dir, code, errs)
		}
		if os.Getenv("TMPDIR") != dir {
			t.Errorf("TMPDIR is %s", os.Getenv("TMPDIR"))
		}
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left: %v (%v)", left, err)
	}
}
