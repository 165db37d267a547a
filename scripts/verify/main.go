// Verify runs the parts of make verify: the tests that are too slow for make test. It keeps which commit each part was
// last green on, in docs/verified.tsv and docs/status.md, and runs one part in each run of .ci/run.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"fairbridge/scripts/verify/part"
)

const usage = `usage, in the root of the tree:
  verify [PART...]       runs these parts; without names, all that are not yet green for this tree
  verify --list          lists the parts, and when each was last green
  verify next            names the part that gate would run
  verify gate [--record] runs the part whose turn it is at this commit, and compares with its last green commit where it is red
  verify repeats FILE    keeps what gotestsum --rerun-fails-report=FILE wrote`

// errUsage says that the arguments mean nothing.
var errUsage = errors.New(usage)

// verifier runs the parts of a tree and keeps when they were green.
type verifier struct {
	root  string // the tree, a work tree of git
	parts []part.Part
	out   io.Writer
	// build compiles the verify of another tree and returns where the program is.
	build func(ctx context.Context, tree string) (string, error)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	v := verifier{root: ".", parts: part.Table, out: os.Stdout, build: buildVerify}
	if err := v.command(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "verify:", err)
		os.Exit(exitStatus(err))
	}
}

// exitStatus is 0 where all was green, 1 where a part is red, 2 where the arguments mean nothing, and 3 where
// something kept a part from being judged: the gate must not take that for red.
func exitStatus(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUsage):
		return 2
	case errors.As(err, new(redError)):
		return 1
	}
	return 3
}

// command does what the arguments say.
func (v verifier) command(ctx context.Context, args []string) error {
	switch {
	case len(args) == 1 && args[0] == "--list":
		return v.list(false)
	case len(args) == 1 && args[0] == "next":
		p, err := v.next()
		v.sayf("%s", p.Name)
		return err
	case len(args) == 1 && args[0] == "gate":
		return v.gate(ctx, false)
	case len(args) == 2 && args[0] == "gate" && args[1] == "--record":
		return v.gate(ctx, true)
	case len(args) == 2 && args[0] == "repeats":
		return v.keepRepeats(args[1])
	}
	return v.verify(ctx, args)
}

// sayf writes a line for the reader.
func (v verifier) sayf(format string, args ...any) { fmt.Fprintf(v.out, format+"\n", args...) }
