package demo

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/cmd/fairbridge-demo/workday"
	"fairbridge/scripts/throwaway"
)

// realCluster is a throw-away cluster of the distribution's Slurm.
type realCluster struct {
	*throwaway.Cluster
	release string
	speed   float64 // of the day
}

// startRealCluster starts one in a directory, which stays with its logs.
func startRealCluster(ctx context.Context, dir string) (*realCluster, error) {
	c, err := throwaway.StartSlurm(ctx, dir, throwaway.Options{NodeCount: workday.NodeCount, GPUsPerNode: workday.GPUsPerNode})
	if err != nil {
		return nil, err
	}
	s := &realCluster{Cluster: c}
	out, err := c.Run(ctx, "root", "sinfo", "--version")
	if err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("asking Slurm for its release: %w", err)
	}
	s.release = strings.TrimPrefix(strings.TrimSpace(out), "slurm-wlm ")
	s.release = strings.TrimPrefix(s.release, "slurm ")
	return s, nil
}

func (s *realCluster) Title() string { return "Slurm " + s.release }

func (s *realCluster) Access() clusterAccess {
	a := clusterAccess{Cluster: "lab", URL: s.URL, Auth: "token_file: " + strconv.Quote(s.TokenFile)}
	cmd := s.Command(context.Background(), s.TokenUser, "scontrol")
	a.Scontrol = append([]string{"env", "AS=" + s.TokenUser}, cmd.Args...)
	return a
}

// Submit runs sbatch as the job's owner, who gets the script on its input.
func (s *realCluster) Submit(ctx context.Context, j *workday.Job) error {
	cmd := s.Command(ctx, j.User, sbatchCommand(j, s.speed)...)
	cmd.Stdin = strings.NewReader(batchScript(j))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("submitting %s: %w: %s", j.Name, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// trySubmission does what a submission does, but for the job.
func (s *realCluster) trySubmission(ctx context.Context) error {
	cmd := s.Command(ctx, "alice", append(sbatchCommand(&workday.Job{Name: "try", NodeCount: 1, GPUsPerNode: 1, TimeLimit: time.Minute}, maxSpeed), "--test-only")...)
	cmd.Stdin = strings.NewReader(batchScript(&workday.Job{}))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("trying a submission: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

func (s *realCluster) Now() time.Time { return time.Now() }

func (s *realCluster) Wait(ctx context.Context, d time.Duration) error { return sleepContext(ctx, d) }

func (s *realCluster) Queue(ctx context.Context) ([]queuedTask, error) {
	out, err := s.Run(ctx, "root", "squeue", "--noheader", "--array", "--format=%A|%j|%T|%N")
	if err != nil {
		return nil, fmt.Errorf("looking at the queue: %w", err)
	}
	return parseSqueue(out)
}

func parseSqueue(text string) ([]queuedTask, error) {
	var list []queuedTask
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 4 {
			return nil, fmt.Errorf("reading squeue's line %q: %d fields, want 4", line, len(f))
		}
		id, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("reading squeue's line %q: %w", line, err)
		}
		q := queuedTask{JobID: id, JobName: f[1], IsRunning: f[2] == "RUNNING"}
		if q.IsRunning {
			if q.Nodes, err = slurm.ExpandHosts(f[3]); err != nil {
				return nil, fmt.Errorf("reading squeue's line %q: %w", line, err)
			}
		}
		list = append(list, q)
	}
	return list, nil
}

func (s *realCluster) Records(ctx context.Context) ([]workday.RunRecord, error) {
	out, err := s.Run(ctx, "root", sacctCommand...)
	if err != nil {
		return nil, fmt.Errorf("asking Slurm's accounting: %w", err)
	}
	return parseSacct(out)
}

func (s *realCluster) Close() error { return s.Stop() }
