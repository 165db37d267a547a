// Command fairbridge schedules GPU jobs on an unmodified Slurm: it watches,
// lets a policy decide, and pushes order, leases, node lists and requeues back.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/settings"
)

// Exit codes, for scripts.
const (
	exitOK      = 0
	exitFailed  = 1 // something could not be done
	exitUsage   = 2 // wrong flags or configuration
	exitFinding = 3 // done, and the answer is bad: doctor found a fault, the job is not known
	exitAway    = 4 // the daemon could not be reached, or cannot answer now: later may do
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run carries out one command line and returns its exit code.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	out, errs = printable.NewWriter(out), printable.NewWriter(errs)
	root := newRootCommand()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	var problem settings.Problem
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, cli.ErrFinding):
		return exitFinding
	case errors.As(err, &problem):
		printable.Fprintlines(errs, err.Error()) // one line each, as editors read them
		return exitUsage
	case cli.IsUsageError(err):
		printError(errs, err)
		return exitUsage
	case cli.IsUnreachableError(err):
		printError(errs, err)
		return exitAway
	}
	printError(errs, err)
	return exitFailed
}

// printError writes an error; a line that it has besides its first stands further in, so
// that no text of others in it passes for one of ours.
func printError(w io.Writer, err error) {
	printable.Fprintlines(w, "fairbridge: "+strings.ReplaceAll(err.Error(), "\n", "\n  "))
}
