package cli

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"google.golang.org/protobuf/encoding/protowire"

	"crscore/internal/models/hubtest"
	"crscore/sts/builtin"
)

// TestModelsScript runs the models command against a hub on this machine;
// testdata/models holds the scripts. $HUB is its address, and $HUB/fault-NAME
// misbehaves as hubtest.Faults say.
func TestModelsScript(t *testing.T) {
	demo, err := filepath.Abs("../../testdata/cache-expiry")
	if err != nil {
		t.Fatal(err)
	}
	// Models that can be run: the built-in one, as others lay theirs out, and a cross-encoder.
	withReadme := func(model fs.FS) map[string][]byte {
		files := hubtest.Files(0)
		maps.DeleteFunc(files, func(name string, _ []byte) bool { return name != "README.md" })
		err := fs.WalkDir(model, ".", func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			files[name], err = fs.ReadFile(model, name)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	repo := func(files map[string][]byte) hubtest.Repo {
		return hubtest.Repo{Commit: hubtest.Commit, Refs: []string{"main", "v1.0"}, Files: files}
	}
	private := repo(hubtest.Files(1000))
	private.Token = "hf_secret"
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/models",
		RequireUniqueNames: true,
		UpdateScripts:      os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			hub := hubtest.New(map[string]hubtest.Repo{
				"test-org/small": repo(hubtest.Files(400_000)), "test-org/usable": repo(withReadme(builtin.Model())),
				"test-org/cross": repo(withReadme(os.DirFS("../../sts/testdata/pytorch/small/cross-roberta"))), "test-org/private": private,
				"mixedbread-ai/mxbai-embed-large-v1": repo(hubtest.Files(1000)),
			})
			env.Defer(hub.Close)
			env.Setenv("DEMO", demo)
			env.Setenv("HUB", hub.Endpoint(""))
			env.Setenv("HF_ENDPOINT", hub.Endpoint(""))
			env.Setenv("COMMIT", hubtest.Commit)
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("CRSCORE_MODELS", filepath.Join(env.WorkDir, "store"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"midway": midway},
	})
}

// midway SIGNAL ARGS... runs crscore with the arguments, and sends it the signal
// (int or kill) as soon as an interrupted pull would leave something behind.
func midway(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: midway int|kill ARGS...")
	}
	cmd := command(ts, args[1:]...)
	for _, name := range []string{"HF_ENDPOINT", "CRSCORE_MODELS"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	var said strings.Builder
	cmd.Stderr = &said
	ts.Check(cmd.Start())
	large := func() (found bool) {
		_ = filepath.WalkDir(filepath.Join(ts.Getenv("CRSCORE_MODELS"), ".pull"), func(_ string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				if st, err := e.Info(); err == nil && st.Size() > 10_000 {
					found = true
				}
			}
			return nil
		})
		return found
	}
	for deadline := time.Now().Add(20 * time.Second); !large(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			ts.Fatalf("nothing was fetched: %s", said.String())
		}
	}
	sig := os.Interrupt
	if args[0] == "kill" {
		sig = os.Kill
	}
	ts.Check(cmd.Process.Signal(sig))
	err := cmd.Wait()
	if args[0] == "kill" {
		if cmd.ProcessState.Exited() {
			ts.Fatalf("the program ended before it was killed: %v", err)
		}
		return
	}
	if code := cmd.ProcessState.ExitCode(); code != exitIncomplete || !strings.Contains(said.String(), "interrupted; ") {
		ts.Fatalf("exit code %d after Ctrl-C, want %d: %s", code, exitIncomplete, said.String())
	}
}

