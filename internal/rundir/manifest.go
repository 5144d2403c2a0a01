package rundir

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"crscore/internal/dataset"
	"crscore/internal/limits"
	"crscore/score"
)

// Version is the version of the directory's format.
const Version = 1

// Manifest holds everything that shapes the files of a run, except the dataset: run.json
// gets the dataset's checksum at the end of the run.
type Manifest struct {
	// Kind is what makes the numbers: score.KindScore and so on.
	Kind string `json:"kind,omitempty"`
	// Signature names everything that shapes the numbers.
	Signature score.Signature `json:"signature"`
	// Explain says that the result lines hold the evidence.
	Explain bool `json:"explain"`
	// Matrices is the stem of the matrix file. It is empty in a run without matrices.
	Matrices string `json:"matrices,omitempty"`
	// Shard is the part of the dataset that the run scores.
	Shard Shard `json:"shard,omitzero"`
	// Lines are those of a shard whose dataset was cut into parts (package split). The zero
	// value is a shard of lines that are Shard.Of apart.
	Lines Lines `json:"lines,omitzero"`
}

// Lines are some lines of a dataset that follow each other, counted from 1. An empty part has
// a Last before its First.
type Lines struct {
	First int `json:"first"` // the first line
	Last  int `json:"last"`  // the last line
}

// String returns "3-5", or "" for the zero value.
func (l Lines) String() string {
	if l == (Lines{}) {
		return ""
	}
	return fmt.Sprintf("%d-%d", l.First, l.Last)
}

// has reports whether a line of the dataset belongs to the run.
func (m Manifest) has(line int) bool {
	if m.Lines == (Lines{}) {
		return m.Shard.Has(line)
	}
	return m.Lines.First <= line && line <= m.Lines.Last
}

// manifest is run.json.
type manifest struct {
	Version int `json:"crscore_run"`
	Manifest
	Fields dataset.Members[string] `json:"fields,omitempty"` // of the signature; earlier versions wrote none
	Data   *End                    `json:"data,omitempty"`   // once all of it was read
}

// text is run.json; e is nil before the end of the run.
func (m Manifest) text(e *End) ([]byte, error) {
	v := manifest{Version: Version, Manifest: m, Data: e}
	for _, f := range m.Signature {
		v.Fields = append(v.Fields, dataset.Member[string]{Name: f.Name, Value: f.Value})
	}
	text, err := json.MarshalIndent(v, "", "  ")
	return append(text, '\n'), err
}

// write writes run.json; e is nil before the end of the run.
func (m Manifest) write(d disk, dir string, e *End) error {
	text, err := m.text(e)
	if err != nil {
		return err
	}
	f, err := openFile(d, dir, newManifest, toMake)
	if err != nil {
		return err
	}
	if err = f.Cut(0); err == nil {
		_, err = f.Write(text)
	}
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := d.Rename(filepath.Join(dir, newManifest), filepath.Join(dir, ManifestName)); err != nil {
		return err
	}
	return d.SyncDir(dir)
}

// Look reads the manifest of a run directory, which another process may use at the moment. The
// end is nil where the run is not finished. Nothing is locked or written.
func Look(dir string) (Manifest, *End, error) {
	m, e, err := readManifest(osDisk{}, dir)
	if err != nil {
		err = fmt.Errorf("the run directory %s: %w", dir, err)
	}
	return m, e, err
}

// readText reads the text of run.json.
func readText(d disk, dir string) ([]byte, error) {
	f, err := openFile(d, dir, ManifestName, toRead)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(f.Section(limits.ManifestBytes + 1))
	return text, errors.Join(err, f.Close())
}

// readManifest reads run.json; the end is nil where it has none.
func readManifest(d disk, dir string) (Manifest, *End, error) {
	text, err := readText(d, dir)
	if err != nil {
		return Manifest{}, nil, err
	}
	m, e, err := parseManifest(text)
	if err != nil {
		return Manifest{}, nil, cured(fmt.Errorf("%s: %w", ManifestName, err))
	}
	return m, e, nil
}

