package live

import (
	"context"
	"sync"

	"fairbridge/bridge/slurm"
)

// Lazy is a Cluster that connects when it is first needed, and again until it
// can: a daemon must be able to start before slurmrestd does.
type Lazy struct {
	open    func(context.Context) (*Cluster, error)
	mu      sync.Mutex
	cluster *Cluster
}

// NewLazy makes a cluster that open connects to. open is called until it
// succeeds.
func NewLazy(open func(context.Context) (*Cluster, error)) *Lazy { return &Lazy{open: open} }

// Connect returns the connected cluster.
func (l *Lazy) Connect(ctx context.Context) (*Cluster, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cluster == nil {
		c, err := l.open(ctx)
		if err != nil {
			return nil, err
		}
		l.cluster = c
	}
	return l.cluster, nil
}

// withCluster connects if need be, then calls.
func withCluster[T any](ctx context.Context, l *Lazy, call func(*Cluster) (T, error)) (T, error) {
	c, err := l.Connect(ctx)
	if err != nil {
		var none T
		return none, err
	}
	return call(c)
}

// do is connected for calls that return an error only.
func (l *Lazy) do(ctx context.Context, call func(*Cluster) error) error {
	_, err := withCluster(ctx, l, func(c *Cluster) (struct{}, error) { return struct{}{}, call(c) })
	return err
}

// Observe reads everything.
func (l *Lazy) Observe(ctx context.Context) (*slurm.View, error) {
	return withCluster(ctx, l, func(c *Cluster) (*slurm.View, error) { return c.Observe(ctx) })
}

// RereadJob reads one job.
func (l *Lazy) RereadJob(ctx context.Context, id int64) (slurm.Job, error) {
	return withCluster(ctx, l, func(c *Cluster) (slurm.Job, error) { return c.RereadJob(ctx, id) })
}

// HasNode asks about one node.
func (l *Lazy) HasNode(ctx context.Context, name string) (bool, error) {
	return withCluster(ctx, l, func(c *Cluster) (bool, error) { return c.HasNode(ctx, name) })
}

// CheckAccess makes sure that slurmctld answers us.
func (l *Lazy) CheckAccess(ctx context.Context) error {
	return l.do(ctx, func(c *Cluster) error { return c.CheckAccess(ctx) })
}

// ApplyEdit carries out one edit.
func (l *Lazy) ApplyEdit(ctx context.Context, e slurm.Edit) error {
	return l.do(ctx, func(c *Cluster) error { return c.ApplyEdit(ctx, e) })
}

// HandBack carries out a hand-back.
func (l *Lazy) HandBack(ctx context.Context, e slurm.Edit, held func(context.Context) error) error {
	return l.do(ctx, func(c *Cluster) error { return c.HandBack(ctx, e, held) })
}

// FinishHandBacks releases the jobs that hand-backs left held.
func (l *Lazy) FinishHandBacks(ctx context.Context, begun []slurm.Edit) error {
	return l.do(ctx, func(c *Cluster) error { return c.FinishHandBacks(ctx, begun) })
}
