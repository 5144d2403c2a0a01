package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"crscore"
	"crscore/internal/config"
	"crscore/internal/stdio"
)

// EngineFlags are the flags of score that choose an engine, for a command that scores datasets
// elsewhere. The zero value is ready for Add.
type EngineFlags struct{ flags engineFlags }

// Add adds the flags to a command.
func (f *EngineFlags) Add(cmd *cobra.Command) {
	f.flags.add(cmd)
	cmd.Flags().Lookup("findings").Hidden = true // of one change; Spec says so
	cmd.SetUsageFunc(usage)
	cmd.SetFlagErrorFunc(flagError)
}

// MarkRunner puts a flag below the heading of those that choose where a job runs.
func MarkRunner(flag *pflag.Flag) {
	flag.Annotations = map[string][]string{groupAnnotation: {runnerFlags}}
}

// EngineSpec is an engine as another process opens it: the flags that were given, with the
// contents of the files that only shape numbers. It has nothing from the environment; programs
// and models that a flag names are looked for where the engine opens.
type EngineSpec struct {
	// Args are the flags that were given, but for those that name files below.
	Args []string
	// Settings are those of the user's configuration.
	Settings config.Config
	// ProfileName is the value of --profile and Profile the content of that file; both are
	// empty without one.
	ProfileName string
	Profile     []byte
}

// Spec reads the flags, and the files of --config and --profile.
func (f *EngineFlags) Spec(cmd *cobra.Command) (EngineSpec, error) {
	if err := f.flags.configure(cmd, nil); err != nil {
		return EngineSpec{}, err
	}
	if err := notEmpty(cmd, f.flags.names()...); err != nil {
		return EngineSpec{}, err
	}
	spec := EngineSpec{Settings: f.flags.settings, ProfileName: f.flags.profile}
	if f.flags.profile != "" {
		text, err := stdio.Empty(cmd.Context()).ReadFile(f.flags.profile, maxProfileBytes)
		if err != nil {
			return EngineSpec{}, fmt.Errorf("--profile: %w", err)
		}
		spec.Profile = text
	}
	own := f.flags.names()
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		switch flag.Name {
		case "config", "no-config", "profile":
		default:
			if slices.Contains(own, flag.Name) {
				spec.Args = append(spec.Args, argsOf(flag)...)
			}
		}
	})
	return spec, nil
}

// argsOf are the arguments that set a flag as it is set.
func argsOf(flag *pflag.Flag) (args []string) {
	values := []string{flag.Value.String()}
	switch list, is := flag.Value.(pflag.SliceValue); {
	case is:
		values = list.GetSlice()
	case flag.Value.Type() == "stringToString":
		values[0] = strings.TrimSuffix(strings.TrimPrefix(values[0], "["), "]")
	}
	for _, v := range values {
		args = append(args, "--"+flag.Name+"="+v)
	}
	return args
}

// Open opens the engine. Its warnings go to log.
func (s EngineSpec) Open(ctx context.Context, log io.Writer) (*crscore.Engine, error) {
	var f engineFlags
	cmd := &cobra.Command{Use: "engine"}
	cmd.SetContext(ctx)
	cmd.SetErr(log)
	f.add(cmd)
	args := s.Args
	if s.Profile != nil {
		f.profileText, args = s.Profile, append(slices.Clone(args), "--profile="+s.ProfileName)
	}
	if err := cmd.ParseFlags(args); err != nil {
		return nil, err
	}
	f.config.given = &s.Settings
	if err := f.configure(cmd, nil); err != nil {
		return nil, err
	}
	return f.engine(ctx, cmd)
}
