package analyzers

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"crscore/internal/findings"
)

// Cache keeps the findings in a text, so that the same text is not analysed twice.
type Cache interface {
	// Get returns the value of a key. ok is false if there is none.
	Get(ctx context.Context, key string) (value []byte, ok bool, err error)
	// Put keeps a value under a key.
	Put(ctx context.Context, key string, value []byte) error
}

// cacheFormat is part of every key. It changes when the shape of the values changes, or
// when an adapter reads the same output in another way.
const cacheFormat = "analyzers/2"

// answer is the value of the cache for a file. An empty list means that the file is
// clean. Files without an answer are not kept.
type answer struct {
	Findings []findings.Finding `json:"findings"`
}

// key names a text, as the tool sees it, and everything that shapes the findings in it.
// The program's path is part of it, because two programs may have the same version. The
// file's path is part of it, because messages may quote it.
func (a *Analyzer) key(f File) string {
	setup := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %v", a.Tool.Args, a.Tool.Env, a.Tool.Config, a.Tool.Exits))
	text := sha256.Sum256(fmt.Appendf(nil, "%q %s", f.Path, a.prepared(f)))
	return fmt.Sprintf("%s %s %s %q %x %s %x", cacheFormat, a.Tool.Name, a.Version, a.Path, setup, f.language(), text)
}

// recall looks for a file in the cache. A value that cannot be read is treated as
// missing: the tool runs again.
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

// keep puts the answer for a file into the cache, if there is an answer and a cache.
func (a *Analyzer) keep(ctx context.Context, f File, r FileResult) {
	if a.options.Cache == nil || r.State != Clean && r.State != Found {
		return
	}
	value, err := json.Marshal(answer{Findings: append([]findings.Finding{}, r.Findings...)})
	if err == nil {
		_ = a.options.Cache.Put(ctx, a.key(f), value) // without the value the tool runs again
	}
}
