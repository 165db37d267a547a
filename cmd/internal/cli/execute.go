package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/settings"
)

// Exit codes, for scripts.
const (
	ExitOK      = 0
	ExitFailed  = 1 // something could not be done
	ExitUsage   = 2 // wrong flags or configuration
	ExitFinding = 3 // done, and the answer is bad: doctor found a fault, the job is not known
	ExitAway    = 4 // the daemon could not be reached, or cannot answer now: later may do
)

// Main is the main function of a program with those commands.
func Main(root *cobra.Command) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := Execute(ctx, root, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Execute carries out one command line and returns its exit code.
func Execute(ctx context.Context, root *cobra.Command, args []string, out, errs io.Writer) int {
	out, errs = printable.NewWriter(out), printable.NewWriter(errs)
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	var problem settings.Problem
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, ErrFinding):
		return ExitFinding
	case errors.As(err, &problem):
		printable.Fprintlines(errs, err.Error()) // one line each, as editors read them
		return ExitUsage
	}
	printError(errs, root.Name(), err)
	switch {
	case IsUsageError(err):
		return ExitUsage
	case IsUnreachableError(err):
		return ExitAway
	}
	return ExitFailed
}

// printError writes an error; a line that it has besides its first stands further in, so
// that no text of others in it passes for one of ours.
func printError(w io.Writer, program string, err error) {
	printable.Fprintlines(w, program+": "+strings.ReplaceAll(err.Error(), "\n", "\n  "))
}
