package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"fairbridge/accounting/pglocal"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/scripts/throwaway"
)

// defaultScheduling gives the throw-away Slurm the intervals of Slurm's defaults, which sites run.
const defaultScheduling = "SchedulerParameters=bf_interval=30\nPriorityCalcPeriod=5"

var userNames = []string{"alice", "bob", "carol"}

// site is a Slurm, a Postgres, and what is needed to run fairbridge beside them.
type site struct {
	slurm    *throwaway.Cluster
	postgres *pglocal.Server
	reader   *rest.Client // as another user than fairbridge
	dir      string       // fairbridge and its files
	daemon   *daemon
}

func openSite(ctx context.Context, o options) (s *site, err error) {
	s = &site{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	options := throwaway.Options{ExtraConf: defaultScheduling}
	if o.release != "" {
		if options.SlurmRoot, err = throwaway.FindReleaseRoot(o.release); err != nil {
			return s, err
		}
	}
	if s.dir, err = os.MkdirTemp("", "fairbridge-ctldbench-"); err != nil {
		return s, err
	}
	if s.slurm, err = throwaway.StartSlurm(ctx, "", options); err != nil {
		return s, err
	}
	if s.postgres, err = pglocal.Start(ctx); err != nil {
		return s, err
	}
	if err := s.openReader(ctx); err != nil {
		return s, err
	}
	s.daemon, err = installDaemon(ctx, s, o)
	return s, err
}

// openReader lets one of the users read the counters, so that fairbridge's requests stand apart.
func (s *site) openReader(ctx context.Context) error {
	token, err := s.slurm.NewToken(ctx, userNames[0])
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
func (s *site) fillQueue(ctx context.Context, n int) error {
	errs := make([]error, len(userNames))
	var all sync.WaitGroup
	for i, u := range userNames {
		share := n/len(userNames) + min(1, max(0, n%len(userNames)-i))
		all.Go(func() { errs[i] = s.submitJobs(ctx, u, share) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// submitJobs submits n jobs of a user from one shell.
func (s *site) submitJobs(ctx context.Context, user string, n int) error {
	loop := fmt.Sprintf(`cd /tmp && f=$(mktemp) && printf '#!/bin/sh\nsleep $1\n' >$f || exit 1
n=%d; while [ $n -gt 0 ]; do
sbatch -Q -p gpu -o /dev/null --mem-per-gpu=100 --gres=gpu:$((1 << n %% 4)) -t $((10 + n %% 50 * 20)) $f $((20 + n %% 5 * 10)) || exit 1
n=$((n - 1)); done; rm -f $f`, n)
	if _, err := s.slurm.Run(ctx, user, "sh", "-c", loop); err != nil {
		return fmt.Errorf("submitting jobs as %s: %w", user, err)
	}
	return nil
}

// path is the path of a file of fairbridge's.
func (s *site) path(name string) string { return filepath.Join(s.dir, name) }

// close ends what openSite started.
func (s *site) close() error {
	var errs []error
	if s.daemon != nil {
		errs = append(errs, s.daemon.stop())
	}
	if s.slurm != nil {
		errs = append(errs, s.slurm.Stop())
	}
	if s.postgres != nil {
		errs = append(errs, s.postgres.Close())
	}
	if s.dir != "" {
		errs = append(errs, os.RemoveAll(s.dir))
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
