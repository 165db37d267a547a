// Package cli is what the commands of fairbridge share: the flags all of them have, the
// errors that decide the exit status, and how arguments are checked.
package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/user"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fairbridge/accounting/stores"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/system"
	"fairbridge/cmd/internal/version"
	"fairbridge/cmd/settings"
)

// DefaultConfigPath is where the configuration is unless it is said.
const DefaultConfigPath = "/etc/fairbridge/fairbridge.yaml"

// Options are the flags every command has.
type Options struct {
	ConfigPath string // file
	URL        string // where the daemon is asked, "": not given; of commands that have AddURLFlag
	JSON       bool   // print JSON; of commands made WithJSON

	isConfigFlagGiven func() bool
}

// ErrFinding ends a command whose output says it all.
var ErrFinding = errors.New("finding")

// usageError is a command line that makes no sense.
type usageError struct{ error }

// NewUsageError marks an error as one of the command line or the configuration.
func NewUsageError(err error) error { return usageError{err} }

// IsUsageError reports whether an error is one of the command line.
func IsUsageError(err error) bool {
	var u usageError
	return errors.As(err, &u)
}

// unreachableError is that what is to answer cannot be reached.
type unreachableError struct{ error }

// Unwrap returns the error that was marked.
func (e unreachableError) Unwrap() error { return e.error }

// NewUnreachableError marks an error as one of the way to fairbridge: trying again later may help.
func NewUnreachableError(err error) error { return unreachableError{err} }

// IsUnreachableError reports whether an error is one of the way to fairbridge.
func IsUnreachableError(err error) bool {
	var u unreachableError
	return errors.As(err, &u)
}

// NewGroupCommand makes a command that only has commands refuse what it does not know.
func NewGroupCommand(p *cobra.Command) *cobra.Command {
	p.Args = func(c *cobra.Command, a []string) error {
		if len(a) == 0 {
			return nil
		}
		hint := ""
		if like := c.SuggestionsFor(a[0]); len(like) > 0 {
			hint = ", did you mean " + strings.Join(like, " or ") + "?"
		}
		return NewUsageError(fmt.Errorf("unknown command %q%s; see %s --help", a[0], hint, c.CommandPath()))
	}
	p.RunE = func(c *cobra.Command, _ []string) error {
		if !c.HasParent() {
			return c.Help()
		}
		return NewUsageError(fmt.Errorf("%s what? see %s --help", c.CommandPath(), c.CommandPath()))
	}
	p.SuggestionsMinimumDistance = 2
	return p
}

func initialConfigPath() string {
	if p := os.Getenv("FAIRBRIDGE_CONFIG"); p != "" {
		return p
	}
	return DefaultConfigPath
}

// AddFlagsTo gives the program its --config, and says where the help is when a flag is
// wrong.
func (o *Options) AddFlagsTo(root *cobra.Command) {
	root.PersistentFlags().StringVarP(&o.ConfigPath, "config", "c", initialConfigPath(), "configuration file (environment: FAIRBRIDGE_CONFIG)")
	o.isConfigFlagGiven = func() bool { return root.PersistentFlags().Changed("config") }
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return NewUsageError(fmt.Errorf("%w; see %s --help", err, c.CommandPath()))
	})
}

// IsConfigFlagGiven reports whether --config stands on the command line.
func (o *Options) IsConfigFlagGiven() bool {
	return o.isConfigFlagGiven != nil && o.isConfigFlagGiven()
}

// AddURLFlag gives a command that may ask the daemon its --url.
func (o *Options) AddURLFlag(c *cobra.Command) *cobra.Command {
	c.Flags().StringVar(&o.URL, "url", "", "ask the daemon there: https://HOST:PORT or unix:///PATH (environment: FAIRBRIDGE_URL)")
	return c
}

// LoadSettings reads the configuration. One that cannot be read is as wrong as one that
// makes no sense.
func (o *Options) LoadSettings() (*settings.File, error) {
	f, err := settings.Load(o.ConfigPath)
	var problem settings.Problem
	if err != nil && !errors.As(err, &problem) {
		return nil, NewUsageError(err)
	}
	return f, err
}

