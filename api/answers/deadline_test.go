package answers_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fairbridge/accounting/estimates"
	"fairbridge/api"
	"fairbridge/bridge/estimate"
	"fairbridge/bridge/sim"
)

// Who asks by when a job is to be done is told how likely that is, and what is likelier; a later time is no less likely.
func TestChancesOfDeadlines(t *testing.T) {
	s := newSite(t, "fifo")
	s.busy()
	s.step()
	viewer := api.Viewer{User: "annie"}
	last := 0.
	for _, ahead := range []time.Duration{time.Minute, 2 * time.Hour, 300 * time.Hour} {
		a, err := s.service.When(t.Context(), viewer, api.WhenQuery{GPUs: 8, Limit: time.Hour, Deadline: s.now().Add(ahead)})
		must(t, err)
		d := a.Deadline
		if d == nil || d.Chance < last || d.Chance < .05 || d.Chance > .95 || !d.LikelyBy.After(a.Start.Middle) || a.Job.Deadline.IsZero() {
			t.Fatalf("%v ahead: %+v", ahead, d)
		}
		for _, o := range d.Offers {
			if o.Chance <= d.Chance {
				t.Errorf("an offer is no likelier: %+v", o)
			}
		}
		last = d.Chance
	}
	if last < .9 {
		t.Errorf("within weeks the chance is %v", last)
	}
	for _, at := range []time.Time{s.now().Add(-time.Minute), s.now().Add(9000 * time.Hour)} {
		if _, err := s.service.When(t.Context(), viewer, api.WhenQuery{GPUs: 1, Limit: time.Hour, Deadline: at}); err == nil {
			t.Errorf("a deadline at %v was taken", at)
		}
	}
	if a, err := s.service.When(t.Context(), viewer, api.WhenQuery{GPUs: 8, Limit: time.Hour}); err != nil || a.Deadline != nil {
		t.Errorf("without a deadline: %+v, %v", a.Deadline, err)
	}
}

// The story of a job with a deadline has it as its owner said it.
func TestDeadlineInTheStory(t *testing.T) {
	s := newSite(t, "fifo")
	s.busy()
	deadline := s.now().Add(9 * time.Hour).UTC().Truncate(time.Second)
	id, err := s.world.Submit(sim.JobSpec{User: "annie", Account: "annaccount", GPUs: 4, WorkTime: time.Hour, TimeLimit: 2 * time.Hour, Comment: "fairbridge:soft,deadline=" + deadline.Format(time.RFC3339)})
	must(t, err)
	s.step()
	e, err := s.service.Job(t.Context(), api.Viewer{User: "annie"}, fmt.Sprint(id))
	must(t, err)
	if e.Deadline == nil || !e.Deadline.At.Equal(deadline) || !e.Deadline.IsSoft || e.Deadline.Promise != nil {
		t.Errorf("%+v, want %v", e.Deadline, deadline)
	}
}

// A job that waits and is not likely in time is told what would be, as one that asks before it submits is; one that runs has a chance by what is
// left of it.
func TestOffersInTheStory(t *testing.T) {
	s := newSite(t, "fifo")
	submit := func(gpus int, limit, due time.Duration) int64 {
		comment := "fairbridge:deadline=" + s.now().Add(due).UTC().Truncate(time.Second).Format(time.RFC3339)
		id, err := s.world.Submit(sim.JobSpec{User: "annie", Account: "annaccount", GPUs: gpus, WorkTime: time.Hour, TimeLimit: limit, Comment: comment})
		must(t, err)
		return id
	}
	running := submit(4, time.Hour, 24*time.Hour)
	s.step()
	s.busy()
	waiting := submit(8, 20*time.Hour, 12*time.Hour)
	p := s.step().PartitionResults[0]
	raw := estimate.EstimateJobs(estimate.Input{Snapshot: p.Snapshot, Line: estimate.LineOfPlan(p.Plan)})
	i := slices.IndexFunc(raw, func(e estimate.Estimate) bool { return int64(e.Job) == waiting })
	must(t, s.db.PutEstimates(t.Context(), s.service.Cluster, p.Snapshot.Now, []estimates.Look{{Job: p.Snapshot.Job(raw[i].Job), Raw: raw[i], Estimate: raw[i]}}))
	ask := func(v api.Viewer, id int64) *api.Deadline {
		e, err := s.service.Job(t.Context(), v, fmt.Sprint(id))
		must(t, err)
		return e.Deadline
	}
	d := ask(annie, waiting)
	if d == nil || d.Chance == 0 || d.Chance >= api.LikelyChance || len(d.Offers) == 0 {
		t.Fatalf("it waits behind others, and none is offered: %+v", d)
	}
	for i, o := range d.Offers {
		smaller := o.Job.Ask.GPUs.Count < 8 || o.Job.Limit < 20*time.Hour
		if o.Chance <= d.Chance || !smaller || int64(o.Job.ID) == waiting || i > 0 && o.Chance > d.Offers[i-1].Chance {
			t.Errorf("offer %d: %+v beside a chance of %v", i, o, d.Chance)
		}
	}
	if d := ask(annie, running); d == nil || d.Chance < api.LikelyChance || len(d.Offers) != 0 {
		t.Errorf("one that runs for an hour at most, due in a day: %+v", d)
	}
}
