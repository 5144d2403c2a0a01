package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"crscore/internal/journal"
	"crscore/internal/ollamatest"
	"crscore/internal/spelling"
)

// kills is how often TestKill ends each command.
const kills = 100

// TestKill kills each command that keeps its results in a run directory, as it is built, at
// random moments and at chosen calls: in the middle of writes, and between the matrices and
// the result lines of a change. It starts it again until the run is through, and wants the
// files of a run that was not disturbed, and no question twice that was answered; and then
// wants the same test to fail with builds that are broken.
func TestKill(t *testing.T) {
	t.Parallel()
	bin, n := build(t), kills
	if os.Getenv("CRSCORE_LONG") == "" {
		n = 4
	}
	for name, c := range commands {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killers := []*killer{newKiller(t, c, 1), newKiller(t, c, 2)}
			t.Run("runs", func(t *testing.T) {
				for i, k := range killers {
					t.Run(fmt.Sprint(i+1), func(t *testing.T) {
						t.Parallel()
						if err := k.run(t, bin, n/len(killers)); err != nil {
							t.Fatal(err)
						}
						t.Logf("killed: %v", k.hits)
					})
				}
			})
			for _, a := range killers[0].aims {
				hits, untraced := 0, false
				for _, k := range killers {
					hits += k.hits[a.String()]
					untraced = untraced || k.untraced
				}
				if n == kills && !untraced && hits == 0 && !t.Failed() {
					t.Errorf("the command was never killed %s", a)
				}
			}
		})
	}
}

// TestKillBroken wants TestKill to fail where it should.
func TestKillBroken(t *testing.T) {
	if os.Getenv("CRSCORE_LONG") == "" {
		t.Skip("make test-all runs this: it builds the command, and kills it often")
	}
	t.Parallel()
	bin := build(t, "-overlay", overlay(t))
	for _, name := range []string{journalFirst, unfinished} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKiller(t, commands["score"], 1)
			k.env = append(k.env, faultEnv+"="+name)
			if err := k.run(t, bin, kills); err == nil {
				t.Error("no kill did any harm")
			} else {
				t.Log(err)
			}
		})
	}
}

// build builds the command.
func build(t *testing.T, args ...string) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "crscore")
	gocmd(t, append(append([]string{"build", "-ldflags=-s -w"}, args...), "-o", bin, "../../cmd/crscore")...)
	return bin
}

// work is a command that keeps its results in a run directory.
type work struct {
	args string // besides the dataset and the directory
	aims []aim  // besides those of every command
	asks bool   // a model, about review bot1 of each change
}

var commands = map[string]work{
	"score":   {args: "score --keep-matrices --explain --workers 2 --claims data:ours --smells data", aims: []aim{{call: "write matrices.crsm", phase: "half"}}},
	"metrics": {args: "metrics --metrics exact,bleu,chrf,rouge-l --workers 2"},
	"judge": {
		args: fmt.Sprint("judge --protocol rel --system bot1 --model ollama:m --parallel ", parallel), asks: true,
		aims: []aim{{call: "write answers.db-wal", phase: "half"}},
	},
}

const (
	changes  = 80
	parallel = 2 // questions that are open at a time
)

// aims are where every command is killed on purpose.
var aims = []aim{
	{call: "write scores.jsonl", phase: "before"}, // between the matrices and the result lines
	{call: "write scores.jsonl", phase: "half"},
	{call: "write scores.jsonl", phase: "after"},
	{call: "write journal", phase: "before"},
	{call: "write journal", phase: "half"},
	{call: "write journal", phase: "after"},
	{call: "sync scores.jsonl", phase: "before"},
	{call: "sync journal", phase: "before"},
	{call: "write run.json.new", phase: "half"},
	{call: "sync run.json.new", phase: "before"},
	{call: "truncate scores.jsonl", phase: "after"},
}

