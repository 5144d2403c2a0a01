package packaging

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestClusterPage compares the blocks of docs/cluster.md with the files that it shows.
func TestClusterPage(t *testing.T) {
	page := read(t, "docs/cluster.md")
	for name, lang := range map[string]string{"kubernetes/score.yaml": "yaml", "slurm.sh": "bash"} {
		if !strings.Contains(page, "```"+lang+"\n"+read(t, "docs/cluster/"+name)+"```\n") {
			t.Errorf("docs/cluster.md does not show docs/cluster/%s as it is", name)
		}
	}
	for _, m := range regexp.MustCompile(`docs/cluster/[a-z./-]+\.(yaml|sh)`).FindAllString(page, -1) {
		if _, err := os.Stat(filepath.Join(root, m)); err != nil {
			t.Error(err)
		}
	}
}

// jobs are the names of Kubernetes' files with a Job, in the order of their steps.
func jobs() []string { return []string{"score", "merge"} }

func manifest(t *testing.T, name string) string {
	t.Helper()
	return read(t, "docs/cluster/kubernetes/"+name+".yaml")
}

// secret is the fragment of docs/cluster.md with a key.
func secret(t *testing.T) string {
	t.Helper()
	m := regexp.MustCompile("(?s)```yaml\n( +env:\n.*?)```").FindStringSubmatch(read(t, "docs/cluster.md"))
	if m == nil {
		t.Fatal("docs/cluster.md shows no key")
	}
	return m[1]
}

// withKey is score.yaml with the fragment.
func withKey(t *testing.T) string {
	t.Helper()
	const before = "          resources:\n"
	score := manifest(t, "score")
	at := strings.LastIndex(score, before) // of the container that scores
	if at < 0 {
		t.Fatal(score)
	}
	return score[:at] + secret(t) + score[at:]
}

