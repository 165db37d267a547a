package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fairbridge/accounting/pglocal"
	"fairbridge/scripts/throwaway"
)

const (
	partitionName = "gpu"
	jobName       = "cyclebench" // by which our jobs are cancelled
	nodeCount     = 4            // each filled by one job of 8 GPUs
)

var userNames = []string{"alice", "bob"}

// site is a Slurm and a Postgres, and their processes.
type site struct {
	slurm    *throwaway.Cluster
	postgres *pglocal.Server
	release  string
	servers  serverPIDs
}

// serverPIDs are the processes beside ours, by pid.
type serverPIDs struct{ slurmrestd, slurmctld, postgres int }

func openSite(ctx context.Context, o options) (s *site, err error) {
	s = &site{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if o.labRelease != "" {
		s.slurm, err = throwaway.AttachToLab(ctx, o.labRelease)
	} else {
		s.slurm, err = throwaway.StartSlurm(ctx, "", throwaway.Options{NodeCount: nodeCount})
	}
	if err != nil {
		return s, err
	}
	if s.postgres, err = pglocal.Start(ctx); err != nil {
		return s, err
	}
	return s, s.findServers(ctx)
}

// findServers finds the processes to watch.
func (s *site) findServers(ctx context.Context) error {
	text, err := s.slurm.Run(ctx, "root", "scontrol", "show", "config")
	if err != nil {
		return err
	}
	config := map[string]string{}
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(line, "="); ok {
			config[strings.TrimSpace(k)] = strings.TrimSpace(v)
		}
	}
	s.release = config["SLURM_VERSION"]
	rest, err := url.Parse(s.slurm.URL)
	if err != nil {
		return err
	}
	var errs [3]error
	s.servers.slurmrestd, errs[0] = findListenerPID(rest.Port())
	s.servers.slurmctld, errs[1] = findListenerPID(config["SlurmctldPort"])
	s.servers.postgres, errs[2] = findPostmasterPID(s.postgres.DSN("postgres"))
	return errors.Join(errs[:]...)
}

// fillQueue fills the nodes and lets n jobs wait.
func (s *site) fillQueue(ctx context.Context, n int) error {
	if err := s.submitJobs(ctx, userNames[0], nodeCount, "--gres=gpu:8", "-t", "7-0"); err != nil {
		return err
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(200 * time.Millisecond) {
		out, err := s.slurm.Run(ctx, "root", "squeue", "-h", "-t", "R", "-n", jobName, "-o", "%i")
		if err != nil {
			return err
		}
		if len(strings.Fields(out)) == nodeCount {
			break
		}
		if time.Now().After(end) {
			return errors.New("the jobs that fill the nodes do not start: is the Slurm idle otherwise?")
		}
	}
	for i, u := range userNames {
		share := n/len(userNames) + min(i, n%len(userNames))
		if err := s.submitJobs(ctx, u, share, "--gres=gpu:$((1 << n % 4))", "-t", "$((10 + n % 50 * 20))"); err != nil {
			return err
		}
	}
	return nil
}

// submitJobs submits n jobs of a user, from one shell. The flags may use its
// variable n, which counts down.
func (s *site) submitJobs(ctx context.Context, user string, n int, flags ...string) error {
	loop := fmt.Sprintf(`cd /tmp && f=$(mktemp) && printf '#!/bin/sh\nsleep 604800\n' >$f || exit 1
n=%d; while [ $n -gt 0 ]; do sbatch -Q -J %s -p %s -o /dev/null --mem-per-gpu=100 %s $f || exit 1; n=$((n - 1)); done; rm -f $f`,
		n, jobName, partitionName, strings.Join(flags, " "))
	if _, err := s.slurm.Run(ctx, user, "sh", "-c", loop); err != nil {
		return fmt.Errorf("submitting jobs as %s: %w", user, err)
	}
	return nil
}

// changeJobs lets n jobs come and n waiting ones go.
func (s *site) changeJobs(ctx context.Context, n int) error {
	if err := s.submitJobs(ctx, userNames[0], n, "--gres=gpu:2", "-t", "60"); err != nil {
		return err
	}
	cancel := `squeue -h -t PD -n ` + jobName + ` -o %i | shuf -n ` + strconv.Itoa(n) + ` | xargs -r scancel`
	_, err := s.slurm.Run(ctx, "root", "sh", "-c", cancel)
	return err
}

// close cancels our jobs and ends what openSite started.
func (s *site) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var errs []error
	if s.slurm != nil {
		for _, u := range userNames {
			_, err := s.slurm.Run(ctx, "root", "scancel", "--user="+u, "--name="+jobName)
			errs = append(errs, err)
		}
		errs = append(errs, s.slurm.Stop())
	}
	if s.postgres != nil {
		errs = append(errs, s.postgres.Close())
	}
	return errors.Join(errs...)
}
