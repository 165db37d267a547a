package answers_test

import (
	"fmt"
	"testing"
	"time"

	"fairbridge/api"
	"fairbridge/replica/sim"
)

// A job whose name counts up is told how long earlier ones took, which of them were short enough for its deadline, and that its
// limit need not be so long; who may not ask for its user is told nothing of it.
func TestAJobIsToldOfItsEarlierRuns(t *testing.T) {
	s := newSite(t, "fifo")
	submit := func(name string, work time.Duration, comment string) int64 {
		id, err := s.world.Submit(sim.JobSpec{User: "annie", Account: "annaccount", Name: name, GPUs: 4, WorkTime: work, TimeLimit: 12 * time.Hour, Comment: comment})
		must(t, err)
		return id
	}
	for i := range 5 {
		submit(fmt.Sprint("seed-", i), time.Duration(2+i)*time.Minute, "")
		for range 16 {
			s.step()
		}
	}
	submit("eval-1", time.Minute, "")
	for range 8 {
		s.step()
	}
	for _, gpus := range []int{8, 8} {
		s.submit("bobby", "bobaccount", gpus, 0)
	}
	s.step()
	due := s.now().Add(5 * time.Minute).UTC().Truncate(time.Second)
	id := submit("seed-9", time.Hour, "fairbridge:deadline="+due.Format(time.RFC3339))
	s.step()
	got, err := s.service.Job(t.Context(), annie, fmt.Sprint(id))
	must(t, err)
	e := got.Earlier
	if e == nil || e.Count != 5 || e.MedianSeconds < 200 || e.MedianSeconds > 300 || e.LongestSeconds < 360 || e.EnoughLimitSeconds != 600 || e.InTimeCount == nil || *e.InTimeCount < 2 || *e.InTimeCount > 4 {
		t.Fatalf("%+v", e)
	}
	s.private = api.Privacy{Usage: true}
	if other, err := s.service.Job(t.Context(), bobby, fmt.Sprint(id)); err == nil && other.Earlier != nil {
		t.Errorf("to another, where usage is private: %+v", other.Earlier)
	}
	s.private = api.Privacy{}
	first, err := s.service.Job(t.Context(), bobby, fmt.Sprint(s.submitNamed("bobby", "bobaccount", 4, "new-1")))
	if err == nil && first.Earlier != nil {
		t.Errorf("of a job that never came: %+v", first.Earlier)
	}
}
