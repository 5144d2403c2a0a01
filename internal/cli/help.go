package cli

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crscore/internal/limits"
	"crscore/internal/spelling"
)

// flagGroup is a heading of the help with its flags.
type flagGroup struct {
	title string
	flags string // names, separated by spaces, in the order of the help
}

// ownFlags is the heading of the flags that stand in no group: those of a single command.
const ownFlags = "Options"

// flagGroups are the headings of every command's help. A flag has the same place in all.
func flagGroups() []flagGroup {
	return []flagGroup{
		{"Input", "diff range recount path lang old new review truth invalid clones comments comments-format data data-format map csv-comma empty-cells reference hyp ref scores"},
		{ownFlags, ""},
		{"References", "claims max-claims smells findings"},
		{"Scoring", "metrics mode tau low slope comp weights profile similarity splitter raw compat"},
		{"Models", "encoder encoder-file pooling backend ort-library claims-format claims-fallback claims-timeout model-calls"},
		{"Tools", "tool node-modules tool-timeout no-cache"},
		{runnerFlags, ""},
		{"Policy", "drop drop-off-topic min-con min-comp min-rel max-comments empty"},
		{"Statistics", "resamples flips seed"},
		{"Output", "format output force corpus explain bare out shard matrices keep-matrices html figures"},
		{"General", "workers config no-config quiet log-format help version"},
	}
}

// runnerFlags is the heading of the flags that a command of another module has and marks by
// MarkRunner.
const runnerFlags = "Runner"

// groupAnnotation names the heading of a flag that means something else in one command.
const groupAnnotation = "crscore_group"

// groupOf returns the heading of a flag.
func groupOf(flag string) string {
	for _, g := range flagGroups() {
		if slices.Contains(strings.Fields(g.flags), flag) {
			return g.title
		}
	}
	return ownFlags
}

// usage writes the part of a help text that follows the description.
func usage(cmd *cobra.Command) error {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if cmd.Runnable() {
		fmt.Fprintf(&b, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s COMMAND [flags]\n\nCommands:\n", cmd.CommandPath())
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() || c.Name() == "help" {
				fmt.Fprintf(&b, "  %-*s %s\n", cmd.NamePadding(), c.Name(), c.Short)
			}
		}
	}
	for _, g := range flagGroups() {
		if flags := flagsOf(cmd, g); flags.HasAvailableFlags() {
			fmt.Fprintf(&b, "\n%s:\n%s", g.title, flags.FlagUsagesWrapped(limits.ScreenColumns))
		}
	}
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%s COMMAND --help tells more about a command.\n", cmd.CommandPath())
	}
	_, err := fmt.Fprint(cmd.OutOrStderr(), b.String())
	return err
}

// flagsOf returns the flags of a command that belong to a group, in the group's order.
func flagsOf(cmd *cobra.Command, g flagGroup) *pflag.FlagSet {
	var found []*pflag.Flag
	collect := func(f *pflag.Flag) {
		title := groupOf(f.Name)
		if special := f.Annotations[groupAnnotation]; len(special) == 1 {
			title = special[0]
		}
		if title == g.title {
			found = append(found, f)
		}
	}
	cmd.LocalFlags().VisitAll(collect)
	cmd.InheritedFlags().VisitAll(collect)
	order := strings.Fields(g.flags)
	slices.SortStableFunc(found, func(a, b *pflag.Flag) int {
		return cmp.Compare(slices.Index(order, a.Name), slices.Index(order, b.Name))
	})
	set := pflag.NewFlagSet(g.title, pflag.ContinueOnError)
	set.SortFlags = false
	for _, f := range found {
		set.AddFlag(f)
	}
	return set
}

// topics makes `crscore help` fail for a topic that does not exist; the library's own
// command prints the root's help then, and succeeds.
func topics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		return // a command without subcommands has none
	}
	help.Use, help.Short, help.Long = "help [COMMAND]", "Print the help of a command", ""
	help.Run = nil
	help.RunE = func(_ *cobra.Command, args []string) error {
		cmd, rest, err := root.Find(args)
		if err != nil || len(rest) > 0 {
			return fmt.Errorf("unknown help topic %q%s", strings.Join(args, " "), didYouMean(subcommands(cmd, rest)))
		}
		cmd.InitDefaultHelpFlag()
		cmd.InitDefaultVersionFlag()
		return cmd.Help()
	}
}

