// Command ctldbench measures what fairbridge costs slurmctld: requests by user and kind,
// and the times of scheduling cycles, as sdiag counts them, without fairbridge, in its first
// minutes and after them, in turn on the same queue. The Slurm is a throw-away one with the
// scheduling intervals that Slurm has by default.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const usageText = `Usage: ctldbench [flags]

Measures what slurmctld does for fairbridge beside a queue of many jobs, in which a few
start and end every half minute, and prints tables. It must run as root.

Examples:
  go run ./e2e/ctldbench                       this machine's own release of Slurm
  FAIRBRIDGE_SLURM_ROOTS=DIR go run ./e2e/ctldbench -release 24.11
  go run ./e2e/ctldbench -jobs 2000 -window 2m -rounds 1

Flags:
`

// options are what the command line says.
type options struct {
	release    string        // of Slurm; "": this machine's own
	jobCount   int           // that wait
	window     time.Duration // of one measurement
	roundCount int           // of three windows each
	mode       string        // of fairbridge
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o, err := parseFlags(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		err = run(ctx, o, os.Stdout, os.Stderr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ctldbench:", err)
		stop()
		os.Exit(1)
	}
}

func parseFlags(args []string, help io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("ctldbench", flag.ContinueOnError)
	f.SetOutput(help)
	f.Usage = func() {
		fmt.Fprint(help, usageText)
		f.PrintDefaults()
	}
	f.StringVar(&o.release, "release", "", "the `release` of Slurm, from the folder that FAIRBRIDGE_SLURM_ROOTS names")
	f.IntVar(&o.jobCount, "jobs", 10000, "waiting `jobs`, no arrays")
	f.DurationVar(&o.window, "window", 3*time.Minute, "`time` of one measurement")
	f.IntVar(&o.roundCount, "rounds", 2, "`rounds`: without fairbridge, its first minutes, the minutes after them")
	f.StringVar(&o.mode, "mode", "steer", "fairbridge's `mode`: observe, rank or steer")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 || o.jobCount < 1 || o.roundCount < 1 || o.window < time.Second {
		return o, errors.New("wrong arguments: see -help")
	}
	return o, nil
}

func run(ctx context.Context, o options, out, progress io.Writer) (err error) {
	s, err := openSite(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	from := time.Now()
	if err := s.fillQueue(ctx, o.jobCount); err != nil {
		return err
	}
	fmt.Fprintf(progress, "%d jobs submitted in %v\n", o.jobCount, time.Since(from).Round(time.Second))
	var all []sample
	for i := range o.roundCount {
		fmt.Fprintf(progress, "round %d of %d, %v\n", i+1, o.roundCount, 3*o.window)
		samples, err := s.measureRound(ctx, o.window)
		if err != nil {
			return fmt.Errorf("round %d: %w", i+1, err)
		}
		all = append(all, samples...)
	}
	printTables(out, all, o)
	return nil
}
