package refmetrics

// Metrics returns the metrics, in the order in which "all" prints them.
func Metrics() []Info {
	return []Info{
		bleuInfo(),
		codeReviewerInfo(),
		rouge1Info(),
		rouge2Info(),
		rougeLInfo(),
		meteorInfo(),
		chrfInfo(),
		chrfPlusPlusInfo(),
		terInfo(),
		editDistanceInfo(),
		editSimilarityInfo(),
		exactInfo(),
		bertscoreInfo(),
		greedyInfo(),
		embeddingInfo(),
		lengthInfo(),
	}
}

// Names are the names of the metrics, in the same order.
func Names() []string {
	var out []string
	for _, m := range Metrics() {
		out = append(out, m.Name)
	}
	return out
}

func lookup(name string) (Info, bool) {
	for _, m := range Metrics() {
		if m.Name == name {
			return m, true
		}
	}
	return Info{}, false
}
