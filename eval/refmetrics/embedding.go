package refmetrics

import (
	"context"
	"errors"
	"math"
	"strings"

	"crscore/sts"
)

// embeddingInfo is the cosine of the vectors of whole texts, which GradedReviews calls
// embeddingSim. The encoder's pooling makes the vectors: GradedReviews has each model's
// own (sts.PoolingModel). A negative cosine counts 0, as an empty text does: otherwise a
// review that says nothing would beat many that say something.
func embeddingInfo() Info {
	return Info{
		Name: "embedding-similarity", About: "the cosine of the texts' vectors",
		Source: "GradedReviews' embeddingSim (Jiang et al.): cosine, below 0 as 0; with each reference by itself, the best",
		Max:    1, Encoder: true,
		build: func(o *options, n Needs) (Metric, error) {
			o.noteEncoder(n.Encoder.Signature())
			o.unseen(n)
			return embedding{n.Encoder}, nil
		},
	}
}

type embedding struct{ encoder sts.Encoder }

func (m embedding) sees(ctx context.Context, text string) (bool, error) {
	vectors, err := m.encoder.Encode(ctx, []string{text})
	return err == nil && sts.Dot(vectors[0], vectors[0]) > 0, err
}

// Score implements Metric. An empty text scores 0.
func (m embedding) Score(ctx context.Context, hypothesis string, references []string) (float64, error) {
	vectors, err := m.encoder.Encode(ctx, append([]string{hypothesis}, references...))
	if err != nil {
		return 0, err
	}
	i := 0
	return best(Info{}, references, func(string) (float64, error) {
		i++
		lengths := float64(sts.Dot(vectors[0], vectors[0])) * float64(sts.Dot(vectors[i], vectors[i]))
		if lengths == 0 {
			return 0, nil
		}
		c := float64(sts.Dot(vectors[0], vectors[i])) / math.Sqrt(lengths)
		if math.IsNaN(c) {
			return 0, errors.New("the vector of a text is not finite (NaN or infinite)")
		}
		return max(0, min(c, 1)), nil
	})
}

// noteEncoder adds the fields of an encoder's signature.
func (o *options) noteEncoder(signature sts.Signature) {
	for _, f := range signature {
		o.note(f.Name, strings.ReplaceAll(f.Value, "|", "_"))
	}
}
