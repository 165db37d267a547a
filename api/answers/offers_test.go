package answers_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/estimates"
	"fairbridge/api"
	"fairbridge/bridge/estimate"
	"fairbridge/policy"
	"fairbridge/replica/sim"
)

// deadlineJob submits a job of annie's for whole nodes that is to be done at a time from now.
func (s *site) deadlineJob(gpus int, ahead time.Duration) int64 {
	s.t.Helper()
	comment := "fairbridge:deadline=" + s.now().Add(ahead).UTC().Truncate(time.Second).Format(time.RFC3339)
	id, err := s.world.Submit(sim.JobSpec{User: "annie", Account: "annaccount", GPUsPerNode: gpus, WorkTime: time.Hour, TimeLimit: 2 * time.Hour, Comment: comment})
	must(s.t, err)
	s.step()
	return id
}

// firstChance is what a job is told at the first look at it.
const firstChance = .125

// lateByEstimate stores that a waiting job is done hours from now.
func (s *site) lateByEstimate(id int64, hours time.Duration) {
	s.t.Helper()
	e, err := s.service.Job(s.t.Context(), annie, fmt.Sprint(id))
	must(s.t, err)
	at := func(h time.Duration) time.Time { return s.now().Add(h) }
	band := func(h time.Duration) estimate.Band {
		return estimate.Band{Early: at(h * time.Hour), Middle: at(h*time.Hour + 30*time.Minute), Late: at(h*time.Hour + time.Hour)}
	}
	j := policy.Job{ID: policy.JobID(id), User: "annie", Account: "annaccount", Partition: "gpu", Arrive: e.Runs[0].Arrive, Deadline: e.Deadline.At}
	raw := estimate.Estimate{Job: j.ID, Start: band(hours - 1), End: band(hours)}
	must(s.t, s.db.PutEstimates(s.t.Context(), "lab", s.now(), []estimates.Look{{Job: &j, Raw: raw, Estimate: raw, Chance: firstChance, UncorrectedChance: firstChance}}))
}

// A waiting job that is not likely in time is offered what would be: half its GPUs have room now. One that is likely is
// offered nothing, nor is one told to who may not ask for its user.
func TestAWaitingJobIsOfferedWhatIsLikelier(t *testing.T) {
	s := newSite(t, "fifo")
	for _, gpus := range []int{8, 4} {
		s.submit("bobby", "bobaccount", gpus, 0)
	}
	s.step()
	id := s.deadlineJob(8, 3*time.Hour)
	s.lateByEstimate(id, 5)
	e, err := s.service.Job(t.Context(), annie, fmt.Sprint(id))
	must(t, err)
	d := e.Deadline
	if d == nil || d.Chance > .15 || d.Promise == nil || d.Promise.Chance != firstChance || len(d.Offers) == 0 {
		t.Fatalf("%+v", d)
	}
	o := d.Offers[0]
	if o.Chance < api.LikelyChance || o.Job.Ask.GPUs.Count != 4 || o.Job.Partition != "gpu" || o.LikelyBy.After(d.At) {
		t.Errorf("%+v", o)
	}
	if again, err := s.service.Job(t.Context(), annie, fmt.Sprint(id)); err != nil || len(again.Deadline.Offers) != len(d.Offers) {
		t.Errorf("asked again: %+v, %v", again.Deadline, err)
	}
	s.private = api.Privacy{Usage: true}
	other, err := s.service.Job(t.Context(), bobby, fmt.Sprint(id))
	must(t, err)
	if other.Deadline != nil && len(other.Deadline.Offers) > 0 {
		t.Errorf("to another, where usage is private: %+v", other.Deadline)
	}
	s.private = api.Privacy{}
	likely := s.deadlineJob(8, 300*time.Hour)
	s.lateByEstimate(likely, 5)
	e, err = s.service.Job(t.Context(), annie, fmt.Sprint(likely))
	must(t, err)
	if e.Deadline.Chance < api.LikelyChance || len(e.Deadline.Offers) != 0 {
		t.Errorf("of one that is likely: %+v", e.Deadline)
	}
}

// An offer tells no nodes that the job's owner named.
func TestOffersNameNoNodes(t *testing.T) {
	s := newSite(t, "fifo")
	for _, gpus := range []int{8, 4} {
		s.submit("bobby", "bobaccount", gpus, 0)
	}
	s.step()
	v, err := s.slurm.Observe(t.Context())
	must(t, err)
	full := v.Nodes[0].Name
	deadline := s.now().Add(3 * time.Hour).UTC().Truncate(time.Second).Format(time.RFC3339)
	id, err := s.world.Submit(sim.JobSpec{User: "annie", Account: "annaccount", GPUsPerNode: 8, WorkTime: time.Hour, TimeLimit: 2 * time.Hour, Comment: "fairbridge:deadline=" + deadline, ExcludedNodes: []string{full}})
	must(t, err)
	s.step()
	s.lateByEstimate(id, 5)
	e, err := s.service.Job(t.Context(), annie, fmt.Sprint(id))
	must(t, err)
	if text := jsonOf(t, e.Deadline); len(e.Deadline.Offers) == 0 || strings.Contains(text, `"`+full+`"`) {
		t.Errorf("%s", text)
	}
}

// A job that runs has a chance by what is left of its run, and no offers.
func TestARunningJobHasAChance(t *testing.T) {
	s := newSite(t, "fifo")
	soon, later := s.deadlineJob(8, 2*time.Minute), s.deadlineJob(8, 90*time.Hour)
	s.step()
	chance := func(id int64) *api.Deadline {
		e, err := s.service.Job(t.Context(), annie, fmt.Sprint(id))
		must(t, err)
		if e.Deadline == nil || e.Live.State != "RUNNING" || len(e.Deadline.Offers) != 0 {
			t.Fatalf("%+v, live %+v", e.Deadline, e.Live)
		}
		return e.Deadline
	}
	if d := chance(soon); d.Chance > .2 {
		t.Errorf("in two minutes: %+v", d)
	}
	if d := chance(later); d.Chance < .7 {
		t.Errorf("in 90 hours: %+v", d)
	}
}
