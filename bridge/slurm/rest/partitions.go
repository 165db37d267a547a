package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"fairbridge/bridge/slurm"
)

// partitionsServe is how long the last list of partitions serves while they
// cannot be read. From 23.11 on slurmrestd asks slurmdbd for the names of
// resources to write that list, and for no other: slurmdbd may be restarted
// without us falling silent.
const partitionsServe = 15 * time.Minute

// partitionList is the last list of partitions that was read.
type partitionList struct {
	list []slurm.Partition
	read time.Time // our clock
}

// partitions reads the partitions. A list that Slurm is not able to give now is
// replaced by the last one, for a while.
func (c *Client) partitions(ctx context.Context, v *slurm.View) error {
	dec := slurm.Decoder{Limits: slurm.Limits{Bytes: c.conn.MaxBytes()}}
	m, err := c.get(ctx, "partitions", func(r io.Reader) (m slurm.Meta, err error) {
		v.Partitions, m, err = dec.Partitions(r, nil)
		return m, err
	})
	if err != nil {
		return c.lastPartitions(v, err)
	}
	v.Warnings = append(v.Warnings, m.Warnings...)
	slices.SortFunc(v.Partitions, func(a, b slurm.Partition) int { return cmp.Compare(a.Name, b.Name) })
	c.parts = partitionList{slices.Clone(v.Partitions), v.Read}
	return nil
}

// lastPartitions puts the last list into the view, if it is not too old and the
// error says nothing about us or the version.
func (c *Client) lastPartitions(v *slurm.View, cause error) error {
	var e *slurm.Error
	passing := errors.As(cause, &e) && (e.Class == slurm.Busy || e.Class == slurm.Unreachable)
	age := v.Read.Sub(c.parts.read)
	if !passing || c.parts.read.IsZero() || age < 0 || age > partitionsServe {
		return cause
	}
	v.Partitions = slices.Clone(c.parts.list)
	v.PartitionsOld = fmt.Sprintf("the partitions are those of %v ago, which serve for up to %v: %v; is slurmdbd down?", age.Round(time.Second), partitionsServe, cause)
	return nil
}
