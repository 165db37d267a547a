package demo

import (
	"context"
	"time"

	"fairbridge/cmd/fairbridge-demo/workday"
)

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
