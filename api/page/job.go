package page

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"time"

	"fairbridge/accounting/journal"
	"fairbridge/api"
)

// jobBody is the page of a job.
type jobBody struct {
	*api.Job
	Run      *journal.JobRun // the last; nil: none is stored
	Current  *journal.StoredDecision
	Timeline []event
}

// event is something that happened to a job.
type event struct {
	At          time.Time
	What, Words string
}

func viewJob(_ *Handler, r *http.Request, s Source) (any, error) {
	j, err := s.Job(r.Context(), r.PathValue("job"))
	if err != nil {
		return nil, err
	}
	body := &jobBody{Job: j}
	if j.JobHistory == nil {
		return body, nil
	}
	if n := len(j.Runs); n > 0 {
		body.Run = &j.Runs[n-1]
	}
	if i := slices.IndexFunc(j.Decisions, func(d journal.StoredDecision) bool { return d.IsCurrent }); i >= 0 {
		body.Current = &j.Decisions[i]
	}
	body.Timeline = newTimeline(j.JobHistory)
	return body, nil
}

// newTimeline is what happened to a job, oldest first.
func newTimeline(h *journal.JobHistory) []event {
	var list []event
	add := func(at time.Time, what, words string) {
		if !at.IsZero() {
			list = append(list, event{at, what, words})
		}
	}
	for i := range h.Runs {
		run := &h.Runs[i]
		if run.Restarts == 0 {
			add(run.Submit, "submitted", fmt.Sprintf("%d GPUs in partition %s", run.GPUs, run.Partition))
		}
		add(run.Start, "started", run.Nodes)
		add(run.End, "ended", run.State)
	}
	for _, d := range h.Decisions {
		add(d.At, "decided: "+string(d.Verb), d.Why)
	}
	for i := range h.Intents {
		add(h.Intents[i].Made, "changed: "+string(h.Intents[i].Edit.Kind), h.Intents[i].Edit.Why)
	}
	slices.SortStableFunc(list, func(a, b event) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.What, b.What)) })
	return list
}