// TestModelsInfoLikeScore: what score refuses or warns of, info says in the same words.
func TestModelsInfoLikeScore(t *testing.T) {
	wrap := func(n protowire.Number, b []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), b)
	}
	// external adds a tensor of 1000 numbers in another file to the graph of a model.
	external := func(model []byte, location string) []byte {
		pair := func(key, value string) []byte {
			return wrap(13, append(wrap(1, []byte(key)), wrap(2, []byte(value))...))
		}
		tensor := append([]byte{1 << 3, 0xe8, 0x07, 2 << 3, 1}, pair("location", location)...)
		var out []byte
		for len(model) > 0 {
			n, _, size := protowire.ConsumeField(model)
			if size < 0 {
				t.Fatal(protowire.ParseError(size))
			}
			part := model[:size]
			if model = model[size:]; n == 7 {
				_, _, tag := protowire.ConsumeTag(part)
				graph, _ := protowire.ConsumeBytes(part[tag:])
				part = wrap(7, append(bytes.Clone(graph), wrap(5, append(tensor, pair("length", "4000")...))...))
			}
			out = append(out, part...)
		}
		return out
	}
	type file = map[string]string
	modules := func(more string) file {
		return file{"modules.json": `[{"path":"","type":"m.Transformer"},{"path":"1_Pooling","type":"m.Pooling"},` + more + `]`}
	}
	for name, tt := range map[string]struct {
		files  file
		model  func([]byte) []byte
		code   int
		reason string
	}{
		"whole":         {code: exitDone},
		"cut data":      {files: file{"onnx/w.bin": "0123"}, model: func(b []byte) []byte { return external(b, "w.bin") }, code: exitUsage, reason: `external data "w.bin" is cut short`},
		"half floats":   {model: func(b []byte) []byte { return elem(b, 10) }, code: exitUsage, reason: "has elements of type 10, want 32-bit floats"},
		"bfloat16":      {model: func(b []byte) []byte { return elem(b, 16) }, code: exitUsage, reason: "has elements of type 16"},
		"unknown input": {model: func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("token_type_ids"), []byte("visual_tokens_")) }, code: exitUsage, reason: `input "visual_tokens_" is not supported`},
		"no prompt": {files: file{"config_sentence_transformers.json": `{"prompts":{"doc":"doc: "},"default_prompt_name":"search"}`},
			code: exitUsage, reason: `the default prompt "search" is not among the prompts`},
		"dense":     {files: modules(`{"path":"2_Dense","type":"m.Dense"},{"path":"3_Norm","type":"m.Normalize"}`), reason: "after pooling is left out: Dense 2_Dense"},
		"two more":  {files: modules(`{"path":"2_Dense","type":"m.Dense"},{"path":"3_CNN","type":"m.CNN"}`), reason: "left out: Dense 2_Dense, CNN 3_CNN"},
		"normalize": {files: modules(`{"path":"2_Norm","type":"m.Normalize"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS("../../sts/testdata/pytorch/small/bert")); err != nil {
				t.Fatal(err)
			}
			for name, text := range tt.files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if tt.model != nil {
				b, err := os.ReadFile(filepath.Join(dir, "onnx/model.onnx"))
				if err == nil {
					err = os.WriteFile(filepath.Join(dir, "onnx/model.onnx"), tt.model(b), 0o666)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			for _, args := range [][]string{
				{"models", "info", dir},
				{"score", "--encoder", dir, "--mode", "soft", "--diff", "../../testdata/cache-expiry/change.diff", "--review", "Callers must pass ttl."},
			} {
				var out bytes.Buffer
				if code := Main(args, strings.NewReader(""), &out, &out); code != tt.code {
					t.Errorf("%s: exit code %d, want %d: %s", args[0], code, tt.code, out.String())
				}
				if !strings.Contains(out.String(), tt.reason) || tt.reason == "" && strings.Contains(out.String(), "left out") {
					t.Errorf("%s: no %q in\n%s", args[0], tt.reason, out.String())
				}
			}
		})
	}
}

// elem gives the output of a model another type of elements.
func elem(model []byte, kind byte) []byte {
	at := bytes.LastIndex(model, []byte("last_hidden_state"))
	at += bytes.Index(model[at:], []byte{1 << 3, 1})
	model[at+1] = kind
	return model
}
