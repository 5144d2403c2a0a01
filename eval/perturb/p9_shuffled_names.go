package perturb

// shuffledNames is p9: the local variables exchange their names, and none keeps its own.
func (j *job) shuffledNames() {
	names := j.renamable()
	switch len(names) {
	case 0:
		return
	case 1:
		j.skip("functions with fewer than two variables to rename")
		return
	}
	shuffled := append([]string(nil), names...)
	for i := len(shuffled) - 1; i > 0; i-- { // Sattolo's shuffle: one cycle
		k := j.rand.IntN(i)
		shuffled[i], shuffled[k] = shuffled[k], shuffled[i]
	}
	to := map[string]string{}
	for i, name := range names {
		to[name] = shuffled[i]
	}
	j.renameAll(to)
}