// killer runs a dataset with a command that it kills.
type killer struct {
	work
	model     *ollamatest.Fake // nil for a command that asks none
	dir, data string
	env       []string
	rnd       *rand.Rand
	hits      map[string]int
	tried     map[string]int
	took      time.Duration
	untraced  bool // processes cannot be traced here
	torn      bool // result lines that are not finished stand behind the others
}

func newKiller(t *testing.T, c work, seed uint64) *killer {
	k := &killer{work: c, dir: t.TempDir(), rnd: rand.New(rand.NewPCG(seed, 7)), hits: map[string]int{}, tried: map[string]int{}}
	k.aims = slices.Concat(aims, c.aims)
	k.data = filepath.Join(k.dir, "data.jsonl")
	// No settings, nothing of the one who runs the tests.
	k.env = append(os.Environ(), "HOME="+k.dir, "CRSCORE_CONFIG="+os.DevNull)
	if c.asks {
		k.model = ollamatest.NewFake(t, 1<<15, func(w http.ResponseWriter, q ollamatest.Asked) {
			ollamatest.Reply(w, fmt.Sprintf(`{"con":%d,"comp":2,"rel":3}`, 1+journal.Sum([]byte(q.Prompt))%5), true, "stop", 10)
		})
		k.env = append(k.env, "OLLAMA_HOST="+k.model.URL)
	}
	var text bytes.Buffer
	for i := range changes { // with ready claims and smells, which cost nothing to make
		fmt.Fprintf(&text, `{"id":"%d","path":"queue.py","diff":"@@ -1 +1 @@\n-a\n+b\n","claims":{"ours":["push%d looks for the item first","The item is inserted at %d"]},"smells":["The check is linear"],"reviews":[`, i, i, i)
		for j := range 3 {
			fmt.Fprintf(&text, `{"id":"bot%d","text":"%s"},`, j, strings.Repeat(fmt.Sprintf("The check in push%d is linear in the number of items. Why is it inserted at %d? ", i, j), 1+i%5))
		}
		fmt.Fprintf(&text, `{"id":"msg","text":"The check in push%d is slow."}]}`+"\n", i)
		if i%30 == 20 {
			text.WriteString("{malformed\n")
		}
	}
	if err := os.WriteFile(k.data, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return k
}

func (k *killer) command(bin, dir string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command(bin, append(strings.Fields(k.args), "--data", k.data, "--out", dir)...)
	cmd.Env = append(slices.Clone(k.env), "XDG_CACHE_HOME="+dir+".cache") // each run has its own answers
	said := &bytes.Buffer{}
	cmd.Stderr = said
	return cmd, said
}

// run kills a command n times, lets it come to its end, and returns what went wrong.
func (k *killer) run(t *testing.T, bin string, n int) error {
	reference := filepath.Join(k.dir, "reference")
	cmd, said := k.command(bin, reference)
	start := time.Now()
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != 3 { // there are malformed lines
		t.Fatalf("%v: %s", err, said)
	}
	k.took = time.Since(start)
	want := files(t, reference)
	runs := 0
	dir := func() string { return filepath.Join(k.dir, fmt.Sprint("run", runs)) }
	finished := 0                     // in the present run
	asked, most := k.asked(), changes // questions before it, and how many it may ask
	if k.asks && asked != changes {
		t.Fatalf("%d questions about %d changes", asked, changes)
	}
	for killed, whole := 0, false; killed < n || !whole; {
		cmd, said := k.command(bin, dir())
		hit, code := false, 0
		if killed == n {
			_ = cmd.Run()
			code = cmd.ProcessState.ExitCode()
		} else if killed%2 == 0 || k.untraced {
			hit, code = k.sometime(t, cmd)
		} else {
			a := k.aim(finished == 0)
			var err error
			if hit, code, err = killAt(cmd, a); errors.Is(err, syscall.EPERM) {
				t.Log("processes cannot be traced here: all are killed at random moments")
				k.untraced = true
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			k.tried[a.String()]++
			if hit {
				k.hits[a.String()]++
			}
		}
		if said := said.String(); finished > 0 && !strings.Contains(said, spelling.Count("%d changes are finished", finished)) &&
			!strings.Contains(said, spelling.Count("is finished: %d changes", finished)) && !(hit && said == "") {
			return fmt.Errorf("%d changes were finished, but the next start said %q", finished, said)
		}
		now, err := k.finished(t, dir(), want)
		if err != nil {
			return err
		}
		if now < finished {
			return fmt.Errorf("%d changes were finished, and then %d", finished, now)
		}
		whole = !hit
		if finished = now; hit {
			killed++
			most += parallel
			continue
		}
		if code != 3 {
			return fmt.Errorf("exit code %d: %s", code, said)
		}
		for name, text := range files(t, dir()) {
			if !bytes.Equal(text, want[name]) {
				return fmt.Errorf("%s is not that of an undisturbed run: %d bytes instead of %d", name, len(text), len(want[name]))
			}
		}
		if n := k.asked() - asked; n > most {
			return fmt.Errorf("%d questions, but without those that were open at a kill, there are at most %d", n, most)
		}
		runs++
		finished, asked, most = 0, k.asked(), changes
	}
	t.Logf("%d runs came to their end", runs)
	return nil
}

// asked is how many questions the model was asked so far.
func (k *killer) asked() int {
	if k.model == nil {
		return 0
	}
	return k.model.Calls()
}

// aim takes the aim that was tried least, at one of its first calls. The manifest is
// written when a run begins, and when it ends. Only what is torn is cut.
func (k *killer) aim(begin bool) aim {
	var least *aim
	for _, i := range k.rnd.Perm(len(k.aims)) {
		a := &k.aims[i]
		if !k.torn && strings.HasPrefix(a.call, "truncate ") {
			continue // there is nothing to cut
		}
		if least == nil || k.tried[a.String()] < k.tried[least.String()] {
			least = a
		}
	}
	a := *least
	switch a.call {
	case "write " + ScoresName, "write " + MatricesName, "write answers.db-wal":
		a.n = 1 + k.rnd.IntN(30)
	case "write " + journalName:
		a.n = 1 + k.rnd.IntN(3)
	default:
		a.n = 1
		if begin && a.call == "write "+newManifest {
			a.n += k.rnd.IntN(2)
		}
	}
	return a
}

// sometime kills a command at a random moment of the time that a whole run takes: the
// shortest that any took, for the machine may be busy with something else.
func (k *killer) sometime(t *testing.T, cmd *exec.Cmd) (hit bool, code int) {
	start := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(time.Duration(k.rnd.Int64N(int64(k.took))), func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	timer.Stop()
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if hit = status.Signaled(); hit {
		k.hits["sometime"]++
	} else {
		k.took = min(k.took, time.Since(start))
	}
	return hit, cmd.ProcessState.ExitCode()
}

// finished counts the finished changes of a directory, and holds their bytes against
// those of the undisturbed run.
func (k *killer) finished(t *testing.T, dir string, want map[string][]byte) (int, error) {
	have := files(t, dir)
	j := newLog(bytes.NewReader(have[journalName]))
	k.torn = len(have[ScoresName]) > 0
	for n := 0; ; n++ {
		l, err := j.next()
		if err != nil || l.end != nil {
			if !bytes.HasPrefix(want[journalName], have[journalName][:j.good]) {
				return 0, errors.New("the journal is not that of an undisturbed run")
			}
			return n, nil
		}
		for name, size := range map[string]int64{ScoresName: l.scores, MatricesName: l.matrices} {
			if int64(len(have[name])) < size || !bytes.Equal(have[name][:size], want[name][:size]) {
				return 0, fmt.Errorf("%s: the first %d bytes, which are finished, are not those of an undisturbed run", name, size)
			}
		}
		k.torn = int64(len(have[ScoresName])) > l.scores
	}
}

// files reads a run directory; nothing is no directory.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, name := range []string{ManifestName, ScoresName, MatricesName, journalName} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		out[name] = text
	}
	return out
}
