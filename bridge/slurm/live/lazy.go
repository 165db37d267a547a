package live

import (
	"context"
	"sync"

	"fairbridge/bridge/slurm"
)

// Lazy is a Cluster that connects when it is first needed, and again until it
// can: a daemon must be able to start before slurmrestd does.
type Lazy struct {
	open func(context.Context) (*Cluster, error)
	mu   sync.Mutex
	c    *Cluster
}

// NewLazy makes a cluster that open connects to. open is called until it
// succeeds.
func NewLazy(open func(context.Context) (*Cluster, error)) *Lazy { return &Lazy{open: open} }

// Connect returns the connected cluster.
func (l *Lazy) Connect(ctx context.Context) (*Cluster, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.c == nil {
		c, err := l.open(ctx)
		if err != nil {
			return nil, err
		}
		l.c = c
	}
	return l.c, nil
}

// Observe connects if need be, then reads everything.
func (l *Lazy) Observe(ctx context.Context) (*slurm.View, error) {
	c, err := l.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return c.Observe(ctx)
}

// Reach connects if need be, and makes sure that slurmctld answers us.
func (l *Lazy) Reach(ctx context.Context) error {
	c, err := l.Connect(ctx)
	if err != nil {
		return err
	}
	return c.Reach(ctx)
}

// HandBack connects if need be, then carries out a hand-back.
func (l *Lazy) HandBack(ctx context.Context, e slurm.Edit, held func(context.Context) error) error {
	c, err := l.Connect(ctx)
	if err != nil {
		return err
	}
	return c.HandBack(ctx, e, held)
}

// FinishHandBacks connects if need be, then releases the jobs that hand-backs
// left held.
func (l *Lazy) FinishHandBacks(ctx context.Context, begun []slurm.Edit) error {
	c, err := l.Connect(ctx)
	if err != nil {
		return err
	}
	return c.FinishHandBacks(ctx, begun)
}

// Reread connects if need be, then reads one job.
func (l *Lazy) Reread(ctx context.Context, id int64) (slurm.Job, error) {
	c, err := l.Connect(ctx)
	if err != nil {
		return slurm.Job{}, err
	}
	return c.Reread(ctx, id)
}

// HasNode connects if need be, then asks about one node.
func (l *Lazy) HasNode(ctx context.Context, name string) (bool, error) {
	c, err := l.Connect(ctx)
	if err != nil {
		return false, err
	}
	return c.HasNode(ctx, name)
}

// Apply connects if need be, then carries out one edit.
func (l *Lazy) Apply(ctx context.Context, e slurm.Edit) error {
	c, err := l.Connect(ctx)
	if err != nil {
		return err
	}
	return c.Apply(ctx, e)
}
