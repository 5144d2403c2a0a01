package chat

import (
	"context"
	"errors"
	"fmt"

	"crscore/chat/prompt"
	"crscore/internal/limits"
)

// Sizes in tokens of a call about a piece of a change. The context is the same for every call
// of a run, since Ollama reloads the model for another size. It has room for every piece.
const (
	// PieceAnswer is the longest answer about a piece.
	PieceAnswer = 2048
	// TemplateRoom is the room for the text that a chat template adds.
	TemplateRoom = 128

	pieceTokens = 3072 // of a change in one call, at most
	minPiece    = 256  // below it a model's context is too short
	windowStep  = 1024
)

// ErrTooLong means that a change needs more calls than allowed.
var ErrTooLong = errors.New("the change needs too many calls")

// tooLong is an ErrTooLong with its own words.
type tooLong string

func (e tooLong) Error() string { return string(e) }

func (tooLong) Is(target error) bool { return target == ErrTooLong }

// Window returns the size of the context for calls about pieces whose prompts have that many
// tokens beside the piece, and the tokens of a piece. Prepare comes first. ErrContext: the
// model's context is too short for any piece.
func (a *Asker) Window(beside int) (window, piece int, err error) {
	fixed := beside + TemplateRoom + PieceAnswer
	piece = pieceTokens
	window = (fixed + piece + windowStep - 1) / windowStep * windowStep
	if limit := a.ContextLength(); limit > 0 && limit < window {
		window, piece = limit, limit-fixed
		if piece < minPiece {
			return 0, 0, fmt.Errorf("%w: %s has %d tokens, and %d are needed", ErrContext, a.Name(), limit, fixed+minPiece)
		}
	}
	return window, piece, nil
}

// InPieces cuts lines into pieces of at most that many tokens and calls ask for each, which is
// number n of about of pieces. Where ask returns ErrContext, it is called for the halves of
// the piece. The first other error ends it, and names the piece; ErrTooLong: more than
// limits.ChangePieces pieces, or twice as many calls.
func InPieces(
	ctx context.Context, lines []prompt.Line, tokens int, ask func(ctx context.Context, piece []prompt.Line, n, of int) error,
) error {
	parts := prompt.Pieces(lines, tokens)
	if len(parts) > limits.ChangePieces {
		return tooLong(fmt.Sprintf("the change needs %d calls to the model, more than the limit of %d", len(parts), limits.ChangePieces))
	}
	left := 2 * limits.ChangePieces
	var each func(p []prompt.Line, n, of int) error
	each = func(p []prompt.Line, n, of int) error {
		if left--; left < 0 {
			return tooLong(fmt.Sprintf("the change needs more calls to the model than the limit of %d", 2*limits.ChangePieces))
		}
		err := ask(ctx, p, n, of)
		if errors.Is(err, ErrContext) {
			if a, b, ok := prompt.Halve(p); ok {
				if err := each(a, n, max(of, 2)); err != nil {
					return err
				}
				return each(b, n, max(of, 2))
			}
		}
		return err
	}
	for i, p := range parts {
		if err := each(p, i+1, len(parts)); err != nil {
			if len(parts) > 1 {
				err = fmt.Errorf("part %d of %d of the change: %w", i+1, len(parts), err)
			}
			return err
		}
	}
	return nil
}
