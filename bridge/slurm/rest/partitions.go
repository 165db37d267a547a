package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge/slurm"
)

// maxPartitionsAge is how long the last list of partitions serves while they
// cannot be read. From 23.11 on slurmrestd asks slurmdbd for the names of
// resources to write that list, and for no other: slurmdbd may be restarted
// without us falling silent.
const maxPartitionsAge = 15 * time.Minute

// lastPartitions is the last list of partitions that was read.
type lastPartitions struct {
	partitions []slurm.Partition
	readAt     time.Time // our clock
}

// ReadPartitions returns the partitions alone, at the cost of one small request.
func (c *Client) ReadPartitions(ctx context.Context) ([]slurm.Partition, error) {
	list, _, err := c.readPartitions(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading partitions: %w", err)
	}
	return list, nil
}

// readOrUseLast puts the partitions into the view. A list that Slurm is not able to
// give now is replaced by the last one, for a while.
func (p *lastPartitions) readOrUseLast(ctx context.Context, s *session, v *slurm.View) error {
	list, meta, err := s.readPartitions(ctx)
	if err != nil {
		return p.useLastList(v, err)
	}
	v.Partitions = list
	v.Warnings = append(v.Warnings, meta.Warnings...)
	slices.SortFunc(v.Partitions, func(a, b slurm.Partition) int { return cmp.Compare(a.Name, b.Name) })
	p.partitions, p.readAt = slices.Clone(v.Partitions), v.ReadAt
	return nil
}

// useLastList puts the last list into the view, if it is not too old and the error says
// nothing about us or the version.
func (p *lastPartitions) useLastList(v *slurm.View, cause error) error {
	var e *slurm.Error
	passing := errors.As(cause, &e) && (e.Class == slurm.ErrorBusy || e.Class == slurm.ErrorUnreachable)
	age := v.ReadAt.Sub(p.readAt)
	if !passing || p.readAt.IsZero() || age < 0 || age > maxPartitionsAge {
		return cause
	}
	v.Partitions = slices.Clone(p.partitions)
	v.StalePartitionsReason = fmt.Sprintf("the partitions are those of %v ago, which serve for up to %v: %v; is slurmdbd down?", age.Round(time.Second), maxPartitionsAge, cause)
	return nil
}
