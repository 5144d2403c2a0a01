package platforms

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestKilled kills a run in its middle, and resumes it: in the end the files have the bytes of a run
// without interruption, and of merged shards.
func TestKilled(t *testing.T) {
	for _, p := range append(emulated(), reference) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t, "reviewers.jsonl")
			data, err := os.ReadFile(filepath.Join(dir, "reviewers.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			// Empty lines fill what reads ahead.
			data = append(bytes.Repeat([]byte("\n"), 1<<17), data...)
			half := bytes.Index(data, []byte(`{"id": "retry"`))
			args := []string{"score", "--data", "-", "--explain", "--keep-matrices", "--quiet", "--out"}

			// It waits for the second half.
			cmd := p.command(t, dir, append(args, "killed")...)
			in, err := cmd.StdinPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err == nil {
				_, err = in.Write(data[:half])
			}
			if err != nil {
				t.Fatal(err)
			}
			killed := func(name string) []byte {
				b, _ := os.ReadFile(filepath.Join(dir, "killed", name)) // not there yet
				return b
			}
			for wait := time.Now(); bytes.Count(killed("journal"), []byte("\n")) < 3; time.Sleep(20 * time.Millisecond) {
				if time.Since(wait) > time.Minute {
					t.Fatalf("no lines in the journal: %s", killed("journal"))
				}
			}
			// Under Wine, this is the process of the command itself.
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			if half := killed("scores.jsonl"); bytes.Contains(killed("run.json"), []byte(`"data"`)) {
				t.Fatalf("it was not killed in the middle: %s", half)
			}

			for _, out := range []string{"killed", "whole"} {
				cmd := p.command(t, dir, append(args, out)...)
				cmd.Stdin = bytes.NewReader(data)
				if r := finish(t, cmd); r.code != 0 {
					t.Fatalf("%s: exit code %d: %s", out, r.code, r.log)
				}
			}
			for _, name := range []string{"scores.jsonl", "matrices.crsm", "run.json"} {
				whole, err := os.ReadFile(filepath.Join(dir, "whole", name))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(whole, killed(name)) {
					t.Errorf("%s: other bytes after kill and resume:\n%s\n%s", name, whole, killed(name))
				}
			}

			// An absolute path has a drive and backslashes on Windows.
			parts := filepath.Join(dir, "parts")
			if p.windows() {
				parts = "Z:" + strings.ReplaceAll(parts, "/", `\`)
			}
			p.must(t, dir, "split", "--data", "reviewers.jsonl", "--shards", "2", "--out", parts)
			p.must(t, dir, "score", "--data", parts, "--shard", "1/2", "--explain", "--out", "one")
			p.must(t, dir, "score", "--data", "./parts", "--shard", "2/2", "--explain", "--out", "two")
			if merged := p.must(t, dir, "merge", "one", "two"); merged != string(killed("scores.jsonl")) {
				t.Errorf("merged shards have other bytes:\n%s", merged)
			}
		})
	}
}
