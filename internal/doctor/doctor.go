// Package doctor looks at what crscore finds on a machine: models, analyzers, servers, git, the cache and
// the configuration in force.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"crscore"
	"crscore/analyzers"
	"crscore/chat"
	"crscore/internal/answercache"
	"crscore/internal/config"
	"crscore/internal/git"
	"crscore/internal/lang"
	"crscore/internal/models"
	"crscore/internal/setup"
	"crscore/internal/system"
	"crscore/sts"
	"crscore/sts/builtin"
)

// Diagnosis is the output of doctor. Its JSON may get new fields; none is renamed.
type Diagnosis struct {
	// What was found, by place.
	Config    configFound     `json:"config"`
	Analyzers []analyzerFound `json:"analyzers"`
	Ollama    ollamaFound     `json:"ollama"`
	Encoder   encoderFound    `json:"encoder"`
	Cache     cacheFound      `json:"cache"`
	Git       gitFound        `json:"git"`
	// Missing are the things that the configuration asks for and that do not exist.
	Missing []string `json:"missing"`
}

type configFound struct {
	// User is the path of the user's file, Files are the files that were read.
	User   string `json:"user,omitempty"`
	Files  []file `json:"files"`
	Claims string `json:"claims,omitempty"`
	Smells string `json:"smells,omitempty"`
	// Builtin is the signature of the built-in smells with their thresholds.
	Builtin string `json:"builtin_smells"`
}

type file struct {
	Path    string `json:"path"`
	Project bool   `json:"project"`
}

// ready is the state of an analyzer that can be run; the other states are those of package
// analyzers.
const ready = "ready"

type analyzerFound struct {
	Name      string      `json:"name"`
	Languages []lang.Name `json:"languages"`
	State     string      `json:"state"`
	Version   string      `json:"version,omitempty"`
	Path      string      `json:"path,omitempty"`
	Reason    string      `json:"reason,omitempty"`
	Install   string      `json:"install"`
	Asked     string      `json:"asked,omitempty"` // the place in the configuration that asks for it
}

type ollamaFound struct {
	Host    string       `json:"host,omitempty"`
	Version string       `json:"version,omitempty"`
	Models  []chat.Local `json:"models"`
	Reason  string       `json:"reason,omitempty"` // why there is no answer
	// Others are the servers after the first, if OLLAMA_HOST lists several.
	Others []ollamaFound `json:"others,omitempty"`
}

type encoderFound struct {
	Name        string  `json:"name"`
	SHA256      string  `json:"sha256"`
	ModelsDir   string  `json:"models_dir,omitempty"`
	Models      []Model `json:"models"`
	Reason      string  `json:"reason,omitempty"` // why there is no folder of models
	ONNXRuntime bool    `json:"onnxruntime"`
	SIMD        bool    `json:"simd"`
}

type cacheFound struct {
	Path     string `json:"path,omitempty"`
	Bytes    int64  `json:"bytes"`
	Writable bool   `json:"writable"`
	Reason   string `json:"reason,omitempty"`
}

