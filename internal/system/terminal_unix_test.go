//go:build unix

package system

import "testing"

func TestSigns(t *testing.T) {
	for _, tt := range []struct {
		all, ctype, lang string
		want             bool
	}{
		{"", "", "", true}, {"", "", "C", false}, {"", "", "de_DE.UTF-8", true}, {"", "", "C.utf8", true}, {"", "", "de_DE", false},
		{"", "", "de_DE.ISO-8859-1", false}, {"C", "", "de_DE.UTF-8", false}, {"", "en_US.UTF-8", "C", true}, {"POSIX", "en_US.UTF-8", "", false},
	} {
		t.Setenv("LC_ALL", tt.all)
		t.Setenv("LC_CTYPE", tt.ctype)
		t.Setenv("LANG", tt.lang)
		if got := Signs(); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}
