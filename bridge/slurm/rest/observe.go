package rest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"fairbridge/bridge/slurm"
)

// Poll says how much is read how often.
type Poll struct {
	// FullEvery is the longest time without reading the whole job list
	// (duration). Default 5 min.
	FullEvery time.Duration `yaml:"full_every"`
	// Few is how many jobs are read one by one at most; when more have
	// changed, the whole list is read (jobs). Default 100.
	Few int `yaml:"few"`
	// FewPercent bounds the same by the share of the listed jobs: one by one
	// costs slurmrestd about five times as much a job as the list (percent).
	// Default 20.
	FewPercent int `yaml:"few_percent"`
	// Now is our clock. Default time.Now.
	Now func() time.Time `yaml:"-"`
}

func (p Poll) complete() Poll {
	if p.FullEvery == 0 {
		p.FullEvery = 5 * time.Minute
	}
	if p.Few == 0 {
		p.Few = 100
	}
	if p.FewPercent == 0 {
		p.FewPercent = 20
	}
	if p.Now == nil {
		p.Now = time.Now
	}
	return p
}

// Observe reads jobs, nodes, partitions and reservations. It returns everything
// or an error, never a part; only reservations may be older than the rest, and
// the view then says so.
func (c *Client) Observe(ctx context.Context) (*slurm.View, error) {
	c.polling.Lock()
	defer c.polling.Unlock()
	v := &slurm.View{}
	if err := c.clock(ctx, v); err != nil {
		return nil, fmt.Errorf("reading slurmctld's clock: %w", err)
	}
	if err := c.nodes(ctx, v); err != nil {
		return nil, err
	}
	if err := c.partitions(ctx, v); err != nil {
		return nil, fmt.Errorf("reading the partitions: %w", err)
	}
	c.reservations(ctx, v)
	if err := c.jobs(ctx, v); err != nil {
		return nil, fmt.Errorf("reading the jobs: %w", err)
	}
	api := c.API()
	v.API, v.SiteFactor, v.NiceRead = api.Name(), api.SiteFactor, api.Nice
	slices.Sort(v.Warnings)
	v.Warnings = slices.Compact(v.Warnings)
	return v, nil
}

// Reach makes sure that slurmctld answers us, whom it must know by our token,
// at the cost of one small request.
func (c *Client) Reach(ctx context.Context) error {
	if err := c.clock(ctx, &slurm.View{}); err != nil {
		return fmt.Errorf("reading slurmctld's clock: %w", err)
	}
	return nil
}

// clock reads the time at slurmctld before anything else, so that the view is
// never older than it says.
func (c *Client) clock(ctx context.Context, v *slurm.View) error {
	var d slurm.Diag
	m, err := c.get(ctx, "diag", func(r io.Reader) (m slurm.Meta, err error) {
		d, m, err = new(slurm.Decoder).Diag(r)
		return m, err
	})
	if err != nil {
		return err
	}
	if d.Now.IsZero() {
		return &slurm.Error{Class: slurm.Garbled, Text: "diag does not tell the time (req_time)"}
	}
	v.At, v.Read, v.Release, v.Cluster = d.Now, c.poll.Now(), m.Release, m.Cluster
	v.Started = c.started(d.Since)
	return nil
}

// started guesses slurmctld's start from when its counters began. They begin
// anew at every midnight UTC too, which is no restart.
func (c *Client) started(since time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	midnight := since.UTC().Truncate(24 * time.Hour)
	if c.model.started.IsZero() || since.Sub(midnight) > 2*time.Minute {
		c.model.started = since
	}
	return c.model.started
}

func (c *Client) nodes(ctx context.Context, v *slurm.View) error {
	dec := slurm.Decoder{Limits: slurm.Limits{Bytes: c.conn.MaxBytes()}}
	m, err := c.get(ctx, "nodes", func(r io.Reader) (m slurm.Meta, err error) {
		v.Nodes, m, err = dec.Nodes(r, nil)
		return m, err
	})
	if err != nil {
		return fmt.Errorf("reading the nodes: %w", err)
	}
	v.Warnings = append(v.Warnings, m.Warnings...)
	slices.SortFunc(v.Nodes, func(a, b slurm.Node) int { return cmp.Compare(a.Name, b.Name) })
	return nil
}
