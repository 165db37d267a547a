package ask

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/api"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/source"
)

// completionTimeout is how long a shell waits at most for names: on a busy machine a daemon that is well needs seconds, and
// one that is not there is known at once.
const completionTimeout = 10 * time.Second

// completePartitions offers the partitions to a shell: those of the configuration where one is
// read, else those that the daemon names.
func completePartitions(o *cli.Options, open opener) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if names, directive := o.CompletePartitionNames()(c, args, typed); len(names) > 0 {
			return names, directive
		}
		ctx, cancel := context.WithTimeout(context.Background(), completionTimeout)
		defer cancel()
		s, err := open(ctx, o)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		defer s.Close()
		var all *api.Policies
		err = source.AskInTurn(ctx, func() (err error) {
			all, err = s.Policies(ctx)
			return err
		})
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var names []cobra.Completion
		for _, p := range all.Partitions {
			names = append(names, p.Name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