type gitFound struct {
	Path    string `json:"path,omitempty"`
	Version string `json:"version,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// Diagnose looks at everything that the configuration asks for, at analyzers and servers at the
// same time. A program or a server may take timeout to answer.
func Diagnose(ctx context.Context, c config.Config, opts analyzers.Options, timeout time.Duration) (*Diagnosis, error) {
	d := &Diagnosis{Missing: []string{}}
	var err error
	if d.Config, err = lookAtConfig(c); err != nil {
		return nil, err
	}
	if d.Encoder, err = lookAtEncoders(); err != nil {
		return nil, err
	}
	d.Cache = lookAtCache()
	tools := analyzers.All()
	d.Analyzers = make([]analyzerFound, len(tools))
	var wrong []config.Text // with the models that the configuration names
	asked, limited := errgroup.Group{}, errgroup.Group{}
	limited.SetLimit(8) // some start a virtual machine
	asked.Go(func() error { d.Ollama = lookAtOllama(ctx, timeout); return nil })
	asked.Go(func() error { d.Git = lookAtGit(ctx, timeout); return nil })
	asked.Go(func() error { wrong = missingModels(ctx, c, timeout); return nil })
	opts.Timeout = timeout
	for i, tool := range tools {
		limited.Go(func() error { d.Analyzers[i] = lookAtTool(ctx, tool, opts); return nil })
	}
	_, _ = asked.Wait(), limited.Wait() // none returns an error
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	wrong = append(wrong, d.missingTools(c)...)
	slices.SortStableFunc(wrong, func(a, b config.Text) int {
		return cmp.Or(cmp.Compare(a.Place.Line, b.Place.Line), cmp.Compare(a.Place.Column, b.Place.Column))
	})
	for _, w := range wrong {
		d.Missing = append(d.Missing, fmt.Sprintf("%s: %s", w.Place, w.Value))
	}
	return d, nil
}

func lookAtConfig(c config.Config) (configFound, error) {
	found := configFound{Files: []file{}, Claims: c.Claims.Value, Smells: c.Smells.Value}
	found.User, _ = config.UserFile() // none without a home
	for _, f := range c.Files {
		found.Files = append(found.Files, file{f.Path, f.Project})
	}
	var err error
	found.Builtin, err = setup.SmellOptions(c).Signature()
	return found, err
}

func lookAtTool(ctx context.Context, tool analyzers.Tool, opts analyzers.Options) analyzerFound {
	found := analyzerFound{
		Name: tool.Name, Languages: tool.Languages, Install: tool.HowToInstall(runtime.GOOS), State: string(analyzers.Failed),
	}
	a, err := analyzers.Find(ctx, tool, opts)
	if err != nil { // there is no temporary folder to run it in
		found.Reason = err.Error()
		return found
	}
	found.State, found.Version, found.Path, found.Reason = string(a.State), a.Version, a.Path, a.Reason
	if a.State == analyzers.Clean {
		found.State = ready
	}
	return found
}

func lookAtOllama(ctx context.Context, timeout time.Duration) ollamaFound {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	all, err := chat.LookAtOllama(ctx)
	if err != nil {
		return ollamaFound{Models: []chat.Local{}, Reason: err.Error()}
	}
	found := make([]ollamaFound, len(all))
	for i, s := range all {
		found[i] = ollamaFound{Host: s.Host, Version: s.Version, Models: append([]chat.Local{}, s.Models...)}
		if s.Err != nil {
			found[i].Reason = late(s.Err, timeout)
			if errors.Is(s.Err, context.DeadlineExceeded) {
				found[i].Reason += " from " + s.Host
			}
		}
	}
	found[0].Others = found[1:]
	return found[0]
}

// late describes the error of a server that did not answer in time.
func late(err error, timeout time.Duration) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("no answer within %s", timeout)
	}
	return err.Error()
}

func lookAtEncoders() (found encoderFound, err error) {
	found = encoderFound{Name: builtin.Name, ONNXRuntime: sts.ORT(), SIMD: sts.SIMD(), Models: []Model{}}
	if found.SHA256, err = builtin.Checksum(builtin.Model()); err != nil {
		return found, fmt.Errorf("the built-in model: %w", err)
	}
	folder, err := models.Open("")
	if err != nil {
		found.Reason = err.Error()
		return found, nil
	}
	found.ModelsDir = folder.Dir
	rows, err := Models(folder)
	if err != nil {
		found.Reason = err.Error()
		return found, nil
	}
	found.Models = append(found.Models, slices.DeleteFunc(rows, func(r Model) bool { return r.State == "builtin" || r.State == "absent" })...)
	return found, nil
}

// lookAtCache looks at the cache and creates nothing: where it does not exist, the nearest
// existing folder reports whether it can be written.
func lookAtCache() (found cacheFound) {
	path, err := answercache.Path()
	if err != nil {
		found.Reason = err.Error()
		return found
	}
	found.Path = path
	found.Bytes, _ = answercache.Files(path)
	for {
		_, err := os.Stat(path)
		if err == nil {
			break
		}
		if parent := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) && parent != path {
			path = parent
			continue
		}
		found.Reason = err.Error()
		return found
	}
	for _, p := range []string{path, filepath.Dir(path)} { // SQLite writes beside its file
		if err := system.Writable(p); err != nil {
			found.Reason = fmt.Sprintf("%s cannot be written to: %v", p, err)
			return found
		}
		if st, err := os.Stat(p); err == nil && st.IsDir() {
			break
		}
	}
	found.Writable = true
	return found
}

func lookAtGit(ctx context.Context, timeout time.Duration) (found gitFound) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	path, err := exec.LookPath("git")
	if err != nil {
		found.Reason = "git is not on PATH; changes are given with --diff then"
		return found
	}
	found.Path = path
	if found.Version, err = git.Version(ctx); err != nil {
		found.Reason = late(err, timeout)
	}
	return found
}

// missingTools returns the analyzers and folders that the configuration asks for in vain.
func (d *Diagnosis) missingTools(c config.Config) (missing []config.Text) {
	say := func(at config.Place, format string, args ...any) {
		missing = append(missing, config.Text{Value: fmt.Sprintf(format, args...), Place: at})
	}
	if c.Smells.Value != "" {
		if _, err := crscore.ParseSmells(c.Smells.Value, crscore.SmellOptions{Builtin: setup.SmellOptions(c)}); err != nil {
			say(c.Smells.Place, "smells: %v", err)
		}
	}
	wanted := strings.Split(c.Smells.Value, ",")
	for i := range wanted {
		wanted[i] = strings.TrimSpace(wanted[i])
	}
	for i := range d.Analyzers {
		a := &d.Analyzers[i]
		at, asked := c.Smells.Place, slices.Contains(wanted, a.Name)
		if path, ok := c.Tools.Paths[a.Name]; ok {
			at, asked = path.Place, true
		}
		if !asked {
			continue
		}
		a.Asked = at.String()
		if a.State != ready {
			say(at, "%s: %s: %s", a.Name, a.State, a.Reason)
		}
	}
	for _, dir := range c.Tools.NodeModules {
		if st, err := os.Stat(dir.Value); err != nil {
			say(dir.Place, "%v", err)
		} else if !st.IsDir() {
			say(dir.Place, "%s is not a folder", dir.Value)
		}
	}
	return missing
}

// missingModels returns the models that the configuration asks for in vain.
func missingModels(ctx context.Context, c config.Config, timeout time.Duration) (missing []config.Text) {
	if c.Claims.Value == "" {
		return nil
	}
	say := func(why string) {
		missing = append(missing, config.Text{Value: "claims: " + why, Place: c.Claims.Place})
	}
	if _, err := crscore.ParseClaims(c.Claims.Value, crscore.ClaimOptions{Symbolic: setup.ClaimOptions(c)}); err != nil {
		say(err.Error())
		return missing
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for _, source := range strings.Split(c.Claims.Value, ",") {
		source = strings.TrimSpace(source)
		m, err := chat.Open(source)
		if errors.Is(err, chat.ErrModelName) {
			continue
		}
		if err == nil {
			_, err = m.Digest(ctx)
		}
		if err != nil {
			say(source + ": " + late(err, timeout))
		}
		if several, ok := m.(*chat.Servers); ok {
			for _, why := range several.Resting() {
				say(source + ": " + why)
			}
		}
	}
	return missing
}
