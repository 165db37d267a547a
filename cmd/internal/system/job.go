package system

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"fairbridge/bridge/slurm"
)

// JobAddress is a job as people write it: 4711, or 4711_3 for a task of an array.
type JobAddress struct {
	jobID     int64
	taskIndex int64 // -1: none
}

// ErrNoTask says that Slurm does not list a task, or no longer, and that none is recorded.
var ErrNoTask = errors.New("no such task in Slurm's list, nor in the record: give its own id, as sacct -X -j ARRAY_TASK -o JobIDRaw prints it")

// ParseJobAddress reads a job as people write it.
func ParseJobAddress(s string) (JobAddress, error) {
	head, tail, array := strings.Cut(s, "_")
	n := JobAddress{taskIndex: -1}
	var err error
	if n.jobID, err = strconv.ParseInt(head, 10, 64); err != nil || n.jobID <= 0 {
		return n, fmt.Errorf("%q is not a job id such as 4711, or 4711_3 for a task of an array", s)
	}
	if !array {
		return n, nil
	}
	if n.taskIndex, err = strconv.ParseInt(tail, 10, 64); err != nil || n.taskIndex < 0 {
		return n, fmt.Errorf("%q is not a task of an array such as 4711_3", s)
	}
	return n, nil
}

// FindJobID returns the id of the record a job is in. That of a task is its own from
// the moment it starts, and its array's before; of one that Slurm lists no more, what is
// recorded of it.
func (s *System) FindJobID(ctx context.Context, n JobAddress) (int64, error) {
	if n.taskIndex < 0 {
		return n.jobID, nil
	}
	v, err := s.Cluster.Observe(ctx)
	if err != nil {
		err = fmt.Errorf("looking up task %d of array %d: %w", n.taskIndex, n.jobID, err)
	} else {
		id, unlisted := findRecordID(v.Jobs, n)
		if unlisted == nil {
			return id, nil
		}
		err = unlisted
	}
	if id, unread := s.DB.FindTask(ctx, s.File.Cluster, n.jobID, n.taskIndex); unread == nil && id != 0 {
		return id, nil // Slurm lists it no more
	}
	return 0, err
}

func findRecordID(jobs []slurm.Job, n JobAddress) (int64, error) {
	array := int64(0)
	for i := range jobs {
		switch j := &jobs[i]; {
		case j.ArrayJobID != n.jobID:
		case j.IsArrayTask && j.ArrayTaskID == n.taskIndex:
			return j.ID, nil
		case j.IsUnsplitArray() && j.ArrayTasks.HasTask(int(n.taskIndex)):
			array = j.ID
		}
	}
	if array == 0 {
		return 0, ErrNoTask
	}
	return array, nil
}
