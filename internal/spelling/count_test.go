package spelling

import "testing"

func TestCount(t *testing.T) {
	for _, tt := range []struct {
		format string
		args   []any
		want   string
	}{
		{"%d changes", []any{1}, "1 change"},
		{"%d changes", []any{0}, "0 changes"},
		{"%d changes, %d reviews scored (%d of them empty)", []any{1, 11, 1}, "1 change, 11 reviews scored (1 of them empty)"},
		{"%d of %d comments kept", []any{1, 1}, "1 of 1 comment kept"},
		{"%d of %d comments kept", []any{1, 2}, "1 of 2 comments kept"},
		{"%s: 100%% of %d malformed lines, %.1f%%", []any{"1 lines", int64(1), 1.0}, "1 lines: 100% of 1 malformed line, 1.0%"},
		{"%d changes are finished, and %d were", []any{1, 1}, "1 change is finished, and 1 were"},
		{"only %d references are about its %s", []any{1, "lines"}, "only 1 reference is about its lines"},
		{"%d more systems have none", []any{1}, "1 more system has none"},
		{"and %d more malformed lines", []any{1}, "and 1 more malformed line"},
		{"%d pull requests", []any{1}, "1 pull request"},
		{"%d classes", nil, "%!d(MISSING) classes"},
	} {
		if got := Count(tt.format, tt.args...); got != tt.want {
			t.Errorf("%q of %v: %q, want %q", tt.format, tt.args, got, tt.want)
		}
	}
}
