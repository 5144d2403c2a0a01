package refmetrics

// Metrics returns the metrics, in the order in which "all" prints them.
func Metrics() []Info {
	return []Info{
		bleuInfo(),
		codeReviewerInfo(),
		rougeInfo("rouge-1", "words that the review and the reference share", 1),
		rougeInfo("rouge-2", "pairs of words that the review and the reference share", 2),
		rougeInfo("rouge-l", "the longest sequence of words that both have, with gaps", 0),
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
