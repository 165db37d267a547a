package golden

import (
	"fmt"
	"strings"
	"testing"

	"fairbridge/lab/packs"
	"fairbridge/policy"
	"fairbridge/replica/cluster"
	"fairbridge/replica/workload"
)

// muriJob makes a job of so many steps that arrives at 0; milliseconds.
func muriJob(id int64, gpus int, steps float64, model string, step float64, stages ...float64) workload.Job {
	j := workload.Job{ID: id, GPUs: gpus, Duration: steps * step / 1000, Class: model, IsShareable: true,
		Sharing: &policy.Sharing{JobsPerGPU: 4, AcceptsOtherUsers: true, StepSeconds: step / 1000}}
	for _, s := range stages {
		j.Sharing.StageSeconds = append(j.Sharing.StageSeconds, s/1000)
	}
	return j
}

func packsEnd(t *testing.T, o muriOptions, nodes string, jobs []workload.Job) (string, error) {
	t.Helper()
	on, err := cluster.ParseSpec(nodes)
	if err != nil {
		t.Fatal(err)
	}
	run, err := packs.Run(packs.Config{System: muriSystem(o), Nodes: on, Jobs: jobs})
	if err != nil {
		return "", err
	}
	var ends []string
	for _, j := range run.JobOutcomes {
		ends = append(ends, fmt.Sprintf("%.3f", j.Finish))
	}
	return strings.Join(ends, " "), nil
}

// TestMuriPack: of a pack every step takes .657138 s, and jobs of which nobody waits run alone. Packs that are slower
// than turns are parted where that is wanted: the shorter job runs alone, and then the other.
func TestMuriPack(t *testing.T) {
	dqn, vgg := muriJob(1, 8, 10000, "dqn", 509, 435, 8, .5), muriJob(2, 8, 10000, "vgg16", 214, 82, 75, 66)
	resnet, bert := muriJob(1, 4, 10000, "resnet18", 921, 723, 113, 73), muriJob(2, 4, 10000, "bert", 190, .5, 163, 18)
	for name, c := range map[string]struct {
		options muriOptions
		nodes   string
		jobs    []workload.Job
		want    string
	}{
		"alone":             {muriOptions{}, "2x8", []workload.Job{dqn, vgg}, "5172.350 2172.100"},
		"together":          {muriOptions{}, "1x8", []workload.Job{dqn, vgg}, "6571.379 6571.379"},
		"slower than turns": {muriOptions{}, "1x4", []workload.Job{resnet, bert}, "11911.034 11911.034"},
		"turns":             {muriOptions{Unpacks: true}, "1x4", []workload.Job{resnet, bert}, "11276.650 1928.500"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := packsEnd(t, c.options, c.nodes, c.jobs); err != nil || got != c.want {
				t.Errorf("%s, %v; want %s", got, err, c.want)
			}
		})
	}
}

// TestMuriAttained: nobody knows that the second job is short, and both have had nothing: the first runs.
func TestMuriAttained(t *testing.T) {
	long, short := muriJob(1, 8, 10000, "x", 1000, 1, 1000, 1), muriJob(2, 8, 10, "x", 1000, 1, 1000, 1)
	for _, c := range []struct {
		options muriOptions
		want    string
	}{
		{muriOptions{Unpacks: true}, "10160.150 10.150"},
		{muriOptions{ByAttained: true, Unpacks: true}, "10150.000 10160.150"},
	} {
		if got, err := packsEnd(t, c.options, "1x8", []workload.Job{long, short}); err != nil || got != c.want {
			t.Errorf("%+v: %s, %v; want %s", c.options, got, err, c.want)
		}
	}
}

// TestMuriNeedsStages: jobs of which nobody knows what a step needs cannot be grouped.
func TestMuriNeedsStages(t *testing.T) {
	if _, err := packsEnd(t, muriOptions{}, "1x8", []workload.Job{muriJob(7, 8, 10, "x", 100)}); err == nil || !strings.Contains(err.Error(), "job 7: to be grouped it needs the stages") {
		t.Errorf("%v", err)
	}
}
