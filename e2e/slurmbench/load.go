package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"fairbridge/accounting/pglocal"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/scripts/throwaway"
)

const loadUsage = `Usage: slurmbench load [flags]

Measures what slurmctld does for fairbridge beside a queue of many jobs, in which a few
start and end every half minute, and prints tables: requests by user and kind, and the
times of scheduling cycles, as sdiag counts them, without fairbridge, in its first minutes
and after them, in turn on the same queue. The Slurm is a throw-away one with the
scheduling intervals that Slurm has by default. It must run as root.

Examples:
  go run ./e2e/slurmbench load                 this machine's own release of Slurm
  FAIRBRIDGE_SLURM_ROOTS=DIR go run ./e2e/slurmbench load -release 24.11
  go run ./e2e/slurmbench load -jobs 2000 -window 2m -rounds 1

Flags:
`

// loadBench measures slurmctld's load.
type loadBench struct {
	release    string        // of Slurm; "": this machine's own
	window     time.Duration // of one measurement
	roundCount int           // of three windows each
	mode       string        // of fairbridge
	loadSite
}

func (b *loadBench) addFlags(f *flag.FlagSet) string {
	f.StringVar(&b.release, "release", "", "the `release` of Slurm, from the folder that FAIRBRIDGE_SLURM_ROOTS names")
	f.IntVar(&b.jobCount, "jobs", 10000, "waiting `jobs`, no arrays")
	f.DurationVar(&b.window, "window", 3*time.Minute, "`time` of one measurement")
	f.IntVar(&b.roundCount, "rounds", 2, "`rounds`: without fairbridge, its first minutes, the minutes after them")
	f.StringVar(&b.mode, "mode", "steer", "fairbridge's `mode`: observe, rank or steer")
	return loadUsage
}

func (b *loadBench) isValid() bool {
	return b.jobCount > 0 && b.roundCount > 0 && b.window >= time.Second
}

func (b *loadBench) measure(ctx context.Context, out, progress io.Writer) error {
	var all []loadSample
	for i := range b.roundCount {
		fmt.Fprintf(progress, "round %d of %d, %v\n", i+1, b.roundCount, 3*b.window)
		samples, err := b.measureRound(ctx, b.window)
		if err != nil {
			return fmt.Errorf("round %d: %w", i+1, err)
		}
		all = append(all, samples...)
	}
	b.printTables(out, all)
	return nil
}

// defaultScheduling gives the throw-away Slurm the intervals of Slurm's defaults, which sites run.
const defaultScheduling = "SchedulerParameters=bf_interval=30\nPriorityCalcPeriod=5"

var loadUsers = []string{"alice", "bob", "carol"}

// loadSite is a site, and what is needed to run fairbridge beside it.
type loadSite struct {
	site
	reader *rest.Client // as another user than fairbridge
	dir    string       // fairbridge and its files
	daemon *daemon
}

func (b *loadBench) open(ctx context.Context) (err error) {
	options := throwaway.Options{ExtraConf: defaultScheduling}
	if b.release != "" {
		if options.SlurmRoot, err = throwaway.FindReleaseRoot(b.release); err != nil {
			return err
		}
	}
	if b.dir, err = os.MkdirTemp("", "fairbridge-slurmbench-"); err != nil {
		return err
	}
	if b.slurm, err = throwaway.StartSlurm(ctx, "", options); err != nil {
		return err
	}
	if b.postgres, err = pglocal.Start(ctx); err != nil {
		return err
	}
	if err := b.openReader(ctx); err != nil {
		return err
	}
	b.daemon, err = installDaemon(ctx, &b.loadSite, b.mode)
	return err
}

// openReader lets one of the users read the counters, so that fairbridge's requests stand apart.
func (s *loadSite) openReader(ctx context.Context) error {
	token, err := s.slurm.NewToken(ctx, loadUsers[0])
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.path("token"), []byte(token), 0o600); err != nil {
		return err
	}
	s.reader, err = rest.Open(ctx, rest.Config{URL: s.slurm.URL, TokenFile: s.path("token")}, rest.PollConfig{})
	return err
}

// fillQueue submits n jobs of a minute and less, of several users at the same time.
func (s *loadSite) fillQueue(ctx context.Context, n int) error {
	errs := make([]error, len(loadUsers))
	var all sync.WaitGroup
	for i, u := range loadUsers {
		share := n/len(loadUsers) + min(1, max(0, n%len(loadUsers)-i))
		all.Go(func() {
			errs[i] = s.submitJobs(
				ctx,
				u,
				share,
				"--gres=gpu:$((1 << n % 4)) -t $((10 + n % 50 * 20))",
				"sleep $1",
				"$((20 + n % 5 * 10))",
			)
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// path is the path of a file of fairbridge's.
func (s *loadSite) path(name string) string { return filepath.Join(s.dir, name) }

// close ends what open started.
func (s *loadSite) close() error {
	var errs []error
	if s.daemon != nil {
		errs = append(errs, s.daemon.stop())
	}
	errs = append(errs, s.stop())
	if s.dir != "" {
		errs = append(errs, os.RemoveAll(s.dir))
	}
	return errors.Join(errs...)
}
