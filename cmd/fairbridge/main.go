// Command fairbridge schedules GPU jobs on an unmodified Slurm: it watches,
// lets a policy decide, and pushes order, leases, node lists and requeues back.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/settings"
)

// Exit codes, for scripts.
const (
	exitOK      = 0
	exitFailed  = 1 // something could not be done
	exitUsage   = 2 // wrong flags or configuration
	exitFinding = 3 // done, and the answer is bad: doctor found a fault, the job is not known
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run carries out one command line and returns its exit code.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
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
		fmt.Fprintln(errs, err) // one line each, as editors read them
		return exitUsage
	case cli.IsUsageError(err):
		fmt.Fprintf(errs, "fairbridge: %v\n", err)
		return exitUsage
	}
	fmt.Fprintf(errs, "fairbridge: %v\n", err)
	return exitFailed
}
