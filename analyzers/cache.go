package analyzers

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"crscore/internal/findings"
)

// Cache keeps what a tool has found in a text, so that the same text is not
// analysed twice.
type Cache interface {
	Get(ctx context.Context, key string) (value []byte, ok bool, err error)
	Put(ctx context.Context, key string, value []byte) error
}

// cacheFormat is part of every key. It changes when what is kept has another
// shape, or an adapter reads the same output otherwise.
const cacheFormat = "analyzers/2"

// answer is what the cache has of a file. An empty list means that the file is
// clean; files without an answer are not kept.
type answer struct {
	Findings []findings.Finding `json:"findings"`
}

// key names a text, as the tool sees it, and all that shapes what the tool says
// about it; two programs may call themselves by the same version. Messages may have
// the path in them.
func (a *Analyzer) key(f File) string {
	setup := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %v", a.Tool.Args, a.Tool.Env, a.Tool.Config, a.Tool.Exits))
	text := sha256.Sum256(fmt.Appendf(nil, "%q %s", f.Path, a.prepared(f)))
	return fmt.Sprintf("%s %s %s %q %x %s %x", cacheFormat, a.Tool.Name, a.Version, a.Path, setup, f.language(), text)
}

// recall looks for a file in the cache. What cannot be read there counts as absent:
// that costs time, not results.
func (a *Analyzer) recall(ctx context.Context, f File) (FileResult, bool) {
	if a.options.Cache == nil {
		return FileResult{}, false
	}
	value, ok, err := a.options.Cache.Get(ctx, a.key(f))
	var k answer
	if !ok || err != nil || json.Unmarshal(value, &k) != nil || k.Findings == nil {
		return FileResult{}, false
	}
	r := FileResult{State: Clean}
	if len(k.Findings) > 0 {
		r = FileResult{State: Found, Findings: k.Findings}
	}
	return r, true
}

// keep puts the answer for a file into the cache, if there is one.
func (a *Analyzer) keep(ctx context.Context, f File, r FileResult) {
	if a.options.Cache == nil || r.State != Clean && r.State != Found {
		return
	}
	value, err := json.Marshal(answer{Findings: append([]findings.Finding{}, r.Findings...)})
	if err == nil {
		_ = a.options.Cache.Put(ctx, a.key(f), value) // what is not kept costs time, not results
	}
}
