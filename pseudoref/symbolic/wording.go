package symbolic

import (
	"slices"
	"strings"
)

// rewording is a run of words that others took the place of; either may be
// empty.
type rewording struct{ gone, come []string }

// maxReworded bounds the words of a text that are compared one by one.
const maxReworded = 400

// rewordings compares two texts word by word.
func rewordings(from, to string) []rewording {
	x, y := strings.Fields(oneLine(from)), strings.Fields(oneLine(to))
	i := 0
	for i < len(x) && i < len(y) && x[i] == y[i] {
		i++
	}
	j, k := len(x), len(y)
	for j > i && k > i && x[j-1] == y[k-1] {
		j, k = j-1, k-1
	}
	x, y = x[i:j], y[i:k]
	if len(x) == 0 && len(y) == 0 {
		return nil
	}
	if len(x) > maxReworded || len(y) > maxReworded || len(x) == 0 || len(y) == 0 {
		return []rewording{{x, y}}
	}
	// The longest common subsequence; a lone short word between changes joins
	// them.
	w := len(y) + 1
	table := make([]int32, (len(x)+1)*w)
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				table[i*w+j] = table[(i+1)*w+j+1] + 1
			} else {
				table[i*w+j] = max(table[(i+1)*w+j], table[i*w+j+1])
			}
		}
	}
	var out []rewording
	var cur rewording
	var same []string
	flush := func() {
		if len(cur.gone)+len(cur.come) > 0 {
			out = append(out, cur)
		}
		cur = rewording{}
	}
	for i, j := 0, 0; i < len(x) || j < len(y); {
		if i < len(x) && j < len(y) && x[i] == y[j] {
			same = append(same, x[i])
			i, j = i+1, j+1
			continue
		}
		if len(same) > 1 || len(same) == 1 && len(same[0]) > 3 {
			flush()
		} else if len(cur.gone)+len(cur.come) > 0 {
			cur.gone, cur.come = append(cur.gone, same...), append(cur.come, same...)
		}
		same = nil
		if j == len(y) || i < len(x) && table[(i+1)*w+j] >= table[i*w+j+1] {
			cur.gone = append(cur.gone, x[i])
			i++
		} else {
			cur.come = append(cur.come, y[j])
			j++
		}
	}
	flush()
	return out
}

// around quotes the words beside a few that changed, which say little alone.
func around(s string, words []string) string {
	part := strings.Join(words, " ")
	all := strings.Fields(oneLine(s))
	if len(part) >= maxCode/2 || len(all) > 10*maxReworded {
		return ""
	}
	for i := 0; i+len(words) <= len(all); i++ {
		if slices.Equal(all[i:i+len(words)], words) {
			if a := strings.Join(all[max(0, i-3):min(len(all), i+len(words)+3)], " "); len(a) > len(part)+8 {
				return ", in " + quote(a, maxCode)
			}
			break
		}
	}
	return ""
}

// reworded says how a text was changed: which words came, went or were
// replaced, and where there are many, that it was reworded.
func reworded(what, from, to string) string {
	runs := rewordings(from, to)
	if len(runs) == 0 {
		return "the white space of " + what + " was changed"
	}
	limit := maxCode
	if len(runs) > 1 {
		limit = maxCode * 2 / 3
	}
	text := func(words []string) string { return strings.Join(words, " ") }
	short := func(words []string) string { return quote(text(words), limit) }
	replaced := func(r rewording) (string, string) {
		x, y := short(r.gone), short(r.come)
		if x == y {
			x, y = apart(text(r.gone), text(r.come))
		}
		return x, y
	}
	if len(runs) == 1 {
		switch r := runs[0]; {
		case len(r.gone) == 0:
			return what + " now also says " + short(r.come) + around(to, r.come)
		case len(r.come) == 0:
			return what + " no longer says " + short(r.gone) + around(from, r.gone)
		default:
			x, y := replaced(r)
			if whole := len(r.gone) == len(strings.Fields(from)) && len(r.come) == len(strings.Fields(to)); whole {
				return what + " was changed from " + x + " to " + y
			}
			return what + " now says " + y + " instead of " + x + around(from, r.gone)
		}
	}
	var said []string
	for _, r := range runs {
		switch {
		case len(r.gone) == 0:
			said = append(said, short(r.come)+" was added")
		case len(r.come) == 0:
			said = append(said, short(r.gone)+" was removed")
		default:
			x, y := replaced(r)
			said = append(said, x+" became "+y)
		}
	}
	if len(runs) == 2 && len(strings.Fields(strings.Join(said, " "))) < 18 {
		return "in " + what + ", " + said[0] + " and " + said[1]
	}
	i := 0 // the largest change says most
	for k, r := range runs {
		if len(r.gone)+len(r.come) > len(runs[i].gone)+len(runs[i].come) {
			i = k
		}
	}
	return "in " + what + ", words were changed in " + plural(len(runs), "place") + "; for instance, " + said[i]
}
