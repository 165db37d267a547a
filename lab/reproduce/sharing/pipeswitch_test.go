package sharing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/policy/paper"
	"fairbridge/replica/workload"
)

// servedDays is how long there is demand for the service, of which training jobs always wait.
const servedDays = 3

// training are jobs that wait from the beginning, more than can run: most of one GPU, up to four, of a quarter of an hour to a
// day. A restart costs each a minute.
func training(seed, firstID int64) []workload.Job {
	r := rand.New(rand.NewPCG(uint64(seed), 21))
	jobs := make([]workload.Job, 600)
	for i := range jobs {
		hours := min(max(2*math.Exp(r.NormFloat64()), .25), 24)
		jobs[i] = workload.Job{ID: firstID + int64(i), Name: "train", User: "ann", Account: "nlp", GPUs: []int{1, 1, 1, 2, 4}[r.IntN(5)], GPUType: "v100",
			Duration: math.Round(3600 * hours), RestartCostSeconds: 60, TimeLimit: 48 * time.Hour}
	}
	return jobs
}

// lending is what becomes of a service of 32 GPUs and of what it leaves idle.
type lending struct {
	harvested float64 // part of the GPU time that the service does not need in which others had its GPUs
	unmet     float64 // part of the steps in which a replica came more than a minute late
	lost      float64 // part of what others had that was lost to restarts
}

func lend(t *testing.T, seed int64, name string, params paper.Params) lending {
	t.Helper()
	service := Diurnal{GPUType: "v100", Days: servedDays}
	replicas := service.DrawReplicas(seed, 1)
	jobs := append(slices.Clone(replicas), training(seed, int64(len(replicas)+1))...)
	run := simulate(t, exact.Config{Policy: system(t, name, params), Nodes: cluster(4, 8, "v100"), Jobs: jobs, InferenceServices: service,
		Clock: exact.NewEventClock(time.Minute, 10*time.Minute, time.Minute)})
	const end = servedDays * 24 * 3600
	lent, idle, late, held, lost := 0.0, 0.0, map[float64]bool{}, 0.0, 0.0
	for i, sample := range run.Samples {
		until := float64(end)
		if i+1 < len(run.Samples) {
			until = run.Samples[i+1].AtSeconds
		}
		lent += float64(sample.BusyGPUs) * max(min(until, end)-sample.AtSeconds, 0)
	}
	for _, j := range run.JobOutcomes {
		if j.ID > int64(len(replicas)) {
			held, lost = held+j.Service, lost+j.LostService
			continue
		}
		lent -= max(min(j.Finish, end)-j.Start, 0)
		if j.Start-j.Arrive > 60 {
			late[j.Arrive] = true
		}
	}
	need := service.DrawDemand(seed)
	for _, n := range need {
		idle += float64(32-n) * end / float64(len(need))
	}
	return lending{harvested: lent / idle, unmet: float64(len(late)) / float64(len(need)), lost: lost / held}
}

// TestReproducePipeSwitch: training has at least .6 of the GPU time that an inference service of 32 GPUs does not need, whose demand
// follows the hours of the day; in at most one step of a hundred comes a replica more than a minute late, and at most a twentieth of what is
// lent is lost to restarts of a minute each. The paper switches in milliseconds and uses nearly all.
func TestReproducePipeSwitch(t *testing.T) {
	var harvested, unmet, lost, slurmUnmet []float64
	for seed := int64(1); seed <= 5; seed++ {
		ours := lend(t, seed, "pipeswitch", nil)
		harvested, unmet, lost = append(harvested, ours.harvested), append(unmet, ours.unmet), append(lost, ours.lost)
		slurmUnmet = append(slurmUnmet, lend(t, seed, "multifactor", nil).unmet)
	}
	t.Logf("harvested %.3f, late %.4f, lost %.4f; late under multifactor %.3f", harvested, unmet, lost, slurmUnmet)
	if m := median(harvested); m < .6 {
		t.Errorf("%.2f of the idle GPU time is used, want .6", m)
	}
	if m := median(unmet); m > .01 {
		t.Errorf("in %.3f of the steps comes a replica late, want .01", m)
	}
	if m := median(lost); m > .05 {
		t.Errorf("%.3f of what is lent is lost, want .05", m)
	}
}
