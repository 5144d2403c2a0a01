package figures

import "crscore/internal/report"

// Cases show single reviews with what connects their sentences with references.
type Cases struct {
	Title, Note string
	Cases       []Case
}

// Case is a review.
type Case struct {
	Title string // such as "change 17, review llama3"
	// Facts stand behind the title: "human 5", "metric 0.08".
	Facts           []string
	Sentences, Refs []Item
	Links           []Link
	Note            string
}

// Item is a sentence or a reference.
type Item struct {
	Text string
	// Kind is what stands before the text: "claim", "smell".
	Kind string
	// Mark is Good for what is matched, Bad for what is not, and Neutral in a mode
	// without a threshold.
	Mark report.Mark
}

// Link connects a sentence with a reference. Both are counted from 1, as in
// [report.Sentence]; a link that leads nowhere is not shown.
type Link struct {
	Sentence, Ref int
	Similarity    float64
	// Matched links are drawn as whole lines, others as dashed ones. In a mode
	// without a threshold all are matched.
	Matched bool
}
