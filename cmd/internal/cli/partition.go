package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fairbridge/cmd/settings"
)

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
