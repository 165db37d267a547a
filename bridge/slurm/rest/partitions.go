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

// observe puts the partitions into the view. A list that Slurm is not able to
// give now is replaced by the last one, for a while.
func (p *partitionList) observe(ctx context.Context, s *session, v *slurm.View) error {
	list, meta, err := s.partitions(ctx)
	if err != nil {
		return p.last(v, err)
	}
	v.Partitions = list
	v.Warnings = append(v.Warnings, meta.Warnings...)
	slices.SortFunc(v.Partitions, func(a, b slurm.Partition) int { return cmp.Compare(a.Name, b.Name) })
	p.list, p.read = slices.Clone(v.Partitions), v.ReadAt
	return nil
}

// last puts the last list into the view, if it is not too old and the error says
// nothing about us or the version.
func (p *partitionList) last(v *slurm.View, cause error) error {
	var e *slurm.Error
	passing := errors.As(cause, &e) && (e.Class == slurm.Busy || e.Class == slurm.Unreachable)
	age := v.ReadAt.Sub(p.read)
	if !passing || p.read.IsZero() || age < 0 || age > partitionsServe {
		return cause
	}
	v.Partitions = slices.Clone(p.list)
	v.PartitionsStale = fmt.Sprintf("the partitions are those of %v ago, which serve for up to %v: %v; is slurmdbd down?", age.Round(time.Second), partitionsServe, cause)
	return nil
}
