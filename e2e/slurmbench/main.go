// Command slurmbench measures what fairbridge costs beside a real Slurm: "cycles" what a cycle takes
// of it and of the programs around it, "load" what slurmctld does for it.
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

	"fairbridge/accounting/pglocal"
	"fairbridge/scripts/throwaway"
)

const usageText = "Usage: slurmbench {cycles|load} [flags]; slurmbench cycles -help tells more.\n"

// measurement is what can be measured; its fields are what the command line says.
type measurement interface {
	// addFlags returns what help says before the flags.
	addFlags(*flag.FlagSet) string
	isValid() bool
	open(context.Context) error // and close closes what was opened, whatever comes of it
	fillQueue(ctx context.Context, jobCount int) error
	jobs() int
	measure(ctx context.Context, out, progress io.Writer) error
	close() error
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	m, err := parseCommandLine(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		err = run(ctx, m, os.Stdout, os.Stderr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "slurmbench:", err)
		stop()
		os.Exit(1)
	}
}

func parseCommandLine(args []string, help io.Writer) (measurement, error) {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	m := map[string]measurement{"cycles": &cycleBench{}, "load": &loadBench{}}[name]
	if m == nil {
		fmt.Fprint(help, usageText)
		return nil, errors.New("it is not said what to measure")
	}
	f := flag.NewFlagSet("slurmbench "+name, flag.ContinueOnError)
	f.SetOutput(help)
	text := m.addFlags(f)
	f.Usage = func() {
		fmt.Fprint(help, text)
		f.PrintDefaults()
	}
	if err := f.Parse(args[1:]); err != nil {
		return nil, err
	}
	if f.NArg() > 0 || !m.isValid() {
		return nil, errors.New("wrong arguments: see -help")
	}
	return m, nil
}

// run lets jobs wait at a site of its own, and measures there.
func run(ctx context.Context, m measurement, out, progress io.Writer) (err error) {
	defer func() { err = errors.Join(err, m.close()) }()
	if err := m.open(ctx); err != nil {
		return err
	}
	from := time.Now()
	if err := m.fillQueue(ctx, m.jobs()); err != nil {
		return err
	}
	fmt.Fprintf(progress, "%d jobs submitted in %v\n", m.jobs(), time.Since(from).Round(time.Second))
	return m.measure(ctx, out, progress)
}

// site is a Slurm and a Postgres.
type site struct {
	slurm    *throwaway.Cluster
	postgres *pglocal.Server
	jobCount int // jobs that wait
}

func (s *site) jobs() int { return s.jobCount }

// submitJobs submits n jobs of a user from one shell, which run a script of one line. The flags and the script's
// argument may use its variable n, which counts down.
func (s *site) submitJobs(ctx context.Context, user string, n int, flags, line, argument string) error {
	loop := fmt.Sprintf(`cd /tmp && f=$(mktemp) && printf '#!/bin/sh\n%s\n' >$f || exit 1
n=%d; while [ $n -gt 0 ]; do sbatch -Q -p %s -o /dev/null --mem-per-gpu=100 %s $f %s || exit 1; n=$((n - 1)); done; rm -f $f`,
		line, n, partitionName, flags, argument)
	if _, err := s.slurm.Run(ctx, user, "sh", "-c", loop); err != nil {
		return fmt.Errorf("submitting jobs as %s: %w", user, err)
	}
	return nil
}

// stop ends Slurm and Postgres.
func (s *site) stop() error {
	var errs []error
	if s.slurm != nil {
		errs = append(errs, s.slurm.Stop())
	}
	if s.postgres != nil {
		errs = append(errs, s.postgres.Close())
	}
	return errors.Join(errs...)
}

// sleep waits, but for the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
