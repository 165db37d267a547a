package rest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"fairbridge/bridge/slurm"
)

// jobPoll brings the model of the queue up to date, once.
type jobPoll struct {
	*session
	Poll
	view    *slurm.View // what it notes on the way
	old     queueModel
	touched map[int64]int
}

// readChanges reads what is needed: little, or everything.
func (p *jobPoll) readChanges(ctx context.Context) (queueModel, error) {
	if !p.API().ListsStates {
		return p.readAll(ctx, nil)
	}
	// The states come first: what moves after them is found by the next poll.
	lines, meta, err := p.states(ctx)
	var bad *slurm.Error
	if errors.As(err, &bad) && bad.Class == slurm.ErrorGarbledReply { // a form we do not know: the long way works still
		p.view.Warnings = append(p.view.Warnings, "the whole job list was read because: "+err.Error())
		return p.readAll(ctx, nil)
	}
	if err != nil {
		return p.old, err
	}
	p.view.Warnings = append(p.view.Warnings, meta.Warnings...)
	marks := statesByJob(lines)
	if p.old.fullAt.IsZero() || p.view.At.Sub(p.old.fullAt) >= p.FullEvery || p.view.At.Before(p.old.fullAt) {
		return p.readAll(ctx, marks)
	}
	ids := p.old.staleJobs(marks, p.touched)
	if len(ids) > min(p.Few, len(marks)*p.FewPercent/100+10) {
		return p.readAll(ctx, marks)
	}
	found, err := p.jobsByID(ctx, ids)
	if err != nil {
		return p.old, err
	}
	p.view.AddGoneJobs(unknownIDs(ids, found)...)
	return p.old.update(marks, ids, found), nil
}

// readAll reads the whole list, and asks about what it leaves out.
func (p *jobPoll) readAll(ctx context.Context, marks map[int64]string) (queueModel, error) {
	jobs, meta, err := p.jobs(ctx, max(len(p.old.jobs), len(marks)))
	if err != nil {
		return queueModel{}, err
	}
	p.view.IsFullRead = true
	for _, w := range meta.Warnings {
		if !strings.HasPrefix(w, "Zero jobs") { // an empty queue is no fault of the request
			p.view.Warnings = append(p.view.Warnings, w)
		}
	}
	next := queueModel{jobs: make(map[int64]*slurm.Job, len(jobs)), states: marks, fullAt: p.view.At}
	for i := range jobs {
		next.jobs[jobs[i].ID] = &jobs[i]
	}
	return next, p.askMissing(ctx, next)
}

// maxQuestions is how many jobs, in units of Poll.Few, are asked about at most when
// the whole list leaves them out. That happens after outages, and when the list
// is filtered or cut; it may cost something.
const maxQuestions = 5

// askMissing completes a whole list by the jobs that it leaves out although their
// end was not seen. Slurm is asked about each: one that it does not know is gone, and
// noted in the view as such. One that it knows proves that the list is not whole.
// Those that there were too many of to ask keep their last record, and are asked
// about by the next polls.
func (p *jobPoll) askMissing(ctx context.Context, next queueModel) error {
	var ids []int64
	for id, j := range p.old.jobs {
		if next.jobs[id] == nil && !hasEnded(j) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	asked := ids[:min(len(ids), maxQuestions*p.Few)]
	found, err := p.jobsByID(ctx, asked)
	if err != nil {
		return err
	}
	p.view.AddGoneJobs(unknownIDs(asked, found)...)
	maps.Copy(next.jobs, found)
	left := ids[len(asked):]
	for _, id := range left {
		next.jobs[id] = p.old.jobs[id]
	}
	switch there := len(asked) - len(unknownIDs(asked, found)); {
	case there > 0:
		p.view.IncompleteReason = fmt.Sprintf("the list of %d jobs leaves out %d that Slurm knows (the first of %d asked about): it is filtered or cut; has our Slurm user lost its rights?", len(next.jobs)-there-len(left), there, len(ids))
	case len(left) > 0:
		p.view.IncompleteReason = fmt.Sprintf("the list of jobs leaves out %d that were not seen to end; %d of them are yet to be asked about, one by one", len(ids), len(left))
	}
	return nil
}

// unknownIDs returns those of the ids asked about that Slurm does not know.
func unknownIDs(asked []int64, found map[int64]*slurm.Job) []int64 {
	var ids []int64
	for _, id := range asked {
		if found[id] == nil {
			ids = append(ids, id)
		}
	}
	return ids
}
