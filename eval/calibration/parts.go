package calibration

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
)

// assignFolds cuts the changes that are used into folds. Which fold a change is in
// depends on its id, the seed and the other ids, never on the order of the data;
// folds differ by one change at most, so none is empty. A change that is not used
// is in fold -1.
func (t *Table) assignFolds(used []bool, folds int, seed uint64) ([]int, error) {
	type hashed struct {
		change int
		sum    [sha256.Size]byte
	}
	var order []hashed
	for i, c := range t.changes {
		if used[i] {
			order = append(order, hashed{i, sha256.Sum256(append(binary.LittleEndian.AppendUint64(nil, seed), c.id...))})
		}
	}
	if folds < 2 {
		return nil, fmt.Errorf("%d folds, but something can be held out of 2 at least", folds)
	}
	if len(order) < folds {
		return nil, fmt.Errorf("%d changes cannot be cut into %d folds: every fold needs one at least", len(order), folds)
	}
	slices.SortFunc(order, func(a, b hashed) int { return bytes.Compare(a.sum[:], b.sum[:]) })
	of := make([]int, len(t.changes))
	for i := range of {
		of[i] = -1
	}
	for i, h := range order {
		of[h.change] = i % folds
	}
	return of, nil
}

// foldWeights returns the weights for all changes, for the training part of each fold, and
// for the test part. A change that is in no fold is in every training part and in no test
// part.
func foldWeights(fold []int, folds int) (all weights, train, test []weights) {
	all = make(weights, len(fold))
	for k := range folds {
		in, out := make(weights, len(fold)), make(weights, len(fold))
		for i, f := range fold {
			all[i] = 1
			if f == k {
				out[i] = 1
			} else {
				in[i] = 1
			}
		}
		train, test = append(train, in), append(test, out)
	}
	return all, train, test
}

// withoutPairs are the weights of the changes outside each pair of folds: for fold 1 with
// fold 0, then for fold 2 with folds 0 and 1, and so on.
func withoutPairs(fold []int, folds int) []weights {
	var out []weights
	for k := range folds {
		for j := range k {
			in := make(weights, len(fold))
			for i, f := range fold {
				if f != k && f != j {
					in[i] = 1
				}
			}
			out = append(out, in)
		}
	}
	return out
}

// bootstrapWeights are the weights of the bootstrap: of the used changes as many are drawn,
// with replacement, each with all of its reviews. Every draw has a stream of
// its own.
func bootstrapWeights(used []bool, n int, seed uint64) []weights {
	var from []int
	for i, u := range used {
		if u {
			from = append(from, i)
		}
	}
	out := make([]weights, n)
	for i := range out {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		out[i] = make(weights, len(used))
		for range from {
			out[i][from[random.IntN(len(from))]]++ // 65,536 times the same will not come
		}
	}
	return out
}
