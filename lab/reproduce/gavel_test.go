package reproduce

import (
	"fmt"
	"maps"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// gavelNodes is 36 GPUs of each of three types, one to a node.
func gavelNodes() []policy.Node {
	var nodes []policy.Node
	for _, typ := range []string{"k80", "p100", "v100"} {
		for i := range 36 {
			nodes = append(nodes, policy.Node{Name: fmt.Sprintf("%s-%02d", typ, i), Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1 << 20,
				GPUs: []policy.NodeDevices{{Type: typ, Count: 1}}})
		}
	}
	return nodes
}

func gavelRun(t *testing.T, jobs []workload.Job, name string, params paper.Params) *measure.Run {
	t.Helper()
	p := paper.Params{"round": "6m", "recompute": "1000s"}
	if name != "gavel" {
		p = nil
	}
	maps.Copy(p, params)
	clock := exact.GavelClock()
	clock.MaxOverrunFactor = 0 // it counts time on the fastest type, and would end jobs early on the others
	return simulate(t, exact.Config{Policy: system(t, name, p), Nodes: gavelNodes(), Jobs: jobs, SpeedTables: generate.NewSpeedTables(), Clock: clock, OmitsReasons: true})
}

// gavelLoad is 80–90 % of what max-min without knowledge of types can sustain
// (.7, from where its completion times grow with the length of the workload), in
// time on the fastest type.
const gavelLoad = .6

// TestReproduceGavel: what knowing the speeds on each type brings, on the
// workload of Gavel's paper and its own clock.
func TestReproduceGavel(t *testing.T) {
	agnostic := func(objective string, jobs []workload.Job) *measure.Run {
		return gavelRun(t, jobs, "gavel", paper.Params{"objective": objective, "aware": false})
	}
	aware := func(objective string, jobs []workload.Job) *measure.Run {
		return gavelRun(t, jobs, "gavel", paper.Params{"objective": objective})
	}
	for _, c := range []struct {
		what        string
		jobs        generate.GavelDrawer
		least, most float64
		ratio       func([]workload.Job) float64
	}{
		{"max-min: average JCT of agnostic to aware", generate.GavelDrawer{JobCount: 800, OfferedLoad: gavelLoad, RunTimeDivisor: 4}, 1.3, 10, func(jobs []workload.Job) float64 {
			return agnostic("max-min", jobs).Summarize().AvgJCT / aware("max-min", jobs).Summarize().AvgJCT
		}},
		{"makespan of FIFO to aware", generate.GavelDrawer{JobCount: 300, AllAtStart: true, RunTimeDivisor: 4}, 1.5, 10, func(jobs []workload.Job) float64 {
			return gavelRun(t, jobs, "fifo", nil).MakespanSeconds / aware("makespan", jobs).MakespanSeconds
		}},
		{"finish-time-fairness: worst ratio of aware to agnostic", generate.GavelDrawer{JobCount: 600, OfferedLoad: gavelLoad}, 0, .8, func(jobs []workload.Job) float64 {
			return worstEqual(aware("finish-time-fairness", jobs), jobs) / worstEqual(agnostic("finish-time-fairness", jobs), jobs)
		}},
	} {
		t.Run(c.what, func(t *testing.T) {
			ratios := make([]float64, 5)
			for seed := range ratios {
				ratios[seed] = c.ratio(c.jobs.DrawJobs(int64(seed + 1)))
			}
			m := median(ratios)
			t.Logf("median %.2f of %.2f", m, ratios)
			if m < c.least || m > c.most {
				t.Errorf("median %.2f, want %g to %g", m, c.least, c.most)
			}
		})
	}
}

// worstEqual is the worst ratio of a job's completion time to that on an equal
// part of each type's GPUs, as Gavel defines finish-time fairness.
func worstEqual(r *measure.Run, jobs []workload.Job) float64 {
	worst := 0.0
	for i, o := range r.JobOutcomes {
		part := min(1, 108/o.MeanJobsPresent/float64(o.GPUCount))
		speed := (jobs[i].Speeds["k80"] + jobs[i].Speeds["p100"] + jobs[i].Speeds["v100"]) / 3
		worst = max(worst, (o.Finish-o.Arrive)*part*speed/o.ExclusiveRunSeconds)
	}
	return worst
}
