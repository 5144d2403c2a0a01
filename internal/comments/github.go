package comments

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"crscore/internal/limits"
)

// githubLists returns the lists of comments in the file, of a review as it is sent, of a comment
// alone, of pages, and of what gh prints of a pull request. lines says that the one list is JSON
// Lines.
func (f *File) githubLists() (lists [][]span, lines bool, err error) {
	all, err := values(f.text)
	if err != nil {
		return nil, false, err
	}
	isList := func(at span) bool { return kind(f.text, at) == "array" }
	if len(all) == 1 && isList(all[0]) { // of comments, or of pages
		if page, err := elements(f.text, all[0]); err == nil && len(page) > 0 && isList(page[0]) {
			all = page
		}
	}
	for _, at := range all {
		k := kind(f.text, at)
		switch {
		case k == "array":
			var page []span
			if page, err = elements(f.text, at); err == nil {
				lists = append(lists, page)
			}
		case len(lists) > 0 || k != "object" && len(all) == 1:
			err = placed(f.text, at, fmt.Errorf("this is a JSON %s, not a review or a list of comments", k))
		case len(all) > 1:
			return [][]span{all}, true, nil
		default:
			lists, err = f.githubReview(trimmed(f.text, at))
		}
		if err != nil {
			return nil, false, err
		}
	}
	return lists, false, nil
}

// readGitHub reads comments of GitHub, or in objects like those.
func (f *File) readGitHub() error {
	lists, lines, err := f.githubLists()
	if err != nil {
		return err
	}
	list := slices.Concat(lists...)
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
	read := func(o object) (int, error) {
		i++
		id, to := o.id("id"), o.id("in_reply_to_id")
		if to != id && there[to] {
			answers[id], answered[i] = to, to
			return none, nil
		}
		o = f.named(o)
		if inner := o.id("comments"); strings.Trim(inner, "[] \r\n\t") != "" {
			return none, errors.New(`it has "comments" of its own, which are not read here: give them as a list`)
		}
		if body, _ := o.str("body"); body == "" && o.has("state", "string") && !o.has("path", "string") {
			return none, nil // a review of GitHub without a text: only its comments say something
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
	}
	var items []*item
	for _, list := range lists {
		if err := f.addEach("comment", list, lines, read); err != nil {
			return err
		}
		last := f.lists[len(f.lists)-1].items
		for k := range last {
			items = append(items, &last[k])
		}
	}
	for i, to := range answered {
		if to == "" {
			continue
		}
		n, ok := known[to]
		for steps := 0; !ok && steps < limits.CommentAnswers; steps++ { // GitHub's answers name the first comment
			to = answers[to]
			n, ok = known[to]
		}
		if !ok {
			return fmt.Errorf("comment %d: %w", i+1, placed(f.text, list[i], errors.New("it only answers other answers")))
		}
		items[i].comment = n
	}
	return f.tell()
}

// githubReview returns the lists of comments of a review, or of the pull request as gh prints
// it, and adds the summary of the review.
func (f *File) githubReview(at span) ([][]span, error) {
	review, err := readObject(f.text, at)
	if err != nil {
		return nil, err
	}
	if column, mapped := f.names.Of("comments"); mapped {
		list, _ := review.find(column)
		f.used[column] = "comments"
		if list.to == 0 || kind(f.text, list) != "array" {
			return nil, fmt.Errorf("there is no list %q, which the map gives for comments", shown(column))
		}
		f.whole = []slot{{object: at}}
		comments, err := elements(f.text, list)
		return [][]span{comments}, err
	}
	comments, ok, err := review.list("comments")
	if err != nil {
		return nil, err
	}
	body, err := review.str("body")
	if err != nil {
		return nil, err
	}
	reviews, printed, err := review.list("reviews")
	if err == nil && !printed {
		reviews, printed, err = review.list("latestReviews")
	}
	if err != nil {
		return nil, err
	}
	if s := review.failure(); s != "" {
		return nil, errors.New("the review reports a failure of its author: " + s)
	}
	if len(comments) > 0 { // gh says who wrote them, and has no places
		first, err := readObject(f.text, comments[0])
		printed = printed || err == nil && first.has("author", "object")
	}
	f.whole = []slot{{object: at}}
	switch {
	case printed: // its body is the author's description of the pull request
		return [][]span{comments, reviews}, nil
	case ok:
	case f.named(review).has("path", "string"):
		f.whole = nil
		return [][]span{{at}}, nil
	case body == "": // an API describes a review without its comments like this
		return nil, errors.New(`the review has no list of "comments", not even an empty one, and no text as its "body"`)
	}
	if body != "" {
		if _, err := f.add(Comment{Body: body, Summary: true}, slot{none: true}); err != nil {
			return nil, err
		}
	}
	return [][]span{comments}, nil
}

func githubComment(o object) (Comment, error) {
	var c Comment
	if !o.has("body", "string") {
		return c, errors.New(`there is no "body"`)
	}
	var side, startSide, about string
	var was, wasAt int
	if err := cmp.Or(
		readAll(map[string]*string{"body": &c.Body, "path": &c.Path, "side": &side, "start_side": &startSide, "subject_type": &about}, o.str),
		readAll(map[string]*int{"line": &c.EndLine, "start_line": &c.StartLine, "position": &c.DiffLine, "original_line": &was, "original_position": &wasAt}, o.num),
	); err != nil {
		return c, err
	}
	side, startSide = strings.ToUpper(side), strings.ToUpper(startSide)
	switch side {
	case "LEFT", "OLD":
		c.Side = Old
	case "RIGHT", "NEW", "":
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
	case c.StartLine > 0 && c.DiffLine <= 0:
		c.EndLine = c.StartLine
	case c.DiffLine <= 0:
		c.Lost = was > 0 || wasAt > 0
	}
	return c, nil
}
