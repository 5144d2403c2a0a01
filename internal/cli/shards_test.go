package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"crscore/internal/rundir"
)

// eight is a dataset of so many lines with ids of their own, for eight shards.
func eight(t *testing.T, lines int) string {
	t.Helper()
	text, err := os.ReadFile("testdata/agree.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	few := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	id := regexp.MustCompile(`^\{"id":"`)
	for i := range lines {
		line := few[i%len(few)]
		if !id.MatchString(line) {
			t.Fatalf("%.50s does not begin with an id", line)
		}
		out.WriteString(strings.TrimSuffix(id.ReplaceAllString(line, fmt.Sprintf(`{"id":"%d-`, i)), "\n") + "\n")
	}
	name := filepath.Join(t.TempDir(), "reviews.jsonl")
	if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestEightShards has eight processes work on a dataset at the same time. Two of them are
// killed in the middle and started again. Put together, the runs are the one of a process
// that worked alone.
func TestEightShards(t *testing.T) {
	bin, dir := build(t), t.TempDir()
	data := eight(t, 800)
	if os.Getenv("CRSCORE_LONG") != "" && os.Getenv("CRSCORE_DATA") != "" {
		data = labelled(t)
	}
	parts, whole := filepath.Join(dir, "parts"), filepath.Join(dir, "whole")
	mustRun(t, bin, "split", "--data", data, "--shards", "8", "--out", parts)
	mustRun(t, bin, "score", "--data", data, "--out", whole, "--keep-matrices")
	for name, data := range map[string]string{"lines": data, "parts": parts} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var dirs []string
			var shards []*shardProcess
			for i := 1; i <= 8; i++ {
				p := &shardProcess{bin: bin, data: data, dir: filepath.Join(dir, fmt.Sprint(i)), number: i}
				p.start(t)
				shards, dirs = append(shards, p), append(dirs, p.dir)
			}
			for _, p := range shards {
				if p.number == 3 || p.number == 6 {
					p.kill(t)
				}
			}
			if out, err := exec.Command(bin, append([]string{"merge"}, dirs...)...).CombinedOutput(); err == nil || !strings.Contains(string(out), "start it again first") {
				t.Errorf("merge of killed runs: %v, %s", err, out)
			}
			for _, p := range shards {
				if p.number == 3 || p.number == 6 {
					p.start(t)
				}
			}
			for _, p := range shards {
				if err := <-p.done; err != nil {
					t.Fatalf("shard %d: %v\n%s", p.number, err, p.stderr.String())
				}
				if p.killed != regexp.MustCompile("going on, [1-9][0-9]* changes? (is|are) finished").MatchString(p.stderr.String()) {
					t.Errorf("shard %d, killed %v, said\n%s", p.number, p.killed, p.stderr.String())
				}
			}
			merged := filepath.Join(dir, "merged")
			mustRun(t, bin, append([]string{"merge", "--out", merged}, dirs...)...)
			for _, file := range []string{rundir.ScoresName, rundir.MatricesName, rundir.ManifestName, "journal"} {
				want, err1 := os.ReadFile(filepath.Join(whole, file))
				got, err2 := os.ReadFile(filepath.Join(merged, file))
				if err1 != nil || err2 != nil || !bytes.Equal(want, got) {
					t.Errorf("%s differs: %v, %v", file, err1, err2)
				}
			}
		})
	}
}

// shardProcess is a process that scores a shard.
type shardProcess struct {
	bin, data, dir string
	number         int
	cmd            *exec.Cmd
	done           chan error // has the end of the process
	stderr         bytes.Buffer
	killed         bool
}

func (p *shardProcess) start(t *testing.T) {
	t.Helper()
	p.stderr.Reset()
	p.cmd = exec.Command(p.bin, "score", "--data", p.data, "--shard", fmt.Sprintf("%d/8", p.number), "--out", p.dir, "--keep-matrices", "--workers", "1")
	p.cmd.Stderr = &p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	cmd, done, ended := p.cmd, make(chan error, 1), make(chan struct{})
	p.done = done
	go func() {
		done <- cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // where the test failed
		<-ended
	})
}

// kill kills the process when a change is finished, and not all of them.
func (p *shardProcess) kill(t *testing.T) {
	t.Helper()
	for range 5 {
		journal := filepath.Join(p.dir, "journal")
		for st, err := os.Stat(journal); err != nil || st.Size() == 0; st, err = os.Stat(journal) {
			select {
			case err := <-p.done:
				t.Fatalf("shard %d ended: %v\n%s", p.number, err, p.stderr.String())
			case <-time.After(time.Millisecond):
			}
		}
		_ = p.cmd.Process.Kill()
		<-p.done
		if _, end, err := rundir.Look(p.dir); err == nil && end == nil && p.finished(t) > 0 {
			p.killed = true
			return
		}
		// It was too fast, or this test too slow.
		if err := os.RemoveAll(p.dir); err != nil {
			t.Fatal(err)
		}
		p.start(t)
	}
	t.Fatalf("shard %d could not be killed in the middle", p.number)
}

// finished counts the finished changes.
func (p *shardProcess) finished(t *testing.T) int {
	t.Helper()
	journal, err := os.ReadFile(filepath.Join(p.dir, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(journal, []byte("\n")) - bytes.Count(journal, []byte("end "))
}
