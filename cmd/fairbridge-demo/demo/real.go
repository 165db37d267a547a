package demo

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/slurmdb"
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

// sacctCommand is the command that prints every run there was, one a line.
var sacctCommand = []string{
	"env", "SLURM_TIME_FORMAT=%s", "sacct", "--allusers", "--allocations", "--duplicates", "--parsable2",
	"--starttime=2020-01-01", "--format=" + slurmdb.SacctColumns,
}

// parseSacct reads what sacct prints. Runs that have not ended are left out.
func parseSacct(text string) ([]workday.RunRecord, error) {
	rows, bad, err := slurmdb.ReadSacct(strings.NewReader(text), "sacct", "", time.UTC)
	if err = errors.Join(append(bad, err)...); err != nil {
		return nil, err
	}
	var out []workday.RunRecord
	for i := range rows {
		if j := &rows[i]; j.HasEnded() && !j.Start.IsZero() {
			out = append(out, workday.RunRecord{
				JobID: j.ID, Name: j.Name, TaskIndex: int(j.ArrayTask), User: j.User, Account: j.Account, GPUs: j.AllocatedTRES.GPUCount(),
				Submit: j.Submit, Start: j.Start, End: j.End, State: j.State,
			})
		}
	}
	return out, nil
}

// batchScriptFormat is a job that computes nothing for so many seconds. When it is told
// to stop it writes down how far it got; requeued, it goes on from there.
const batchScriptFormat = `#!/bin/bash
saved=$HOME/saved.$SLURM_JOB_ID
done=$(cat "$saved" 2>/dev/null || echo 0)
stop() { echo $((done + SECONDS)) >"$saved"; kill %%1; exit 0; }
trap stop TERM
SECONDS=0
sleep $((%d > done ? %d - done : 0)) &
wait $!
`

// sbatchCommand is the command line that submits the job; it reads the script from
// its standard input.
func sbatchCommand(j *workday.Job, speed float64) []string {
	argv := []string{
		"sbatch", "--parsable", "--partition=gpu", "--requeue", "--output=/dev/null", "--mem-per-gpu=100",
		"--job-name=" + j.Name, fmt.Sprintf("--nodes=%d", j.NodeCount), fmt.Sprintf("--gres=gpu:%d", j.GPUsPerNode),
		fmt.Sprintf("--time=%d", int(j.TimeLimit/time.Minute)),
	}
	if j.ArrayTasks > 0 {
		argv = append(argv, fmt.Sprintf("--array=0-%d", j.ArrayTasks-1))
	}
	if c := j.SlurmComment(speed); c != "" {
		argv = append(argv, "--comment="+c)
	}
	return argv
}

// batchScript is the job's batch script.
func batchScript(j *workday.Job) string {
	seconds := int(j.WorkTime / time.Second)
	return fmt.Sprintf(batchScriptFormat, seconds, seconds)
}

// clusterAccess says how fairbridge reaches a Slurm.
type clusterAccess struct {
	Cluster       string
	URL           string
	Auth          string   // lines of the configuration's slurm part
	Scontrol      []string // command before its arguments
	SlurmConfFile string   // file with Slurm's settings; "": scontrol shows them
}

// cluster is a Slurm of its own, with nothing queued.
type cluster interface {
	// Title says which Slurm it is, and whether a real one.
	Title() string
	Access() clusterAccess
	// Submit queues the job, or all tasks of the array.
	Submit(context.Context, *workday.Job) error
	// Now is the time in the cluster.
	Now() time.Time
	// Wait lets time pass in the cluster. The error is the context's.
	Wait(context.Context, time.Duration) error
	// Queue lists the tasks that wait or run.
	Queue(context.Context) ([]queuedTask, error)
	// Records returns every run that ended, from Slurm's accounting.
	Records(context.Context) ([]workday.RunRecord, error)
	// Close ends the cluster and removes what it left.
	Close() error
}

// queuedTask is a task that waits or runs.
type queuedTask struct {
	JobID     int64
	JobName   string
	IsRunning bool
	Nodes     []string // where it runs
}

// sleepContext lets real time pass.
func sleepContext(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
