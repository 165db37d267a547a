// Command cyclebench measures what a cycle of fairbridge costs beside a real
// Slurm: wall time, and the processor time and memory of fairbridge, slurmrestd,
// slurmctld and Postgres, for cycles that read the whole job list and for
// cycles that read what moved. fairbridge only observes; nothing is changed but
// the jobs the command itself submits, which it cancels at the end.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"
	"time"
)

const usageText = `Usage: cyclebench [flags]

Measures cycles of fairbridge, which only observes, beside a real Slurm with many
pending jobs, and prints a table. It must run as root.

Examples:
  go run ./e2e/cyclebench                          a throw-away Slurm of this machine's own release
  go run ./e2e/cyclebench -jobs 20000 -cycles 12
  FAIRBRIDGE_SLURM_LAB=DIR go run ./e2e/cyclebench -lab 26.05
                                                   a running Slurm that DIR/env and DIR/in lead to
  go run ./e2e/cyclebench -profile /tmp/cpu        and go tool pprof -top /tmp/cpu.list

Flags:
`

// options are what the command line says.
type options struct {
	jobCount        int           // pending jobs
	cycleCount      int           // measured cycles of each kind
	changedJobCount int           // jobs that come, and as many that go, before a cycle of the last kind
	pause           time.Duration // between cycles
	policyName      string        // catalogue name
	labRelease      string        // release of a running Slurm; "": a throw-away one
	profilePrefix   string        // prefix of CPU profiles; "": none
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
		fmt.Fprintln(os.Stderr, "cyclebench:", err)
		stop()
		os.Exit(1)
	}
}

func parseFlags(args []string, help io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("cyclebench", flag.ContinueOnError)
	f.SetOutput(help)
	f.Usage = func() {
		fmt.Fprint(help, usageText)
		f.PrintDefaults()
	}
	f.IntVar(&o.jobCount, "jobs", 5000, "pending `jobs`, no arrays")
	f.IntVar(&o.cycleCount, "cycles", 10, "`cycles` measured of each kind")
	f.IntVar(&o.changedJobCount, "moved", 10, "`jobs` that come, and as many that go, before each cycle of the kind moved")
	f.DurationVar(&o.pause, "pause", time.Second, "`time` between two cycles")
	f.StringVar(&o.policyName, "policy", "tiresias", "the policy's `name`")
	f.StringVar(&o.labRelease, "lab", "", "use a running Slurm of this `release`")
	f.StringVar(&o.profilePrefix, "profile", "", "write CPU profiles to `prefix`.KIND")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 || o.jobCount < 1 || o.cycleCount < 1 || o.changedJobCount < 0 {
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
	printTitle(out, s, o)
	for _, k := range s.listCycleKinds(o) {
		samples, err := measureCycles(ctx, s, o, k)
		if err != nil {
			return fmt.Errorf("cycles of kind %s: %w", k.name, err)
		}
		printRow(out, k.name, samples)
	}
	return nil
}

// runWithProfile runs f under the CPU profiler, if one is asked for.
func runWithProfile(prefix, kind string, f func() error) (err error) {
	if prefix == "" {
		return f()
	}
	file, err := os.Create(prefix + "." + kind)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := pprof.StartCPUProfile(file); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return f()
}
