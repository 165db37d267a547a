package packs_test

import (
	"slices"
	"strings"
	"testing"

	"fairbridge/lab/packs"
	"fairbridge/policy"
	"fairbridge/replica/cluster"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// job makes a job from what a line of a trace says; milliseconds.
func job(id int64, gpus int, submit, duration float64, model string, step float64, stages []float64, priority int) workload.Job {
	return workload.Job{ID: id + 1, GPUs: gpus, Arrive: submit / 1000, Duration: duration / 1000, Class: model, IsShareable: true,
		Sharing: &policy.Sharing{JobsPerGPU: 4, AcceptsOtherUsers: true, IsOpportunistic: priority == 1, StepSeconds: step / 1000,
			StageSeconds: []float64{stages[0] / 1000, stages[1] / 1000, stages[2] / 1000}}}
}

// two jobs that share well, and three for eight GPUs.
func two() []workload.Job {
	return []workload.Job{
		job(0, 8, 0, 5090000, "dqn", 509, []float64{435, 8, .5}, 0),
		job(1, 8, 0, 1070000, "vgg16", 214, []float64{82, 75, 66}, 1),
	}
}

func three() []workload.Job {
	return []workload.Job{
		job(0, 8, 0, 5090000, "dqn", 509, []float64{435, 8, .5}, 0),
		job(1, 8, 100000, 1070000, "vgg16", 214, []float64{82, 75, 66}, 1),
		job(2, 8, 200000, 192000, "bert", 192, []float64{.5, 167, 59}, 0),
	}
}

// simulate runs a system on nodes of eight GPUs.
func simulate(t *testing.T, s packs.System, nodes string, jobs []workload.Job) *measure.Run {
	t.Helper()
	on, err := cluster.ParseSpec(nodes)
	if err != nil {
		t.Fatal(err)
	}
	run, err := packs.Run(packs.Config{System: s, Nodes: on, Jobs: jobs})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// pair runs all jobs as one pack.
type pair struct{ step, start float64 }

// Choose implements packs.Rule.
func (p pair) Choose(m *packs.Moment) ([]packs.Pack, error) {
	return []packs.Pack{{Jobs: m.Active, StepSeconds: p.step, StartSeconds: p.start}}, nil
}

// TestPack lets two jobs share at 2 s a step, and lose 10 s at each event: the shorter one has 600 steps
// and is foreseen to end at 1,200 s; the longer one has done 595 of its 1,000 by then.
func TestPack(t *testing.T) {
	jobs := []workload.Job{job(0, 8, 0, 1000e3, "x", 1000, []float64{1, 1, 1}, 0), job(1, 8, 0, 600e3, "x", 1000, []float64{1, 1, 1}, 0)}
	run := simulate(t, packs.System{Rule: pair{2, 10}}, "1x8", jobs)
	if a, b := run.JobOutcomes[0], run.JobOutcomes[1]; b.Finish != 1200 || a.Finish != 2010 || a.HeldSeconds != 2010 || a.LostService != 160 {
		t.Errorf("ends %+v, %+v", a, b)
	}
}

// TestRefuses says what cannot be simulated.
func TestRefuses(t *testing.T) {
	good := three()
	typed, training, huge := three(), three(), three()
	typed[0].GPUType, training[1].Training, huge[2].GPUs = "b", &workload.Training{Steps: 1}, 9
	for _, c := range []struct {
		nodes string
		rule  packs.Rule
		jobs  []workload.Job
		want  string
	}{
		{"1x8:a", none{}, typed, "job 1: it asks for GPUs of type b, and the cluster has a"},
		{"1x8", none{}, training, "job 2: to run in packs it needs a run time"},
		{"1x8", none{}, huge, "job 3: 9 GPUs do not fit on 1 nodes of 8"},
		{"1x8,1x4", none{}, good, "the same number of GPUs"},
		{"1x8", nil, good, "needs a rule"},
		{"1x8", pair{0, 1}, good, "job 1 twice, not there, or with steps of 0 s"},
		{"1x8", none{}, good, "starts none of them"},
	} {
		on, err := cluster.ParseSpec(c.nodes)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := packs.Run(packs.Config{System: packs.System{Rule: c.rule}, Nodes: on, Jobs: slices.Clone(c.jobs)}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if _, err := packs.NewCluster(nil); err == nil {
		t.Error("a cluster without nodes is taken")
	}
}

// none runs nobody.
type none struct{}

// Choose implements packs.Rule.
func (none) Choose(*packs.Moment) ([]packs.Pack, error) { return nil, nil }
