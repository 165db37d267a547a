package sim

import (
	"testing"
	"time"
)

// TestGPUUpdates: the number of GPUs of a job that waits changes in the form in which it asked, as on real Slurm.
func TestGPUUpdates(t *testing.T) {
	perNode, typed, perJob := JobSpec{GPUsPerNode: 4}, JobSpec{GPUsPerNode: 4, GPUType: "a100"}, JobSpec{GPUs: 4}
	for name, c := range map[string]struct {
		release string
		spec    JobSpec
		update  JobUpdate
		errno   int
		want    string // tres_req_str's GPUs; "": as before
	}{
		"per node":             {"24.11.5", perNode, JobUpdate{GPUs: Ptr(2), GPUsArePerJob: Ptr(false)}, 0, "gpu:2"},
		"per node, as in all":  {"24.11.5", perNode, JobUpdate{GPUs: Ptr(2), GPUsArePerJob: Ptr(true)}, ErrnoBadGres, ""},
		"in all":               {"26.05.5", perJob, JobUpdate{GPUs: Ptr(2), GPUsArePerJob: Ptr(true)}, 0, "gpu:2"},
		"in all, as per node":  {"22.05.8", perJob, JobUpdate{GPUs: Ptr(2), GPUsArePerJob: Ptr(false)}, ErrnoBadGres, ""},
		"with its type":        {"22.05.8", typed, JobUpdate{GPUs: Ptr(2), GPUType: Ptr("a100")}, 0, "gpu:a100:2"},
		"without, on 22.05":    {"22.05.8", typed, JobUpdate{GPUs: Ptr(2)}, ErrnoMixedGresTypes, ""},
		"without, on 24.11":    {"24.11.5", typed, JobUpdate{GPUs: Ptr(2)}, 0, "gpu:2"},
		"a type that was none": {"22.05.8", perNode, JobUpdate{GPUs: Ptr(2), GPUType: Ptr("a100")}, ErrnoMixedGresTypes, ""},
	} {
		w, err := New(Config{Release: c.release, Nodes: UniformNodes(1, "a100", 8)})
		if err != nil {
			t.Fatal(err)
		}
		c.spec.BeginTime, c.spec.WorkTime, c.spec.TimeLimit = w.Now().Add(time.Hour), time.Hour, time.Hour
		id, err := w.Submit(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		was, _ := w.Job(id)
		err = w.Update(OperatorUser, id, c.update)
		is, _ := w.Job(id)
		if number(err) != c.errno {
			t.Errorf("%s: %v, want error %d", name, err, c.errno)
		}
		want := "gres/" + c.want
		if c.want == "" {
			want = was.GresPerNode.Text + was.GresPerJob.Text
		}
		if got := is.GresPerNode.Text + is.GresPerJob.Text; got != want {
			t.Errorf("%s: it asks %q, want %q", name, got, want)
		}
	}
}
