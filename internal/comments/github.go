package comments

import (
	"cmp"
	"errors"
	"fmt"
)

// readGitHub reads a review as it is sent, one comment or a list of comments.
func (f *File) readGitHub() error {
	at, err := document(f.text)
	if err != nil {
		return err
	}
	var list []span
	switch kind(f.text, at) {
	case "array":
		list, err = elements(f.text, at)
	case "object":
		list, err = f.githubReview(at)
	default:
		err = fmt.Errorf("this is a JSON %s, not a review or a list of comments", kind(f.text, at))
	}
	if err != nil {
		return err
	}
	there := make(map[string]bool) // ids, as they are written
	for _, at := range list {
		if o, err := readObject(f.text, at); err == nil {
			there[o.id("id")] = true
		}
	}
	delete(there, "")
	known := make(map[string]int)      // comments by their ids
	answers := make(map[string]string) // the ids that answers answer, by their own
	answered := make([]string, len(list))
	i := -1
	if err := f.addEach("comment", list, func(o object) (int, error) {
		i++
		id, to := o.id("id"), o.id("in_reply_to_id")
		if to != id && there[to] {
			answers[id], answered[i] = to, to
			return none, nil
		}
		c, err := githubComment(o)
		if err != nil {
			return none, err
		}
		n, err := f.add(c, slot{object: o.at})
		if id != "" {
			known[id] = n
		}
		return n, err
	}); err != nil {
		return err
	}
	items := f.lists[len(f.lists)-1].items
	for i, to := range answered {
		if to == "" {
			continue
		}
		n, ok := known[to]
		for steps := 0; !ok && steps < maxAnswers; steps++ { // GitHub's answers name the first comment
			to = answers[to]
			n, ok = known[to]
		}
		if !ok {
			return fmt.Errorf("comment %d: %w", i+1, placed(f.text, list[i], errors.New("it only answers other answers")))
		}
		items[i].comment = n
	}
	return nil
}

// maxAnswers limits the chain from an answer to its comment.
const maxAnswers = 100

// githubReview returns the comments of a review, and adds its summary.
func (f *File) githubReview(at span) ([]span, error) {
	review, err := readObject(f.text, at)
	if err != nil {
		return nil, err
	}
	list, ok, err := review.list("comments")
	if err != nil {
		return nil, err
	}
	body, err := review.str("body")
	if err != nil {
		return nil, err
	}
	if s := review.failure(); s != "" {
		return nil, errors.New("the review reports a failure of its author: " + s)
	}
	switch {
	case ok:
	case review.has("path", "string"):
		return []span{at}, nil
	case body == "": // an API describes a review without its comments like this
		return nil, errors.New(`the review has no list of "comments", not even an empty one, and no text as its "body"`)
	}
	f.whole = []slot{{object: at}}
	if body != "" {
		if _, err := f.add(Comment{Body: body, Summary: true}, slot{none: true}); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func githubComment(o object) (Comment, error) {
	var c Comment
	if !o.has("body", "string") {
		return c, errors.New(`there is no "body"`)
	}
	var side, startSide, about string
	var was, wasAt int
	if err := cmp.Or(
		o.strs(map[string]*string{"body": &c.Body, "path": &c.Path, "side": &side, "start_side": &startSide, "subject_type": &about}),
		o.nums(map[string]*int{"line": &c.EndLine, "start_line": &c.StartLine, "position": &c.DiffLine, "original_line": &was, "original_position": &wasAt}),
	); err != nil {
		return c, err
	}
	switch side {
	case "LEFT":
		c.Side = Old
	case "RIGHT", "":
	default:
		return c, fmt.Errorf("the side is %q, not LEFT or RIGHT", shown(side))
	}
	if startSide != "" && side != "" && startSide != side {
		c.StartLine = 0 // its number is on the other side
	}
	switch {
	case about == "file":
		c.StartLine, c.EndLine, c.DiffLine = 0, 0, 0
	case c.EndLine > 0:
		c.DiffLine = 0
	case c.DiffLine <= 0:
		c.Lost = was > 0 || wasAt > 0
	}
	return c, nil
}
