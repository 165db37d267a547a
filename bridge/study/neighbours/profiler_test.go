package neighbours_test

import (
	"reflect"
	"testing"
	"time"

	"fairbridge/bridge/study/neighbours"
	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// told remembers the last snapshot it was asked about.
type told struct{ jobs []policy.Job }

func (p *told) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	p.jobs = append([]policy.Job{}, s.Jobs...)
	return &policy.Plan{}, nil
}

// TestProfiler: what is told of a job, before and after it or another of its kind ran for long enough.
func TestProfiler(t *testing.T) {
	truth := func(id int64) workload.Job {
		return workload.Job{ID: id, Sharing: &policy.Sharing{JobsPerGPU: 3, AcceptsOtherUsers: true, MemMB: 1000 * id, Utilisation: policy.KnownValue(.5)}}
	}
	p, start := &told{}, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	f := neighbours.NewProfiler(p, []workload.Job{truth(1), truth(2), truth(3)})
	f.Noise = .1
	at := func(seconds int) map[policy.JobID]*policy.Sharing {
		t.Helper()
		s := &policy.Snapshot{Now: start.Add(time.Duration(seconds) * time.Second)}
		for id, name := range []string{"", "train", "train", "test"} {
			if id > 0 {
				s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(id), Name: name, User: "ann", State: policy.Pending, Shareable: true})
			}
		}
		s.Jobs[0].State, s.Jobs[0].Start = policy.Running, start
		if _, err := f.Decide(s); err != nil {
			t.Fatal(err)
		}
		if s.Jobs[0].Sharing != nil {
			t.Error("the snapshot was changed")
		}
		out := map[policy.JobID]*policy.Sharing{}
		for i := range p.jobs {
			out[p.jobs[i].ID] = p.jobs[i].Sharing
		}
		return out
	}
	for id, got := range at(199) {
		if !reflect.DeepEqual(*got, policy.Sharing{JobsPerGPU: 3, AcceptsOtherUsers: true}) {
			t.Errorf("job %d at first: %+v", id, got)
		}
	}
	after := at(200)
	if m := after[1]; m.Source != "measured" || m.MemMB != 1000 || m.Utilisation.Value == .5 || m.Utilisation.Value < .1 || m.JobsPerGPU != 3 {
		t.Errorf("its own: %+v", m)
	}
	if m := after[2]; m.Source != "class" || m.MemMB != 1000 || m.Utilisation != after[1].Utilisation {
		t.Errorf("of its kind: %+v", m)
	}
	if m := after[3]; m.Source != "" || m.MemMB != 0 || m.Utilisation.Known {
		t.Errorf("of another kind: %+v", m)
	}
	if again := at(5000)[1]; again.Utilisation != after[1].Utilisation {
		t.Error("measured twice")
	}
}
