// Package ask asks Slurm, job by job and node by node, about what its lists leave
// out.
package ask

import (
	"context"
	"errors"
	"slices"

	"fairbridge/bridge"
	"fairbridge/bridge/judge"
	"fairbridge/bridge/slurm"
)

const (
	// maxQuestions bounds the jobs and nodes a cycle asks about one by one. What
	// is left is asked about in the next.
	maxQuestions = 500
	// maxSilence is after how many questions in a row without an answer no more
	// are asked.
	maxSilence = 3
)

// Questions ask Slurm about single jobs and nodes.
type Questions struct {
	cluster bridge.Cluster
	judge.Answers
	Found         []slurm.Job // the records of jobs that are there
	questionsLeft int         // questions that may still be asked
	silentCalls   int
}

// New asks the cluster; nothing was asked yet.
func New(c bridge.Cluster) *Questions {
	return &Questions{cluster: c, questionsLeft: maxQuestions, Answers: judge.Answers{Jobs: map[int64]judge.Answer{}, Nodes: map[string]judge.Answer{}}}
}

// mayAsk reports whether another question may be asked, and counts it.
func (q *Questions) mayAsk(ctx context.Context) bool {
	q.questionsLeft--
	return q.questionsLeft >= 0 && q.silentCalls < maxSilence && ctx.Err() == nil
}

func (q *Questions) noteAnswer(ok bool) {
	if q.silentCalls++; ok {
		q.silentCalls = 0
	}
}

// AskJobs asks about the jobs that are not answered yet.
func (q *Questions) AskJobs(ctx context.Context, ids []int64) {
	for _, id := range ids {
		if q.Jobs[id] != "" || !q.mayAsk(ctx) {
			continue
		}
		j, err := q.cluster.Reread(ctx, id)
		var e *slurm.Error
		switch {
		case err == nil:
			q.Jobs[id] = judge.There
			q.Found = append(q.Found, j)
		case errors.As(err, &e) && e.Class == slurm.Gone:
			q.Jobs[id] = judge.Gone
		}
		q.noteAnswer(q.Jobs[id] != "")
	}
}

// AskNodes asks about the nodes that are not answered yet.
func (q *Questions) AskNodes(ctx context.Context, names []string) {
	for _, name := range names {
		if q.Nodes[name] != "" || !q.mayAsk(ctx) {
			continue
		}
		there, err := q.cluster.HasNode(ctx, name)
		switch {
		case err != nil:
		case there:
			q.Nodes[name] = judge.There
		default:
			q.Nodes[name] = judge.Gone
		}
		q.noteAnswer(err == nil)
	}
}

// Gone returns the jobs that Slurm does not know, sorted.
func (q *Questions) Gone() []int64 {
	var ids []int64
	for id, a := range q.Jobs {
		if a == judge.Gone {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}
