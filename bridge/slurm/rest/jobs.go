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
	PollConfig
	view           *slurm.View // what it notes on the way
	oldModel       queueModel
	pollsLeftByJob map[int64]int

	isFullReadRequested bool // RequestFullRead was called since the last poll
}

// readChanges reads what is needed: little, or everything.
func (p *jobPoll) readChanges(ctx context.Context) (queueModel, error) {
	if !p.API().ListsStates {
		return p.readWholeList(ctx, nil)
	}
	// The states come first: what moves after them is found by the next poll.
	lines, meta, err := p.readJobStates(ctx)
	var bad *slurm.Error
	if errors.As(err, &bad) && bad.Class == slurm.ErrorGarbledReply { // a form we do not know: the long way works still
		p.view.Warnings = append(p.view.Warnings, "the whole job list was read because: "+err.Error())
		return p.readWholeList(ctx, nil)
	}
	if err != nil {
		return p.oldModel, err
	}
	p.view.Warnings = append(p.view.Warnings, meta.Warnings...)
	statesByID := formatStatesByJob(lines)
	if p.isFullReadDue() {
		return p.readWholeList(ctx, statesByID)
	}
	ids := p.oldModel.staleJobIDs(statesByID, p.pollsLeftByJob)
	if len(ids) > min(p.Few, len(statesByID)*p.FewPercent/100+10) || slices.ContainsFunc(ids, isFederatedID) {
		return p.readWholeList(ctx, statesByID)
	}
	found, err := p.readJobsByID(ctx, ids)
	if err != nil {
		return p.oldModel, err
	}
	p.view.AddGoneJobs(listUnknownIDs(ids, found)...)
	p.view.RereadJobs = ids
	next := p.oldModel.update(statesByID, ids, found)
	if next.hasOldReasons() && p.mayReadFull(next) {
		p.oldModel = next
		return p.readWholeList(ctx, statesByID)
	}
	return next, nil
}

// isFullReadDue reports whether the whole list is read although few jobs changed: it is old, or
// asked for.
func (p *jobPoll) isFullReadDue() bool {
	return p.fullReadRule().IsDue(p.oldModel.fullReadAt, p.view.At) || p.isFullReadRequested && p.mayReadFull(p.oldModel)
}

// mayReadFull reports whether the last whole list is so old that another may be read before
// it is due.
func (p *jobPoll) mayReadFull(m queueModel) bool {
	return p.fullReadRule().IsAllowed(m.fullReadAt, p.view.At, len(m.jobByID))
}

// isFederatedID reports whether the id is one that a federation gives out: its upper bits are
// the cluster's. slurmrestd says of each such job that it does not know it, and shows it
// in the whole list only.
func isFederatedID(id int64) bool { return id >= 1<<26 }

// readWholeList reads the whole list, and asks about what it leaves out.
func (p *jobPoll) readWholeList(ctx context.Context, statesByID map[int64]string) (queueModel, error) {
	jobs, meta, err := p.readJobs(ctx, max(len(p.oldModel.jobByID), len(statesByID)))
	if err != nil {
		return queueModel{}, err
	}
	p.view.IsFullRead = true
	for _, w := range meta.Warnings {
		if !strings.HasPrefix(w, "Zero jobs") { // an empty queue is no fault of the request
			p.view.Warnings = append(p.view.Warnings, w)
		}
	}
	next := queueModel{jobByID: make(map[int64]*slurm.Job, len(jobs)), statesByID: statesByID, fullReadAt: p.view.At}
	for i := range jobs {
		next.jobByID[jobs[i].ID] = &jobs[i]
	}
	next.forgetMovedStates(next.jobByID)
	return next, p.readMissingJobs(ctx, next)
}

// maxMissingFactor is how many jobs, in units of PollConfig.Few, are asked about at most when
// the whole list leaves them out. That happens after outages, and when the list
// is filtered or cut; it may cost something.
const maxMissingFactor = 5

// readMissingJobs completes a whole list by the jobs that it leaves out although their
// end was not seen. Slurm is asked about each: one that it does not know is gone, and
// noted in the view as such. One that it knows proves that the list is not whole.
// Those that there were too many of to ask keep their last record, and are asked
// about by the next polls.
func (p *jobPoll) readMissingJobs(ctx context.Context, next queueModel) error {
	var ids []int64
	for id, j := range p.oldModel.jobByID {
		if next.jobByID[id] == nil && !wasSeenToEnd(j) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	asked := ids[:min(len(ids), maxMissingFactor*p.Few)]
	found, err := p.readJobsByID(ctx, asked)
	if err != nil {
		return err
	}
	p.view.AddGoneJobs(listUnknownIDs(asked, found)...)
	maps.Copy(next.jobByID, found)
	left := ids[len(asked):]
	for _, id := range left {
		next.jobByID[id] = p.oldModel.jobByID[id]
	}
	switch there := len(asked) - len(listUnknownIDs(asked, found)); {
	case there > 0:
		p.view.IncompleteReason = fmt.Sprintf("the list of %d jobs leaves out %d that Slurm knows (the first of %d asked about): it is filtered or cut; has our Slurm user lost its rights?", len(next.jobByID)-there-len(left), there, len(ids))
	case len(left) > 0:
		p.view.IncompleteReason = fmt.Sprintf("the list of jobs leaves out %d that were not seen to end; %d of them are yet to be asked about, one by one", len(ids), len(left))
	}
	return nil
}

// listUnknownIDs returns those of the ids asked about that Slurm does not know.
func listUnknownIDs(asked []int64, found map[int64]*slurm.Job) []int64 {
	var ids []int64
	for _, id := range asked {
		if found[id] == nil {
			ids = append(ids, id)
		}
	}
	return ids
}
