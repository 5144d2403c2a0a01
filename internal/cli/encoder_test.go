package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"crscore/sts"
	"crscore/sts/builtin"
)

// crscoreRun runs the command in this process.
func crscoreRun(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = Main(args, strings.NewReader(""), &out, &err)
	return code, out.String(), err.String()
}

// modelFolder copies the built-in model to a folder, without the list of
// checksums and with other settings.
func modelFolder(t *testing.T, config string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "mein Modell ü")
	if err := os.CopyFS(dir, builtin.Model()); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, builtin.SumsFile)); err != nil {
		t.Fatal(err)
	}
	if config != "" {
		if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(config), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestEncoderFlags(t *testing.T) {
	t.Setenv("CRSCORE_MODELS", t.TempDir())
	static := modelFolder(t, "")
	other := modelFolder(t, `{"model_type":"bert","crscore_text":"code-stems/1"}`)
	empty := t.TempDir()
	diff := "../../testdata/cache-expiry/change.diff"
	score := func(args ...string) []string {
		return append([]string{"score", "--diff", diff, "--review", "Callers of put must pass ttl.", "--format", "json"}, args...)
	}
	simd := `(?s)no vector instructions.*GOEXPERIMENT=simd`
	if sts.SIMD() || runtime.GOARCH != "amd64" {
		simd = ""
	}
	tests := []struct {
		name           string
		args           []string
		code           int
		stdout, stderr string // regular expressions; empty wants nothing
	}{
		{"folder", score("--encoder", static, "--mode", "hard", "--tau", "0.3"), 0, `encoder=mein_Modell_ü@sha256:[0-9a-f]{12} .*pooling=mean-no-stop-words`, ``},
		{"relative folder", score("--encoder", static+"/../mein Modell ü/.", "--mode", "soft"), 0, `encoder=mein_Modell_ü@`, ``},
		{"pooling", score("--encoder", static, "--mode", "soft", "--pooling", "model"), 0, `pooling=model:mean`, `name no pooling`},
		{"file", score("--encoder", static, "--mode", "soft", "--encoder-file", "model.onnx"), 0, `encoder=`, ``},
		{"transformer", score("--encoder", other, "--mode", "soft"), 0, `encoder=`, simd},
		{"builtin by name", score("--encoder", "builtin"), 0, `encoder=crscore-`, ``},
		{"hard without tau", score("--encoder", static), 2, ``, `needs --tau.*0\.7314.*--mode soft`},
		{"no model", score("--encoder", empty, "--mode", "soft"), 2, ``, `the directory has no ONNX model \(model\.onnx or onnx/model\.onnx\)`},
		{"no folder", score("--encoder", "./nowhere", "--mode", "soft"), 2, ``, `no folder "./nowhere"`},
		{"not pulled", score("--encoder", "org/name", "--mode", "soft"), 2, ``, `crscore models pull org/name`},
		{"a file", score("--encoder", diff, "--mode", "soft"), 2, ``, `no folder`},
		{"empty", score("--encoder", ""), 2, ``, `--encoder is empty`},
		{"file of builtin", score("--encoder-file", "model.onnx"), 2, ``, `--encoder-file needs --encoder`},
		{"no such file", score("--encoder", static, "--mode", "soft", "--encoder-file", "onnx/q.onnx"), 2, ``, `onnx/q\.onnx`},
		{"file outside", score("--encoder", static, "--mode", "soft", "--encoder-file", "../model.onnx"), 2, ``, `"\.\./model\.onnx" is not in the directory`},
		{"bad pooling", score("--pooling", "max"), 2, ``, `unknown pooling "max" \(known: paper, model\)`},
		{"bad backend", score("--backend", "tpu"), 2, ``, `unknown backend "tpu" \(known: go, ort\)`},
		{"library of go", score("--ort-library", "x.so"), 2, ``, `--ort-library needs --backend ort`},
		{"agree", []string{"agree", "--data", "testdata/labelled.jsonl", "--encoder", static}, 2, ``, `needs --tau`},
		{"agree soft", []string{"agree", "--data", "testdata/labelled.jsonl", "--encoder", static, "--mode", "soft"}, 0, `ρ|rho`, ``},
		{"agree on scores", []string{"agree", "--scores", "x", "--encoder", static}, 2, ``, `encoder`},
	}
	if !sts.ORT() {
		tests = append(tests, tests[0])
		last := &tests[len(tests)-1]
		last.name, last.args, last.code, last.stdout, last.stderr = "no ort", score("--backend", "ort"), 2, ``, `build with -tags ort`
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, stdout, stderr := crscoreRun(tt.args...)
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			for _, s := range []struct{ name, got, want string }{{"stdout", stdout, tt.stdout}, {"stderr", stderr, tt.stderr}} {
				if s.want == "" && s.got != "" || !regexp.MustCompile(s.want).MatchString(s.got) {
					t.Errorf("%s is\n%.600s\nwant %q", s.name, s.got, s.want)
				}
			}
		})
	}
}

// TestBERTScore runs crscore metrics with an ONNX model that reads tokens in context.
func TestBERTScore(t *testing.T) {
	dir := t.TempDir()
	hyp, ref := filepath.Join(dir, "bot.txt"), filepath.Join(dir, "human.txt")
	for file, text := range map[string]string{hyp: "Please check the lock.\n\nWhy?\n", ref: "Check the lock, please.\nWhy?\nWhy?\n"} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(metrics string, more ...string) (int, string, string) {
		return crscoreRun(append([]string{"metrics", "--hyp", hyp, "--ref", ref, "--metrics", metrics}, more...)...)
	}
	const model = "../../sts/testdata/pytorch/small/bert"
	code, out, stderr := run("bertscore,bertscore:idf=yes,embedding-similarity", "--encoder", model)
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	for i, want := range []string{`"bertscore":0\.9\d+,"bertscore:idf=yes":0\.9\d+,`, `"bertscore":0,"bertscore:idf=yes":0,"embedding-similarity":0}`, `"bertscore":(1|0\.99999)`} {
		if !regexp.MustCompile(want).MatchString(lines[i]) || !strings.Contains(lines[i], "encoder:bert@sha256:") {
			t.Errorf("line %d: %s", i+1, lines[i])
		}
	}
	for metrics, want := range map[string]string{
		"bertscore":         "ask for greedy-matching, or name an ONNX model with --encoder",
		"bertscore:layer=5": "needs an export with an output hidden_states.5",
	} {
		var more []string
		if strings.Contains(metrics, "layer") {
			more = []string{"--encoder", model}
		}
		if code, _, stderr := run(metrics, more...); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %s", metrics, code, stderr)
		}
	}
}
