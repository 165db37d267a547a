// Package missing looks up in Slurm, one by one, the jobs and nodes that its lists
// leave out.
package missing

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/judge"
	"fairbridge/bridge/slurm"
)

const (
	// maxLookups bounds the jobs and nodes a cycle looks up. What is left is looked
	// up in the next.
	maxLookups = 500
	// maxUnansweredInRow is after how many lookups in a row without an answer no
	// more are made.
	maxUnansweredInRow = 3
)

// Lookups ask Slurm about single jobs and nodes.
type Lookups struct {
	cluster bridge.Cluster
	judge.Answers
	FoundJobs       []slurm.Job // the records of jobs that are there
	HiddenReason    string      // why it proves nothing that Slurm does not know a job; "": it does
	areRightsRead   bool
	lookupsLeft     int // that may still be made
	unansweredInRow int
}

// NewLookups will ask the cluster; nothing was asked yet.
func NewLookups(c bridge.Cluster) *Lookups {
	return &Lookups{cluster: c, lookupsLeft: maxLookups, Answers: judge.Answers{AnswerByJob: map[int64]judge.Answer{}, AnswerByNode: map[string]judge.Answer{}}}
}

// reserveLookup counts a lookup, and reports whether it may be made.
func (q *Lookups) reserveLookup(ctx context.Context) bool {
	q.lookupsLeft--
	return q.lookupsLeft >= 0 && q.unansweredInRow < maxUnansweredInRow && ctx.Err() == nil
}

// countUnanswered counts the unanswered lookups in a row: an answer ends the row.
func (q *Lookups) countUnanswered(ok bool) {
	if q.unansweredInRow++; ok {
		q.unansweredInRow = 0
	}
}

// LookUpJobs asks about the jobs that are not answered yet.
func (q *Lookups) LookUpJobs(ctx context.Context, ids []int64) {
	for _, id := range ids {
		if q.AnswerByJob[id] != "" || !q.reserveLookup(ctx) {
			continue
		}
		j, err := q.cluster.RereadJob(ctx, id)
		var e *slurm.Error
		switch {
		case err == nil:
			q.AnswerByJob[id] = judge.AnswerPresent
			q.FoundJobs = append(q.FoundJobs, j)
		case errors.As(err, &e) && e.Class == slurm.ErrorJobGone && q.believesGone(ctx):
			q.AnswerByJob[id] = judge.AnswerGone
		}
		q.countUnanswered(q.AnswerByJob[id] != "")
	}
}

// believesGone reports whether Slurm's word that it does not know a job proves that the job is gone. It asks for our
// rights once; where they cannot be told they are taken to be there.
func (q *Lookups) believesGone(ctx context.Context) bool {
	r, ok := q.cluster.(bridge.RightsReader)
	if ok && !q.areRightsRead {
		q.areRightsRead = true
		user, level, _ := r.ReadRights(ctx)
		if level != "" && level != "Operator" && level != "Administrator" {
			q.HiddenReason = fmt.Sprintf("user %s has level %s in Slurm, where PrivateData may hide jobs, so that it "+
				"proves nothing that Slurm does not know one: sacctmgr modify user %[1]s set adminlevel=Operator", user, level)
		}
	}
	return q.HiddenReason == ""
}

// DropUnproven takes the proofs that jobs are gone out of a view that was read with too few rights.
func (q *Lookups) DropUnproven(ctx context.Context, v *slurm.View) {
	if len(v.GoneJobs) > 0 && !q.believesGone(ctx) {
		v.GoneJobs = nil
	}
}

// LookUpNodes asks about the nodes that are not answered yet.
func (q *Lookups) LookUpNodes(ctx context.Context, names []string) {
	for _, name := range names {
		if q.AnswerByNode[name] != "" || !q.reserveLookup(ctx) {
			continue
		}
		there, err := q.cluster.HasNode(ctx, name)
		switch {
		case err != nil:
		case there:
			q.AnswerByNode[name] = judge.AnswerPresent
		default:
			q.AnswerByNode[name] = judge.AnswerGone
		}
		q.countUnanswered(err == nil)
	}
}

// GoneJobs returns the jobs that Slurm does not know, sorted.
func (q *Lookups) GoneJobs() []int64 {
	var ids []int64
	for id, a := range q.AnswerByJob {
		if a == judge.AnswerGone {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