// subcommands returns the names of a command's subcommands that resemble the first argument.
func subcommands(cmd *cobra.Command, args []string) []string {
	if cmd == nil || len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	return cmd.SuggestionsFor(args[0])
}

// didYouMean is the end of an error about an unknown name.
func didYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ": did you mean " + strings.Join(names, " or ") + "?"
}

// explainArgs makes every command's error about its arguments say what to do instead.
func explainArgs(cmd *cobra.Command) {
	if !cmd.Runnable() { // the library prints the help then, and succeeds
		cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			switch {
			case err == nil:
				return nil
			case len(args) == 0:
				return fmt.Errorf("an argument is missing: %s", cmd.UseLine())
			case cmd.HasAvailableSubCommands():
				return unknownCommand(cmd, args)
			}
			return unexpected(cmd, args)
		}
	}
	for _, sub := range cmd.Commands() {
		explainArgs(sub)
	}
}

// unknownCommand is the error for an argument that is no subcommand.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if names := subcommands(cmd, args); len(names) > 0 {
		return fmt.Errorf("unknown command %q%s", args[0], didYouMean(names))
	}
	if flag := flagFor(args[0]); flag != "" && !cmd.HasParent() {
		return fmt.Errorf("unknown command %q: to score the file, give %s score --%s %s%s",
			args[0], cmd.CommandPath(), flag, args[0], spelling.Either(flag == "diff", " --review @FILE", ""))
	}
	return fmt.Errorf("unknown command %q (see %s --help)", args[0], cmd.CommandPath())
}

// unexpected is the error for an argument of a command that takes none, or not so many.
func unexpected(cmd *cobra.Command, args []string) error {
	if flag := flagFor(args[0]); flag != "" && cmd.Flags().Lookup(flag) != nil {
		return fmt.Errorf("unexpected argument %q: did you mean --%s %[1]s?", args[0], flag)
	}
	return fmt.Errorf("unexpected arguments %q: the usage is %s", args, cmd.UseLine())
}

// flagFor returns the flag that takes a file of such a name: data, diff, or "".
func flagFor(file string) string {
	file = strings.TrimSuffix(strings.ToLower(file), ".gz")
	switch filepath.Ext(file) {
	case ".csv", ".tsv", ".jsonl", ".ndjson", ".parquet":
		return "data"
	case ".diff", ".patch":
		return "diff"
	}
	return ""
}

// flagError says which flag was meant, or which command has it.
func flagError(cmd *cobra.Command, err error) error {
	if args := cmd.Flags().Args(); cmd.HasAvailableSubCommands() && len(args) > 0 {
		return unknownCommand(cmd, args)
	}
	see := fmt.Sprintf("see %s --help", cmd.CommandPath())
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return fmt.Errorf("%w (%s)", err, see)
	}
	name := unknown.GetSpecifiedName()
	if names := similarFlags(cmd, name); len(names) > 0 {
		return fmt.Errorf("%w%s (%s)", err, didYouMean(names), see)
	}
	var others []string
	for _, c := range cmd.Root().Commands() {
		if c != cmd && c.LocalFlags().Lookup(name) != nil {
			others = append(others, c.Name())
		}
	}
	if len(others) > 0 {
		return fmt.Errorf("%w: it is a flag of %s (%s)", err, strings.Join(others, ", "), see)
	}
	return fmt.Errorf("%w (%s)", err, see)
}

// similarFlags returns the flags of a command that resemble a name. The library compares
// names of commands only, so that the flags are dressed up as commands.
func similarFlags(cmd *cobra.Command, name string) []string {
	flags := &cobra.Command{SuggestionsMinimumDistance: 2}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			flags.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		}
	})
	names := flags.SuggestionsFor(name)
	for i := range names {
		names[i] = "--" + names[i]
	}
	return names
}
