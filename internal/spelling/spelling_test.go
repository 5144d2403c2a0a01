package spelling

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"reviews", "review", "diff", "id", "similarities"}
	for word, want := range map[string]string{
		"reviws": "reviews", "Review": "review", "REVIEWS": "reviews", "dif": "diff", "similarity": "", "simlarites": "similarities",
		"ids": "", "": "", "text": "", "reviewss": "reviews",
	} {
		if got := Nearest(word, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
	if !Near("min_cons", "min_con") || Near("a", "b") {
		t.Error("Near")
	}
}
