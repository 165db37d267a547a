package intake

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/replica/sim"
)

// TestAssemblePredicts: predictions are asked with the job as policies see it,
// and reach them, of waiting and of running jobs.
func TestAssemblePredicts(t *testing.T) {
	w := world(t, sim.JobSpec{User: "alice", Account: "vision", Partition: "gpu", GPUsPerNode: 8, MinNodes: 3, TimeLimit: time.Hour, WorkTime: time.Hour})
	w.Advance(w.Now().Add(2 * time.Minute))
	if _, err := w.Submit(sim.JobSpec{User: "bob", Account: "lang", Partition: "gpu", GPUs: 1, TimeLimit: time.Hour, WorkTime: time.Hour}); err != nil {
		t.Fatal(err)
	}
	k := Input{View: view(t, w), Past: &bridge.Past{PredictTimeLeft: func(j *policy.Job) (left, sigma time.Duration) {
		return 10*time.Minute - policy.DurationFromSeconds(float64(j.Attained)/j.Ask.GPUs.WholeGPUs()), time.Duration(len(j.User)) * time.Second
	}}}
	s := AssembleSnapshot(k, preempting("gpu"))
	if len(s.Jobs) != 2 {
		t.Fatalf("%d jobs", len(s.Jobs))
	}
	run, wait := s.Jobs[0], s.Jobs[1]
	if ran := run.Ran(s.Now); run.PredictedLeft != 10*time.Minute-ran || ran == 0 || run.PredictedSigma != 5*time.Second {
		t.Errorf("running for %v: %v left, standard error %v", ran, run.PredictedLeft, run.PredictedSigma)
	}
	if wait.PredictedLeft != 10*time.Minute || wait.PredictedSigma != 3*time.Second {
		t.Errorf("waiting: %v left, standard error %v", wait.PredictedLeft, wait.PredictedSigma)
	}
	k.Past.PredictTimeLeft = nil
	if s := AssembleSnapshot(k, preempting("gpu")); s.Jobs[0].PredictedLeft != 0 {
		t.Errorf("%v left, by nobody", s.Jobs[0].PredictedLeft)
	}
}
