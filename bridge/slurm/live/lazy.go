package live

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"fairbridge/bridge/slurm"
)

// LazyCluster is a Cluster that connects when it is first needed, and again until it
// can: a daemon must be able to start before slurmrestd does.
type LazyCluster struct {
	openCluster func(context.Context) (*Cluster, error)
	dialing     sync.Mutex // held by who connects
	cluster     atomic.Pointer[Cluster]
}

// NewLazyCluster returns a cluster that openCluster connects to. It is called until
// it succeeds.
func NewLazyCluster(openCluster func(context.Context) (*Cluster, error)) *LazyCluster {
	return &LazyCluster{openCluster: openCluster}
}

// Connect returns the connected cluster.
func (l *LazyCluster) Connect(ctx context.Context) (*Cluster, error) {
	if c := l.cluster.Load(); c != nil {
		return c, nil
	}
	l.dialing.Lock()
	defer l.dialing.Unlock()
	return l.dial(ctx)
}

// errConnecting is what who only looks is told while somebody else connects.
var errConnecting = errors.New("slurmrestd is being connected to: try again")

// connectToLook is Connect for who only looks: it does not wait while others connect, so that
// no line of users stands between the loop and Slurm.
func (l *LazyCluster) connectToLook(ctx context.Context) (*Cluster, error) {
	if c := l.cluster.Load(); c != nil {
		return c, nil
	}
	if !l.dialing.TryLock() {
		return nil, errConnecting
	}
	defer l.dialing.Unlock()
	return l.dial(ctx)
}

// dial connects, unless somebody did meanwhile.
func (l *LazyCluster) dial(ctx context.Context) (*Cluster, error) {
	if c := l.cluster.Load(); c != nil {
		return c, nil
	}
	c, err := l.openCluster(ctx)
	if err != nil {
		return nil, err
	}
	l.cluster.Store(c)
	return c, nil
}

// callWithCluster connects if need be, then makes the call.
func callWithCluster[T any](ctx context.Context, l *LazyCluster, call func(*Cluster) (T, error)) (T, error) {
	c, err := l.Connect(ctx)
	if err != nil {
		var none T
		return none, err
	}
	return call(c)
}

// runWithCluster is callWithCluster for calls that return only an error.
func (l *LazyCluster) runWithCluster(ctx context.Context, call func(*Cluster) error) error {
	_, err := callWithCluster(ctx, l, func(c *Cluster) (struct{}, error) { return struct{}{}, call(c) })
	return err
}

// Observe reads everything.
func (l *LazyCluster) Observe(ctx context.Context) (*slurm.View, error) {
	return callWithCluster(ctx, l, func(c *Cluster) (*slurm.View, error) { return c.Observe(ctx) })
}

// RequestFullRead makes the next poll read the record of every job, as the first one does anyway.
func (l *LazyCluster) RequestFullRead() {
	if c := l.cluster.Load(); c != nil {
		c.RequestFullRead()
	}
}

// RereadJob reads one job.
func (l *LazyCluster) RereadJob(ctx context.Context, id int64) (slurm.Job, error) {
	return callWithCluster(ctx, l, func(c *Cluster) (slurm.Job, error) { return c.RereadJob(ctx, id) })
}

// PeekJob reads one job for who only looks, without work for the next poll.
func (l *LazyCluster) PeekJob(ctx context.Context, id int64) (slurm.Job, error) {
	c, err := l.connectToLook(ctx)
	if err != nil {
		return slurm.Job{}, err
	}
	return c.PeekJob(ctx, id)
}

// ReadPartitions reads the partitions alone, for who only looks.
func (l *LazyCluster) ReadPartitions(ctx context.Context) ([]slurm.Partition, error) {
	c, err := l.connectToLook(ctx)
	if err != nil {
		return nil, err
	}
	return c.ReadPartitions(ctx)
}

// HasNode asks about one node.
func (l *LazyCluster) HasNode(ctx context.Context, name string) (bool, error) {
	return callWithCluster(ctx, l, func(c *Cluster) (bool, error) { return c.HasNode(ctx, name) })
}

// CheckAccess makes sure that slurmctld answers us.
func (l *LazyCluster) CheckAccess(ctx context.Context) error {
	return l.runWithCluster(ctx, func(c *Cluster) error { return c.CheckAccess(ctx) })
}

// ApplyEdit carries out one edit.
func (l *LazyCluster) ApplyEdit(ctx context.Context, e slurm.Edit) error {
	return l.runWithCluster(ctx, func(c *Cluster) error { return c.ApplyEdit(ctx, e) })
}

// HandBack carries out a hand-back.
func (l *LazyCluster) HandBack(ctx context.Context, e slurm.Edit, held func(context.Context) error) error {
	return l.runWithCluster(ctx, func(c *Cluster) error { return c.HandBack(ctx, e, held) })
}

// FinishHandBacks releases the jobs that hand-backs left held.
func (l *LazyCluster) FinishHandBacks(ctx context.Context, begun []slurm.Edit) error {
	return l.runWithCluster(ctx, func(c *Cluster) error { return c.FinishHandBacks(ctx, begun) })
}