func parseManifest(text []byte) (Manifest, *End, error) {
	if len(text) > limits.ManifestBytes {
		return Manifest{}, nil, fmt.Errorf("it is larger than the limit of %d MiB", limits.ManifestBytes>>20)
	}
	// The version first: another one may have other fields.
	var v struct {
		Version int `json:"crscore_run"`
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return Manifest{}, nil, fmt.Errorf("it does not describe a run: %w", err)
	}
	switch {
	case v.Version == 0:
		return Manifest{}, nil, errors.New(`it does not describe a run: "crscore_run" is missing`)
	case v.Version != Version:
		return Manifest{}, nil, fmt.Errorf("this is a run directory of version %d, but this program reads version %d: use the crscore that made it, or name another directory", v.Version, Version)
	}
	var m manifest
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return Manifest{}, nil, fmt.Errorf("it does not describe a run: %w", err)
	}
	if m.Fields == nil {
		m.Kind, _ = m.Signature.Kind()
	} else {
		text := m.Signature.String()
		m.Signature = nil
		for _, f := range m.Fields {
			m.Signature = append(m.Signature, score.Field{Name: f.Name, Value: f.Value})
		}
		if m.Signature.String() != text {
			return Manifest{}, nil, fmt.Errorf("its fields are those of another signature, %q", m.Signature)
		}
	}
	if l := m.Lines; l != (Lines{}) && (l.First < 1 || l.Last < l.First-1 || m.Shard.Of == 0) {
		return Manifest{}, nil, fmt.Errorf("no shard has the lines %s", l)
	}
	return m.Manifest, m.Data, nil
}

// fits returns an error if run.json has an end that the journal lacks, or another end. A
// process that was killed between the two leaves a journal with an end and a run.json
// without.
func (e *End) fits(journal *end) error {
	switch {
	case e == nil:
		return nil
	case journal == nil:
		return fmt.Errorf("%s says that the run is finished, but %s has no end: its end is lost", ManifestName, journalName)
	case *e != journal.End:
		return fmt.Errorf("%s and %s do not tell of the same dataset: one of them was changed", ManifestName, journalName)
	}
	return nil
}

// mismatch returns an error if the run was begun with another manifest.
func (was Manifest) mismatch(m Manifest) error {
	if diff := was.Differences(m, "there", "here"); len(diff) > 0 {
		return fmt.Errorf("its run is another one: %s; name another directory, or start with what it was begun with", strings.Join(diff, "; "))
	}
	return nil
}

// Differences describes how two manifests differ. The names a and b stand for them.
func (was Manifest) Differences(m Manifest, a, b string) []string {
	var out []string
	add := func(what, x, y string) {
		if x != y {
			out = append(out, fmt.Sprintf("%s is %s %s and %s %s", what, cmp.Or(x, "none"), a, cmp.Or(y, "none"), b))
		}
	}
	for _, d := range was.Signature.Differences(m.Signature) {
		add(cmp.Or(d.Name, "the signature"), d.A, d.B)
	}
	add("--explain", onOff(was.Explain), onOff(m.Explain))
	add("keeping matrices", onOff(was.Matrices != ""), onOff(m.Matrices != ""))
	if len(out) == 0 && was.Matrices != m.Matrices {
		add("the matrices' stem", strconv.Quote(was.Matrices), strconv.Quote(m.Matrices))
	}
	add("the shard", was.Shard.String(), m.Shard.String())
	add("its lines", was.Lines.String(), m.Lines.String())
	return out
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// Shard is a part of a dataset, such as every third line from the second on. The zero value
// is the whole dataset.
type Shard struct {
	Number int // of the shard, counted from 1
	Of     int // the number of shards
}

// ParseShard reads "2/3". An empty text is the whole dataset.
func ParseShard(s string) (Shard, error) {
	if s == "" {
		return Shard{}, nil
	}
	i, n, ok := strings.Cut(s, "/")
	number, err1 := strconv.ParseUint(i, 10, 31)
	of, err2 := strconv.ParseUint(n, 10, 31)
	switch {
	case !ok || err1 != nil || err2 != nil:
		return Shard{}, fmt.Errorf("%.40q is not a shard: write 2/3 for the second of three", s)
	case of < 1 || number < 1 || number > of:
		return Shard{}, fmt.Errorf("there is no shard %d of %d", number, of)
	case of > limits.Parts:
		return Shard{}, fmt.Errorf("%d shards are more than the limit of %d", of, limits.Parts)
	}
	return Shard{int(number), int(of)}, nil
}

// Has reports whether a line, counted from 1, belongs to the shard.
func (s Shard) Has(line int) bool { return s.Of == 0 || (line-1)%s.Of == s.Number-1 }

// String returns "2/3", or "" for the whole dataset.
func (s Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Number, s.Of)
}

// MarshalText is String.
func (s Shard) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText is ParseShard.
func (s *Shard) UnmarshalText(text []byte) (err error) {
	if *s, err = ParseShard(string(text)); err != nil {
		err = fmt.Errorf("shard: %w", err)
	}
	return err
}
