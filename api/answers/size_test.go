package answers_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/api"
	"fairbridge/bridge"
	"fairbridge/replica/sim"
)

// TestJobTellsItsSize: what it holds in which run, how it may be sized and what is assumed of its
// speed; others learn the size alone. What of a declaration does not count is told.
func TestJobTellsItsSize(t *testing.T) {
	s := newSiteInMode(t, "fifo", bridge.ModeElastic)
	submit := func(comment string) int64 {
		id, err := s.world.Submit(sim.JobSpec{User: "annie", Account: "annaccount", GPUsPerNode: 4, WorkTime: 5 * time.Hour, TimeLimit: 6 * time.Hour, Comment: comment})
		must(t, err)
		return id
	}
	elastic, rigid := submit("fairbridge:min=2,max=99"), submit("fairbridge:min=6,max=8,types=h100")
	s.step()
	s.step()
	size := func(v api.Viewer, id int64) (*api.JobSize, string) {
		j, err := s.service.Job(t.Context(), v, fmt.Sprint(id))
		must(t, err)
		return j.Size, j.Directive
	}
	got, told := size(annie, elastic)
	if want := (api.JobSize{GPUs: 4, Nodes: 1, Runs: true, MinGPUs: 2, MaxGPUs: 8, Speed: 1, SpeedSource: "assumed", SpeedSigma: .5, RestartSeconds: 300, RestartSource: "assumed: its owner does not say, and too few restarts were measured"}); got == nil || *got != want {
		t.Errorf("%+v, want %+v; told %q", got, want, told)
	}
	if !strings.Contains(told, "max=99 is more than the 16") {
		t.Errorf("%q", told)
	}
	got, told = size(annie, rigid)
	if want := (api.JobSize{GPUs: 4, Nodes: 1, Runs: true}); got == nil || *got != want {
		t.Errorf("%+v, want %+v; told %q", got, want, told)
	}
	if !strings.Contains(told, "does not contain the 4 GPUs") || !strings.Contains(told, "GPUs of any type") {
		t.Errorf("%q", told)
	}
	if got, _ = size(bobby, elastic); got == nil || got.GPUs != 4 {
		t.Errorf("to another: %+v", got)
	}
}
