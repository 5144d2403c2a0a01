package crscore

import (
	"context"
	"errors"

	"crscore/change"
	"crscore/internal/syntax"
	"crscore/smells"
)

// Input is a change with the data that its sources may need.
type Input struct {
	// Change is the change that the reviews are about.
	Change *change.Change
	// Claims are ready claims by name, for the source DataClaims.
	Claims map[string][]string
	// Smells are ready smells, for the source DataSmells. nil means that no list was
	// given; an empty list means that the change has no smells.
	Smells []string
	// Project is the source tree of the change, for analyzers that need all of it.
	// nil means that the tree is not known.
	Project *smells.Project
	// Parsed are the trees of Change if they are there already, and no other goroutine reads them.
	// nil means that they are made where a source asks for them.
	Parsed *Trees
}

// Trees are the syntax trees of a change: a File for each changed file, with
// Fragments of its old and its new side.
type Trees = syntax.Trees

// ChangeRun is a change while its sources look at it. All sources of the change get
// the same ChangeRun, so that its files are parsed once. To ask a Source without an
// Engine, give it a &ChangeRun{Input: in}.
type ChangeRun struct {
	Input

	trees *Trees
	err   error
}

// Trees parses the change on the first call, and returns the same trees or the same
// error on the next calls. Neither Trees nor the trees may be used by two goroutines at
// once; the engine asks one source after the other, except for batch sources, which
// have trees of their own. The engine adds Trees.Warnings to RefSet.Warnings.
func (r *ChangeRun) Trees(ctx context.Context) (*Trees, error) {
	if r.trees != nil || r.err != nil {
		return r.trees, r.err
	}
	if r.Change == nil {
		return nil, errNoChange
	}
	if r.trees = r.Parsed; r.trees != nil {
		return r.trees, nil
	}
	trees, err := syntax.Parse(ctx, r.Change)
	if err != nil && ctx.Err() != nil {
		return nil, err // the next caller may have more time
	}
	r.trees, r.err = trees, err
	return trees, err
}

// errNoChange is the error for an Input without a Change.
var errNoChange = errors.New("there is no change")
