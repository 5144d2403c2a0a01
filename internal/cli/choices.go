package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crscore/internal/comments"
)

// These annotations of a flag tell what it takes: choices, or the least and the greatest number.
const (
	choicesAnnotation = "crscore_choices"
	rangeAnnotation   = "crscore_range"
)

// choose adds a flag that takes one of some values.
func choose(cmd *cobra.Command, to *string, flag, value, usage string, of ...string) {
	cmd.Flags().StringVar(to, flag, value, usage)
	_ = cmd.Flags().SetAnnotation(flag, choicesAnnotation, of) // the flag exists
	complete(cmd, flag, of...)
}

// textOrJSON adds the flag --format of a command with these two.
func textOrJSON(cmd *cobra.Command, to *string) {
	choose(cmd, to, "format", "text", "text or json", "text", "json")
}

// between bounds a flag that is a whole number. Its default may lie outside.
func between(cmd *cobra.Command, flag string, low, high int) {
	_ = cmd.Flags().SetAnnotation(flag, rangeAnnotation, []string{strconv.Itoa(low), strconv.Itoa(high)}) // the flag exists
}

// checkValues refuses values that the flags of a command do not take, before it runs.
func checkValues(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil {
			err = checkValue(f)
		}
	})
	return err
}

func checkValue(f *pflag.Flag) error {
	value := f.Value.String()
	if value == "" { // `--data "$UNSET"` in a script must not score something else
		return fmt.Errorf("--%s is empty", f.Name)
	}
	if f.Value.Type() == "duration" && (value == "0s" || value[0] == '-') && f.Name != "idle-timeout" {
		return fmt.Errorf("--%s is %s, but must be greater than 0", f.Name, value)
	}
	of, limits := f.Annotations[choicesAnnotation], f.Annotations[rangeAnnotation]
	switch {
	case len(of) == 2 && f.Name == "format" && !slices.Contains(of, value):
		return fmt.Errorf("unknown format %q: choose %s or %s", value, of[0], of[1])
	case len(of) > 0 && !slices.Contains(of, value):
		return fmt.Errorf("unknown --%s %q: choose %s", f.Name, value, strings.Join(of, ", "))
	case len(limits) > 0 && value != f.DefValue:
		n, _ := strconv.ParseInt(value, 10, 64) // the library has parsed it
		low, _ := strconv.ParseInt(limits[0], 10, 64)
		high, _ := strconv.ParseInt(limits[1], 10, 64)
		if n < low || n > high {
			return fmt.Errorf("--%s is %d, but must be from %d to %d", f.Name, n, low, high)
		}
	}
	return nil
}

// addCommentsFormat adds the flag of the format of files of comments.
func addCommentsFormat(cmd *cobra.Command, to *string) {
	choose(cmd, to, "comments-format", "",
		"format of all files of comments: "+strings.Join(comments.Formats(), ", ")+" (default: detected)", comments.Formats()...)
}

// addLines adds the flag of how far apart comments on the same problem may be.
func addLines(cmd *cobra.Command, to *int) {
	cmd.Flags().IntVar(to, "lines", 1, "how many lines a comment may be off")
	between(cmd, "lines", 0, 1_000_000)
}
