package chat

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// settle finds out which settings the servers of a model refuse, before the first question: signatures and
// the keys of the cache name them. The cache knows them, or each server gets a small call, whose failure
// tells nothing. Servers are asked alike: what one refuses is left out for all.
func (a *Asker) settle(ctx context.Context) string {
	all := a.openAI()
	if all == nil {
		return ""
	}
	if a.opts.Cache != nil {
		if names, ok, err := a.opts.Cache.Get(ctx, a.settings()); ok && err == nil {
			all[0].refuse(strings.Split(string(names), "+")...)
			return without(all)
		}
	}
	var failed atomic.Bool
	var asked sync.WaitGroup
	for _, o := range all {
		asked.Go(func() {
			_, err := generate(ctx, o, Request{
				Prompt: `Answer with the JSON object {"answer": "ok"}.`, NumPredict: 16,
				Schema: json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"],"additionalProperties":false}`),
			}, min(a.opts.Timeout, describeTimeout), a.pause)
			if err != nil && !errors.Is(err, ErrIncomplete) && !errors.Is(err, ErrContext) {
				failed.Store(true)
			}
		})
	}
	asked.Wait()
	now := without(all)
	if !failed.Load() {
		a.keep(ctx, now)
	}
	return now
}

// settled returns an error if a server refuses a setting that was not known to be refused: the signature lacks it.
func (a *Asker) settled(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := without(a.openAI())
	if now == a.without {
		return nil
	}
	a.keep(ctx, now)
	return fmt.Errorf("the server refuses settings (%s) that it was not known to refuse when the run began: run it again", now)
}

// settings is the key of the refused settings in the cache.
func (a *Asker) settings() string {
	return fmt.Sprintf("settings/%x", sha256.Sum256([]byte(a.model.Name()+"\n"+a.digest)))
}

func (a *Asker) keep(ctx context.Context, without string) {
	if a.opts.Cache != nil {
		_ = a.opts.Cache.Put(context.WithoutCancel(ctx), a.settings(), []byte(cmp.Or(without, "none"))) // else it is found out again
	}
}

// openAI returns the servers with OpenAI's API.
func (a *Asker) openAI() (all []*OpenAI) {
	servers := []*server{{model: a.model}}
	if a.servers != nil {
		servers = a.servers.servers
	}
	for _, srv := range servers {
		if o, ok := srv.model.(*OpenAI); ok {
			all = append(all, o)
		}
	}
	return all
}

// without makes servers leave out the settings that any of them refuses, and names them.
func without(all []*OpenAI) string {
	var names []string
	for _, o := range all {
		names = append(names, o.without()...)
	}
	for _, o := range all {
		o.refuse(names...)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), "+")
}
