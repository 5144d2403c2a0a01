package perturb

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"crscore/internal/lang"
)

// program is a text that prints something, and its variants, by the name of the variant.
type program struct {
	path  string
	texts map[string]string
	names []string
}

// TestPrograms runs programs before and after each perturbation: they print the same.
func TestPrograms(t *testing.T) {
	for _, c := range []struct {
		file, needs string
	}{
		{"program.py", "python3"}, {"program.js", "node"}, {"program.ts", "node"}, {"program.tsx", "node"},
		{"Program.java", "javac"}, {"program.go", "go"},
	} {
		t.Run(c.file, func(t *testing.T) {
			t.Parallel()
			module := ""
			typescript := strings.HasPrefix(c.file, "program.ts")
			if typescript {
				module = typescriptModule()
			}
			if _, err := exec.LookPath(c.needs); err != nil || typescript && module == "" {
				if os.Getenv("CI") != "" {
					t.Fatalf("%s is missing", c.needs)
				}
				t.Skipf("%s is missing", c.needs)
			}
			p := variantsOf(t, filepath.Join("testdata", "programs", c.file))
			var out map[string]string
			switch c.file {
			case "Program.java":
				out = p.runJava(t)
			case "program.go":
				out = p.runGo(t)
			case "program.py":
				out = p.runPython(t)
			default:
				out = map[string]string{}
				for _, name := range p.names {
					path := filepath.Join(t.TempDir(), c.file)
					write(t, path, p.texts[name])
					out[name] = output(t, "", "node", "testdata/run.js", path, module)
				}
			}
			for _, name := range p.names {
				if out[name] != out["v0"] || len(out[name]) < 50 {
					t.Errorf("%s prints something else:\n%s", name, Diff("output", ptr(out["v0"]), ptr(out[name])))
				}
			}
		})
	}
}

func ptr(s string) *string { return &s }

// variantsOf perturbs a program in each way. v0 is the program itself.
func variantsOf(t *testing.T, path string) *program {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	p := &program{path, map[string]string{"v0": text}, []string{"v0"}}
	l := lang.FromPath(path)
	for _, pt := range All() {
		v, err := apply(t.Context(), Text{Path: path, Lang: l, New: &text}, pt, "1")
		if l == lang.Go && pt.ID == "p4" {
			continue
		}
		if err != nil || v.Places == 0 {
			t.Errorf("%s fits too seldom: %v", pt.ID, err)
			continue
		}
		name := "v" + string(pt.ID[1:])
		p.names = append(p.names, name)
		p.texts[name] = v.New.Text
	}
	return p
}

// runGo runs all variants in one program, each as a package.
func (p *program) runGo(t *testing.T) map[string]string {
	dir := t.TempDir()
	imports, calls := "import \"fmt\"\n", ""
	for _, name := range p.names {
		write(t, filepath.Join(dir, name, "program.go"), strings.Replace(p.texts[name], "package program", "package "+name, 1))
		imports += fmt.Sprintf("import %q\n", "programs/"+name)
		calls += fmt.Sprintf("fmt.Println(%q)\n%s.Main()\n", "= "+name, name)
	}
	write(t, filepath.Join(dir, "go.mod"), "module programs\n\ngo 1.22\n")
	write(t, filepath.Join(dir, "main.go"), "package main\n"+imports+"func main() {\n"+calls+"}\n")
	return split(output(t, dir, "go", "run", "."))
}

// runJava runs all variants in one program, each as a package.
func (p *program) runJava(t *testing.T) map[string]string {
	dir := t.TempDir()
	calls, sources := "", []string{filepath.Join(dir, "Main.java")}
	for _, name := range p.names {
		path := filepath.Join(dir, name, "Program.java")
		write(t, path, strings.Replace(p.texts[name], "package program;", "package "+name+";", 1))
		sources = append(sources, path)
		calls += fmt.Sprintf("System.out.println(%q); %s.Program.main(args);\n", "= "+name, name)
	}
	write(t, sources[0], "class Main { public static void main(String[] args) throws Exception {\n"+calls+"} }\n")
	output(t, dir, append([]string{"javac", "-proc:none", "-d", dir}, sources...)...)
	return split(output(t, dir, "java", "-cp", dir, "Main"))
}

// runPython runs all variants in one process.
func (p *program) runPython(t *testing.T) map[string]string {
	dir := t.TempDir()
	const run = "import runpy, sys\nfor name in sys.argv[1:]:\n    print('= ' + name)\n    runpy.run_path(name)\n"
	for _, name := range p.names {
		write(t, filepath.Join(dir, name), p.texts[name])
	}
	return split(output(t, dir, append([]string{"python3", "-c", run}, p.names...)...))
}

// split cuts what several variants printed.
func split(out string) map[string]string {
	parts := map[string]string{}
	for _, part := range strings.Split("\n"+out, "\n= ")[1:] {
		name, rest, _ := strings.Cut(part, "\n")
		parts[name] = strings.TrimSpace(rest)
	}
	return parts
}

// output is what a command prints.
func output(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", args[:min(len(args), 3)], err, out)
	}
	return string(out)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
