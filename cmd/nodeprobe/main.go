// Command nodeprobe measures the GPUs of a node and serves what it finds to
// fairbridge and to Prometheus.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"fairbridge/bridge/printable"
)

// Exit codes, for scripts.
const (
	exitOK       = 0
	exitFailed   = 1 // something could not be done
	exitUsage    = 2 // wrong flags
	exitNoDriver = 3 // --once, and there is no working driver
)

func main() {
	runtime.GOMAXPROCS(2) // a big node has many cores, a probe needs none of them for long
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run carries out one command line and returns its exit code.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	errs = printable.NewWriter(errs) // out stays as it is: the reader answers its parent there
	root := newRootCommand()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	var usage usageError
	printable.Fprintf(errs, "nodeprobe: %v\n", err)
	switch {
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, errNoDriver):
		return exitNoDriver
	}
	return exitFailed
}

// usageError is a command line that makes no sense.
type usageError struct{ error }

// errNoDriver ends --once where nothing can be measured.
var errNoDriver = errors.New("no GPU was measured")
