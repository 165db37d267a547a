// Package live joins reading and writing to one Slurm cluster.
package live

import (
	"context"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/door"
	"fairbridge/bridge/slurm/rest"
)

// Cluster is a live Slurm, as the loop of package bridge wants it.
type Cluster struct {
	*rest.Client
	Door *door.Door
}

// New joins a client and the door made from it.
func New(c *rest.Client, d *door.Door) *Cluster { return &Cluster{Client: c, Door: d} }

// Apply carries out one edit, after which the next views show the job as read
// afresh, whatever the answer was.
func (c *Cluster) Apply(ctx context.Context, e slurm.Edit) error {
	defer c.Touch(e.Run.Job)
	return c.Door.Apply(ctx, e)
}