// AddJSONFlag gives a command that prints something its --json flag.
func (o *Options) AddJSONFlag(c *cobra.Command) *cobra.Command {
	c.Flags().BoolVar(&o.JSON, "json", false, "print JSON")
	return c
}

// CheckArgs turns cobra's complaints about arguments into usage errors that say which one is
// missing, or is too much.
func CheckArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, a []string) error {
		if err := check(c, a); err != nil {
			return NewUsageError(fmt.Errorf("%s; see %s --help", describeArgs(c, a), c.CommandPath()))
		}
		return nil
	}
}

// describeArgs says what is wrong with the arguments by the command's own line of usage.
func describeArgs(c *cobra.Command, a []string) string {
	line := strings.TrimSuffix(c.UseLine(), " [flags]")
	wanted := strings.Fields(c.Use)[1:]
	if len(a) < len(wanted) {
		return fmt.Sprintf("%s is missing: %s", strings.Trim(wanted[len(a)], "[]."), line)
	}
	if len(wanted) == 0 {
		return fmt.Sprintf("%s takes no argument, but got %q", line, a[0])
	}
	return fmt.Sprintf("%q is one argument too many: %s", a[len(wanted)], line)
}

// OpenSystem joins the parts that the configuration names. The caller closes DB.
func (o *Options) OpenSystem(ctx context.Context, log *slog.Logger) (*system.System, error) {
	f, err := o.LoadSettings()
	if err != nil {
		return nil, err
	}
	db, err := OpenDB(ctx, f)
	if err != nil {
		return nil, err
	}
	return system.Open(f, db, log)
}

// OpenDB returns the database of the configuration, which is not asked yet.
func OpenDB(ctx context.Context, f *settings.File) (*stores.Stores, error) {
	db, err := system.OpenDB(ctx, f)
	if err != nil {
		return nil, NewUsageError(err)
	}
	return db, nil
}

// MadeByText says by which release a page was made.
func MadeByText() string {
	v := version.ReadInfo()
	return fmt.Sprintf("Made by fairbridge %s (%s).", v.Version, v.Commit)
}

// PersonName is who runs this, as far as can be told.
func PersonName() string {
	if name := os.Getenv("SUDO_USER"); name != "" {
		return name
	}
	u, err := user.Current()
	if err != nil {
		return cmp.Or(os.Getenv("USER"), "somebody")
	}
	return u.Username
}

// CheckPartitionName checks --partition: it says which partitions there are when the configuration
// lacks this one; "" is all of them.
func CheckPartitionName(f *settings.File, name string) error {
	if name == "" || slices.Contains(f.PartitionNames(), name) {
		return nil
	}
	return fmt.Errorf("--partition %s: the configuration has no such partition, it has %s", name, strings.Join(f.PartitionNames(), ", "))
}

// CheckPartitionArgument checks a partition that is an argument.
func CheckPartitionArgument(f *settings.File, name string) error {
	if slices.Contains(f.PartitionNames(), name) {
		return nil
	}
	return fmt.Errorf("the configuration has no partition %q, it has %s", name, strings.Join(f.PartitionNames(), ", "))
}

// CompletePartitionNames offers the configured partitions to a shell.
func (o *Options) CompletePartitionNames() cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		f, err := o.LoadSettings()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return f.PartitionNames(), cobra.ShellCompDirectiveNoFileComp
	}
}

// AskWhetherMeant asks on a terminal whether what was told is to be done there. Where there is none it must have been said, by --yes.
func AskWhetherMeant(c *cobra.Command, isMeant bool, where string) (bool, error) {
	if isMeant {
		return true, nil
	}
	in, ok := c.InOrStdin().(*os.File)
	if !ok || output.TerminalWidth(in) == 0 {
		return false, NewUsageError(errors.New("nothing was done: this is no terminal to ask on; say --yes if it is meant"))
	}
	return ReadYes(c.Context(), in, c.ErrOrStderr(), where), nil
}

// ReadYes asks, and reports whether the answer is yes.
func ReadYes(ctx context.Context, in io.Reader, out io.Writer, where string) bool {
	printable.Fprintf(out, "%s", fmt.Sprintf("Do it (%s)? [y/N] ", where))
	answers := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n')
		answers <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		return false
	case a := <-answers:
		return a == "y" || a == "yes"
	}
}
