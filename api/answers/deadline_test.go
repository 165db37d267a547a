package answers_test

import (
	"fmt"
	"testing"
	"time"

	"fairbridge/api"
	"fairbridge/replica/sim"
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
