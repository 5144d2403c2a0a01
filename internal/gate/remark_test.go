package gate

import "testing"

func TestRemarkKind(t *testing.T) {
	table := vocabularies()
	for _, c := range []struct {
		want      RemarkKind
		sentences []string
	}{
		{Praise, []string{"LGTM!", "👍", "Nice work, thanks!", "Looks good to me.", "The code changes look good.", "Thank you for the quick fix @someone!", "This is a great improvement.",
			"No issues found.", "I really like this change.", "Well done.", "Thanks for your contribution :tada:", "+1", "Good catch!", "I’ve no further comments.", "No corrections or improvements are needed."}},
		{Process, []string{"Please squash the commits before merging.", "Can you rebase onto the latest main?", "Needs a rebase.", "CI is red.", "The build is failing again.", "Please fix the merge conflicts.",
			"This change is unrelated to this PR.", "This is out of scope here.", "I think we should have a separate PR for this.", "nit: commit message", "See my comments below.", "I left a few comments.",
			"Please exclude this file from the PR.", "Travis failed; please re-run the job.", "Squash the 3 commits, please.", "Rebase on origin/main please"}},
		{"", []string{"Please rebase the pointer arithmetic on the start of the buffer.", "Squash the two loops into one.", "Good catch, but `put` now needs a ttl.", "Is this a good idea?", "This is not a good idea.",
			"Thanks for removing the lock in the cache.", "This breaks CI.", "The unrelated keys are evicted, too.", "It's a good idea to remove it.", "This should be a separate function.", "Nice, but the error is lost.",
			"`squash` should be private.", "Please merge these branches of the condition.", "Good code checks its input.", "The merge conflicts with the lock.", "This is fine unless the list is empty.", "Looks good except for the timeout.",
			"", "...", "It would be good to add a test.", "Why is this fine?", "Commit before the connection is closed.", "素晴らしい good", "The CI token is logged."}},
	} {
		for _, s := range c.sentences {
			if got := remarkKind(table, []string{s}); got != c.want {
				t.Errorf("%q: %q, want %q", s, got, c.want)
			}
		}
	}
	for _, c := range []struct {
		sentences []string
		want      RemarkKind
	}{
		{[]string{"Thanks!", "Please rebase."}, Process},
		{[]string{"Please rebase.", "Thanks!"}, Process},
		{[]string{"Thanks!", "LGTM"}, Praise},
		{[]string{"Thanks!", "The lock is never released."}, ""},
		{nil, ""},
	} {
		if got := remarkKind(table, c.sentences); got != c.want {
			t.Errorf("%q: %q, want %q", c.sentences, got, c.want)
		}
	}
}
