package perturb

// deadAssignment is p3: the body starts with a false variable, and an assignment that depends
// on it.
func (j *job) deadAssignment() { j.dead(j.d.deadAssign) }