// TestKubernetesSchema validates the manifests, and sees that broken ones are refused.
func TestKubernetesSchema(t *testing.T) {
	need(t, "kubectl-validate")
	validate := func(text string) (string, error) {
		file := filepath.Join(t.TempDir(), "manifest.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("kubectl-validate", "--version", "1.30", file)
		cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")} // no cluster
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, name := range append(jobs(), "volume") {
		if out, err := validate(manifest(t, name)); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	if out, err := validate(withKey(t)); err != nil {
		t.Errorf("with a key: %v\n%s", err, out)
	}
	for _, change := range [][2]string{
		{"completionMode: Indexed", "completionsMode: Indexed"},
		{"completions: 8", "completions: eight"},
		{"restartPolicy: Never", "restartPolicy: [Never]"},
		{"backoffLimitPerIndex", "backoffLimitPerShard"},
		{"kind: Job", "kind: Jobs"},
		{"values: [2]", "values: 2"},
		{"name: score\n          image", "title: score\n          image"},
	} {
		score := manifest(t, "score")
		if !strings.Contains(score, change[0]) {
			t.Fatalf("score.yaml has no %q", change[0])
		}
		if out, err := validate(strings.Replace(score, change[0], change[1], 1)); err == nil {
			t.Errorf("%q was accepted:\n%s", change[1], out)
		}
	}
}

// job is what the tests read of a Job.
type job struct {
	Kind string
	Spec struct {
		CompletionMode       string `yaml:"completionMode"`
		Completions          int
		Parallelism          int
		BackoffLimitPerIndex *int `yaml:"backoffLimitPerIndex"`
		BackoffLimit         *int `yaml:"backoffLimit"`
		PodFailurePolicy     struct {
			Rules []struct {
				Action      string
				OnExitCodes *struct {
					Operator string
					Values   []int
				} `yaml:"onExitCodes"`
			}
		} `yaml:"podFailurePolicy"`
		Template struct {
			Spec struct {
				RestartPolicy  string      `yaml:"restartPolicy"`
				InitContainers []container `yaml:"initContainers"`
				Containers     []container
				Volumes        []struct{ Name string }
			}
		}
	}
}

// container is what the tests read of a container.
type container struct {
	Command, Args []string
	VolumeMounts  []struct {
		Name      string
		MountPath string `yaml:"mountPath"`
	} `yaml:"volumeMounts"`
}

// readJob returns the Job of a manifest.
func readJob(t *testing.T, name string) job {
	t.Helper()
	for d := yaml.NewDecoder(strings.NewReader(manifest(t, name))); ; {
		var j job
		if err := d.Decode(&j); errors.Is(err, io.EOF) {
			t.Fatalf("%s has no Job", name)
		} else if err != nil {
			t.Fatal(err)
		}
		if j.Kind == "Job" {
			return j
		}
	}
}

// TestKubernetesPolicy checks what the schemas leave to the API server: which values go
// together.
func TestKubernetesPolicy(t *testing.T) {
	for _, name := range jobs() {
		j := readJob(t, name)
		fails, limit := "FailJob", j.Spec.BackoffLimit
		if name == "score" {
			fails, limit = "FailIndex", j.Spec.BackoffLimitPerIndex
			if j.Spec.CompletionMode != "Indexed" || j.Spec.Completions != 8 || j.Spec.Parallelism != 8 {
				t.Errorf("%+v", j.Spec)
			}
		}
		if limit == nil || *limit < 1 || *limit > 10 {
			t.Errorf("%s: retries are not bounded: %v", name, limit)
		}
		rules, pod := j.Spec.PodFailurePolicy.Rules, j.Spec.Template.Spec
		if len(rules) != 2 || rules[0].Action != fails || rules[0].OnExitCodes == nil || rules[0].OnExitCodes.Operator != "In" ||
			!slices.Equal(rules[0].OnExitCodes.Values, []int{2}) || rules[1].Action != "Ignore" || rules[1].OnExitCodes != nil {
			t.Errorf("%s: the rules are %+v", name, rules)
		}
		if pod.RestartPolicy != "Never" { // which a podFailurePolicy needs
			t.Errorf("%s: %s", name, pod.RestartPolicy)
		}
		if len(pod.Containers) != 1 || len(pod.Volumes) != 1 {
			t.Fatalf("%s: %+v", name, pod)
		}
		for _, c := range append(pod.InitContainers, pod.Containers...) {
			if len(c.VolumeMounts) != 1 || c.VolumeMounts[0].Name != pod.Volumes[0].Name || c.VolumeMounts[0].MountPath != "/data" {
				t.Errorf("%s: %+v", name, c)
			}
		}
	}
}

// array runs the steps of a job array on one machine.
type array struct {
	bin, dir string
	// split, score and merge run a step, and return its exit code and what it says.
	split, merge func() (int, string)
	score        func(shard int) (int, string)
	run          func(shard int) string // the run directory
	merged       string
}

// in runs a command in the folder of the array.
func (a *array) in(env []string, args ...string) (int, string) {
	if args[0] == "crscore" {
		args[0] = a.bin
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = a.dir
	cmd.Env = append(append(os.Environ(), "PATH="+filepath.Dir(a.bin)+":"+os.Getenv("PATH")), env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return -1, err.Error()
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// dataset is a dataset of some lines, of which one has no score.
func dataset(lines int) string {
	var b strings.Builder
	for i := range lines {
		text := fmt.Sprintf(`"The value %d needs a reason."`, i+1)
		if i == 5 {
			text = "7"
		}
		fmt.Fprintf(&b, `{"id":"%d","lang":"py","diff":"@@ -1 +1 @@\n-a = %[1]d\n+a = %d\n","reviews":[{"id":"bot","text":%s}]}`+"\n", i, i+1, text)
	}
	return b.String()
}

// want runs a step, which must end with an exit code, and returns what it says.
func want(t *testing.T, exit int, step func() (int, string)) string {
	t.Helper()
	code, out := step()
	if code != exit {
		t.Fatalf("exit code %d, not %d: %s", code, exit, out)
	}
	return out
}

// check has the array score a dataset: a finished run with a review that has no score is
// done, a damaged part is bad input, an unfinished run is not done, and the merged run is
// that of one process.
func (a *array) check(t *testing.T) {
	t.Helper()
	data := filepath.Join(a.dir, "reviews.jsonl")
	if err := os.WriteFile(data, []byte(dataset(20)), 0o666); err != nil {
		t.Fatal(err)
	}
	want(t, 0, func() (int, string) { return a.in(nil, "gzip", "-k", "reviews.jsonl") })
	want(t, 0, a.split)
	want(t, 0, a.split) // as a pod does that comes again
	unscored := 0
	for shard := 1; shard <= 8; shard++ {
		if out := want(t, 0, func() (int, string) { return a.score(shard) }); strings.Contains(out, "reviews without a score: 1") {
			unscored = shard
		}
	}
	if unscored == 0 {
		t.Fatal("no shard has said what it lacks")
	}
	want(t, 0, func() (int, string) { return a.score(unscored) }) // once more
	a.stop(t, unscored)
	a.damage(t, unscored)
	want(t, 0, a.merge)
	want(t, 3, func() (int, string) {
		return a.in(nil, "crscore", "score", "--data", "reviews.jsonl", "--out", "alone")
	})
	for _, file := range []string{"scores.jsonl", "run.json", "journal"} {
		alone, err1 := os.ReadFile(filepath.Join(a.dir, "alone", file))
		merged, err2 := os.ReadFile(filepath.Join(a.dir, a.merged, file))
		if err1 != nil || err2 != nil || !bytes.Equal(alone, merged) {
			t.Errorf("%s differs: %v, %v", file, err1, err2)
		}
	}
}

// stop makes the run of a shard unfinished. It is not done, until another start finishes it.
func (a *array) stop(t *testing.T, shard int) {
	t.Helper()
	manifest, journal := filepath.Join(a.run(shard), "run.json"), filepath.Join(a.run(shard), "journal")
	whole, err1 := os.ReadFile(manifest)
	lines, err2 := os.ReadFile(journal)
	cut := regexp.MustCompile(`(?s),\s*"data": \{.*?\}`).ReplaceAll(whole, nil)
	if err1 != nil || err2 != nil || bytes.Equal(cut, whole) {
		t.Fatalf("%v, %v, %s", err1, err2, whole)
	}
	if err := errors.Join(os.WriteFile(manifest, cut, 0o666), os.WriteFile(journal, bytes.SplitAfter(lines, []byte("\n"))[0], 0o666)); err != nil {
		t.Fatal(err)
	}
	want(t, 2, a.merge)
	score, real := func() (int, string) { return a.score(shard) }, a.bin
	for _, code := range []int{3, 137} { // stopped in the middle, and killed
		a.bin = filepath.Join(t.TempDir(), "crscore")
		if err := os.WriteFile(a.bin, fmt.Appendf(nil, "#!/bin/sh\nexit %d\n", code), 0o755); err != nil {
			t.Fatal(err)
		}
		want(t, code, score)
	}
	a.bin = real
	want(t, 0, score)
}

// damage cuts a part off. That is said with the code of bad input, although the run is
// finished.
func (a *array) damage(t *testing.T, shard int) {
	t.Helper()
	part := filepath.Join(a.dir, fmt.Sprintf("parts/part-00%d-of-008.jsonl.gz", shard))
	text, err := os.ReadFile(part)
	if err == nil {
		err = os.WriteFile(part, text[:len(text)/2], 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	want(t, 2, func() (int, string) { return a.score(shard) })
	if err := os.WriteFile(part, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestKubernetesRuns runs the containers' commands, with a folder for the volume.
func TestKubernetesRuns(t *testing.T) {
	a := &array{bin: crscore(t), dir: t.TempDir(), merged: "merged"}
	start := func(c container, env ...string) (int, string) {
		args := slices.Concat(c.Command, c.Args)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "/data/", a.dir+"/")
		}
		return a.in(env, args...)
	}
	score, merge := readJob(t, "score").Spec.Template.Spec, readJob(t, "merge").Spec.Template.Spec
	if len(score.InitContainers) != 1 {
		t.Fatalf("score.yaml has %d init containers", len(score.InitContainers))
	}
	a.split = func() (code int, said string) { // all pods at a time
		var codes [8]int
		var outs [8]string
		var pods sync.WaitGroup
		for i := range codes {
			pods.Go(func() { codes[i], outs[i] = start(score.InitContainers[0]) })
		}
		pods.Wait()
		return slices.Max(codes[:]), strings.Join(outs[:], "")
	}
	a.merge = func() (int, string) { return start(merge.Containers[0]) }
	a.score = func(shard int) (int, string) {
		return start(score.Containers[0], fmt.Sprintf("JOB_COMPLETION_INDEX=%d", shard-1))
	}
	a.run = func(shard int) string { return filepath.Join(a.dir, fmt.Sprintf("run-%d", shard)) }
	a.check(t)
}

// TestSlurmRuns runs the scripts of Slurm, and the line of docs/cluster.md that splits.
func TestSlurmRuns(t *testing.T) {
	split := regexp.MustCompile("(?m)^crscore split .*$").FindString(read(t, "docs/cluster.md"))
	a := &array{bin: crscore(t), dir: t.TempDir(), merged: "merged"}
	a.split = func() (int, string) { return a.in(nil, "bash", "-c", split) }
	a.merge = func() (int, string) { return a.in(nil, "bash", filepath.Join(root, "docs/cluster/slurm-merge.sh")) }
	a.score = func(shard int) (int, string) {
		return a.in([]string{fmt.Sprintf("SLURM_ARRAY_TASK_ID=%d", shard)}, "bash", filepath.Join(root, "docs/cluster/slurm.sh"))
	}
	a.run = func(shard int) string { return filepath.Join(a.dir, fmt.Sprintf("run-%d", shard)) }
	a.check(t)
	if script := read(t, "docs/cluster/slurm.sh"); !strings.Contains(script, "#SBATCH --array=1-8\n") {
		t.Error("slurm.sh has not the shards of the page")
	}
}

// TestSlurmScripts has shellcheck read the scripts.
func TestSlurmScripts(t *testing.T) {
	need(t, "shellcheck")
	sh(t, root, nil, "shellcheck docs/cluster/*.sh")
}

// workflow is what the tests read of a workflow.
type workflow struct {
	Jobs map[string]struct {
		Needs    string
		Strategy struct {
			Matrix struct{ Shard []int }
		}
		Steps []struct {
			Uses, Run string
			Env       map[string]string
			With      map[string]string
		}
	}
}

// TestGitHubRuns runs the steps of the workflow, with files as artifacts.
func TestGitHubRuns(t *testing.T) {
	var w workflow
	if err := yaml.Unmarshal([]byte(read(t, "docs/cluster/github.yaml")), &w); err != nil {
		t.Fatal(err)
	}
	if got := w.Jobs["score"].Strategy.Matrix.Shard; !slices.Equal(got, []int{1, 2, 3, 4, 5, 6, 7, 8}) || w.Jobs["score"].Needs != "split" || w.Jobs["merge"].Needs != "score" {
		t.Errorf("%+v", w)
	}
	a := &array{bin: crscore(t), dir: t.TempDir(), merged: "merged"}
	const shardOf = "${{ matrix.shard }}"
	// A job is its only step that runs something.
	step := func(job string, shard int) (int, string) {
		var script string
		var env []string
		for _, s := range w.Jobs[job].Steps {
			if s.Run != "" {
				script += s.Run
			}
			for name, value := range s.Env {
				env = append(env, name+"="+strings.ReplaceAll(value, shardOf, fmt.Sprint(shard)))
			}
		}
		return a.in(env, "bash", "-e", "-o", "pipefail", "-c", script)
	}
	a.split = func() (int, string) { return step("split", 0) }
	a.score = func(shard int) (int, string) { return step("score", shard) }
	a.merge = func() (int, string) { // the artifacts of the shards are fetched before
		if code, out := a.in(nil, "bash", "-c", "rm -rf runs && mkdir runs && cp -r run-* runs"); code != 0 {
			return code, out
		}
		return step("merge", 0)
	}
	a.run = func(shard int) string { return filepath.Join(a.dir, fmt.Sprintf("run-%d", shard)) }
	a.check(t)
}

// TestGitHubSchema has actionlint read the workflow, and a broken one.
func TestGitHubSchema(t *testing.T) {
	need(t, "actionlint", "shellcheck")
	lint := func(text string) (string, error) {
		file := filepath.Join(t.TempDir(), "score.yml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("actionlint", file).CombinedOutput()
		return string(out), err
	}
	good := read(t, "docs/cluster/github.yaml")
	if out, err := lint(good); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for _, change := range [][2]string{{"fail-fast", "failfast"}, {"needs: split", "needs: splits"}, {"matrix.shard", "matrix.shards"}, {`"$SHARD/8"`, `$SHARD/8`}} {
		if out, err := lint(strings.Replace(good, change[0], change[1], 1)); err == nil {
			t.Errorf("%q was accepted:\n%s", change[1], out)
		}
	}
}
