package interleave_test

import (
	"math"
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/interleave"
)

// The jobs of the examples: model and GPUs.
var (
	vgg16x8      = job(82, 75, 66, 214)
	dqnx8        = job(435, 8, .5, 509)
	bertx8       = job(.5, 167, 59, 192)
	resnet18x4   = job(723, 113, 73, 921)
	shufflenetx4 = job(703, 62, 17, 886)
	bertx4       = job(.5, 163, 18, 190)
	a2cx1        = job(514, 14, 0, 517)
	gpt2x1       = job(.6, 410, 0, 426)
)

// job is a job by milliseconds; a step alone takes 1.5 % more than what was measured, as in the
// published simulator.
func job(input, gpu, network, step float64) interleave.Job {
	return interleave.Job{Stages: interleave.Stages{input / 1000, gpu / 1000, network / 1000}, StepSeconds: step * 1.015 / 1000}
}

// TestPublishedPacks are packs as the published simulator times them.
func TestPublishedPacks(t *testing.T) {
	for name, c := range map[string]struct {
		jobs                 []interleave.Job
		cycle, step, ofTurns float64
	}{
		"vgg16, dqn":           {[]interleave.Job{vgg16x8, dqnx8}, .501500, .657138, .895472},
		"dqn, bert":            {[]interleave.Job{dqnx8, bertx8}, .443500, .581138, .816761},
		"vgg16, dqn, bert":     {[]interleave.Job{vgg16x8, dqnx8, bertx8}, .501500, .741133, .798011},
		"resnet18, shufflenet": {[]interleave.Job{resnet18x4, shufflenetx4}, .909000, 1.191103, .649419},
		"resnet18, bert":       {[]interleave.Job{resnet18x4, bertx4}, .909000, 1.191103, 1.056256},
	} {
		t.Run(name, func(t *testing.T) {
			sum := 0.0
			var stages []interleave.Stages
			for _, j := range c.jobs {
				stages, sum = append(stages, j.Stages), sum+j.StepSeconds
			}
			step := interleave.StepSeconds(c.jobs)
			for what, v := range map[string][2]float64{
				"cycle": {interleave.BestCycle(stages), c.cycle}, "step": {step, c.step},
				"step over turns": {step / sum, c.ofTurns},
			} {
				if math.Abs(v[0]-v[1]) > 5.1e-7 {
					t.Errorf("%s %.6f, want %.6f", what, v[0], v[1])
				}
			}
			if got := interleave.IsSlowerThanTurns(c.jobs); got != (c.ofTurns > 1) {
				t.Errorf("slower than turns: %t", got)
			}
		})
	}
}

// TestOrderOfJobsGivenDoesNotMatter: the best order is found from any.
func TestOrderOfJobsGivenDoesNotMatter(t *testing.T) {
	a := interleave.StepSeconds([]interleave.Job{vgg16x8, dqnx8, bertx8, a2cx1})
	for _, jobs := range [][]interleave.Job{{a2cx1, bertx8, dqnx8, vgg16x8}, {dqnx8, a2cx1, vgg16x8, bertx8}} {
		if b := interleave.StepSeconds(jobs); a != b {
			t.Errorf("%v and %v", a, b)
		}
	}
}

// TestAlone: a job alone takes its own time, two that compete for one resource the sum of theirs.
func TestAlone(t *testing.T) {
	if got := interleave.StepSeconds([]interleave.Job{gpt2x1}); got != gpt2x1.StepSeconds {
		t.Errorf("alone %v", got)
	}
	if got := interleave.BestCycle([]interleave.Stages{gpt2x1.Stages, gpt2x1.Stages}); math.Abs(got-.820) > 1e-9 {
		t.Errorf("two that compute take %v s", got)
	}
	if got := interleave.BestCycle([]interleave.Stages{a2cx1.Stages, gpt2x1.Stages}); math.Abs(got-.528) > 1e-9 {
		t.Errorf("one that reads and one that computes take %v s", got)
	}
	if got := interleave.Cycle([]interleave.Stages{{}, {}}); got != 0 {
		t.Errorf("nothing takes %v s", got)
	}
}

func TestJobOf(t *testing.T) {
	if _, ok := interleave.JobOf(nil); ok {
		t.Error("nothing is known, and taken")
	}
	for _, stages := range [][]float64{nil, {1}, {0, 0, 0}, {1, 2, 3, 4}} {
		if _, ok := interleave.JobOf(&policy.Sharing{StageSeconds: stages}); ok {
			t.Errorf("%v is taken", stages)
		}
	}
	j, ok := interleave.JobOf(&policy.Sharing{StageSeconds: []float64{1, 2, 3}})
	if !ok || j.StepSeconds != 6 {
		t.Errorf("%+v, %t: without a time of a step it is the sum of its stages", j, ok)
	}
	if j, _ = interleave.JobOf(&policy.Sharing{StageSeconds: []float64{1, 2, 3}, StepSeconds: 5}); j.StepSeconds != 5 {
		t.Errorf("%+v", j)
	}
}
