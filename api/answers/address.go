// Package answers makes every answer of package api from the record, the last cycle of each partition,
// which is held in memory, and Slurm, for one viewer. What the viewer may not see is not in it, and
// a private job is answered as one that does not exist.
package answers

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"fairbridge/api"
	"fairbridge/api/answers/lastcycle"
	"fairbridge/policy"
)

// address is a job as people write it: 4711, 47_3 for a task of an array, or as squeue writes it (47_[0-9], 7+1).
type address struct {
	text string
	job  int64
	task int64 // -1: none
}

// maxAddressBytes is longer than any address that squeue writes is useful.
const maxAddressBytes = 256

func parseAddress(text string) (a address, err error) {
	a = address{text: text, task: -1}
	bad := badRequest("%.40q is not a job such as 4711, or 4711_3 for a task of an array", text)
	head, tail := text, ""
	if i := strings.IndexAny(text, "_+"); i >= 0 {
		head, tail = text[:i], text[i:]
	}
	if a.job, err = strconv.ParseInt(head, 10, 64); err != nil || a.job <= 0 || len(text) > maxAddressBytes {
		return a, bad
	}
	switch {
	case tail == "":
	case strings.HasPrefix(tail, "_[") && strings.HasSuffix(tail, "]"):
	case tail[0] == '_':
		if a.task, err = strconv.ParseInt(tail[1:], 10, 32); err != nil || a.task < 0 {
			return a, bad
		}
	default:
		if n, err := strconv.ParseInt(tail[1:], 10, 32); err != nil || n < 0 {
			return a, bad
		}
	}
	return a, nil
}

// findJob returns the record a job is in: by the last cycles, the record, and Slurm's record of the array. 0: none
// knows it. That of a task is its own from the moment it starts, and its array's before.
func (w *request) findJob(ctx context.Context, a address) (policy.JobID, error) {
	id, err := w.findRecordedJob(ctx, a)
	if err != nil || id != 0 {
		return id, err
	}
	return w.findWaitingTask(ctx, a)
}

// findRecordedJob is findJob without asking Slurm.
func (w *request) findRecordedJob(ctx context.Context, a address) (policy.JobID, error) {
	for _, c := range w.cycles {
		if r := c.FindRow(a.text); r != nil {
			return r.JobID, nil
		}
	}
	if a.task < 0 {
		return policy.JobID(a.job), nil
	}
	id, err := w.parts.Record.FindTask(ctx, w.Cluster, a.job, a.task)
	return policy.JobID(id), err
}

// findWaitingTask asks Slurm for the record of an array, and returns it where the task waits in it. What keeps
// Slurm from saying so is no error, unless it is that others ask.
func (s *Service) findWaitingTask(ctx context.Context, a address) (policy.JobID, error) {
	ctx, cancel := context.WithTimeout(ctx, liveTimeout)
	defer cancel()
	j, err := s.parts.Slurm.PeekJob(ctx, a.job)
	if told := new(api.Error); errors.As(err, &told) {
		return 0, told
	}
	if err == nil && j.IsUnsplitArray() && j.ArrayTasks.HasTask(int(a.task)) {
		return policy.JobID(j.ID), nil
	}
	return 0, nil
}

// owner is whose a job is.
type owner struct{ user, account string }

// ownerOf returns whose a job is, by the last cycles, else by the record.
func (w *request) ownerOf(ctx context.Context, id policy.JobID) (owner, error) {
	if c, i := lastcycle.FindJob(w.cycles, id); c != nil {
		return owner{c.Rows[i].User, c.Rows[i].Account}, nil
	}
	user, account, err := w.parts.Record.JobOwner(ctx, w.Cluster, id)
	return owner{user, account}, err
}

// unknownJob is the answer where there is no such job, and where it is private: one cannot be told from the other.
func unknownJob(w *request, text string) *api.Error {
	e := &api.Error{
		Code: api.CodeNotFound, Message: fmt.Sprintf("job %.40s: fairbridge has never seen this job", text),
		Try: "is the number right, and did it ask for GPUs in a partition that fairbridge looks after?",
	}
	if w.Private.Jobs {
		e.Message += ", or it is private"
	}
	return e
}

// liveTimeout is how long Slurm may take to show a job.
const liveTimeout = 5 * time.Second

// maxAddresses is how many jobs one query may name: looking one up may take a query of its own.
const maxAddresses = 200

// checkAddressCount bounds how many jobs a query names.
func checkAddressCount(addresses []string) error {
	if len(addresses) > maxAddresses {
		return badRequest("job: %d are named, and at most %d can be asked for at once", len(addresses), maxAddresses)
	}
	return nil
}
