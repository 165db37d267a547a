package muri_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/muri"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// stages are what steps of the jobs of the tests need: of one that reads, one that computes and one that
// exchanges.
var stages = map[string][]float64{"reads": {.5, .01, 0}, "computes": {.01, .4, 0}, "exchanges": {0, .05, .4}}

// cluster is one node of so many GPUs and jobs of one GPU each that need what their names say; one
// whose name ends in * runs, on GPU 0.
func cluster(gpus int, names ...string) *policy.Snapshot {
	s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "v100", Count: gpus}}}}}
	for i, name := range names {
		name, runs := strings.CutSuffix(name, "*")
		j := policy.Job{ID: policy.JobID(i + 1), User: "u", Account: "a", Partition: "p", State: policy.Pending, Arrive: now.Add(-time.Hour),
			Attained: policy.GPUSeconds(i), Ask: policy.Ask{GPUs: policy.GPUs{Type: "v100", Count: 1}}, Shareable: true,
			Sharing: &policy.Sharing{JobsPerGPU: 4, AcceptsOtherUsers: true, StageSeconds: stages[name]}}
		if runs {
			j.State, j.Start, j.On = policy.Running, now.Add(-30*time.Minute), policy.Alloc{{Node: "n1", Type: "v100", Count: 1, Devices: policy.NewDeviceSet(0)}}
		}
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

func decide(t *testing.T, s *policy.Snapshot, params paper.Params) string {
	t.Helper()
	plan, err := policytest.NewPolicy(t, muri.System().New, params).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range plan.Decisions {
		text := fmt.Sprintf("%d %s", d.Job, d.Verb)
		if d.Beside != 0 {
			text += fmt.Sprintf(" beside %d", d.Beside)
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// TestPacks: who shares, with whom, and who does not.
func TestPacks(t *testing.T) {
	alone := func(s *policy.Snapshot, id int) *policy.Snapshot { s.Jobs[id-1].Shareable = false; return s }
	silent := func(s *policy.Snapshot, id int) *policy.Snapshot { s.Jobs[id-1].Sharing.StageSeconds = nil; return s }
	for name, c := range map[string]struct {
		snapshot *policy.Snapshot
		params   paper.Params
		want     string
	}{
		"one that reads beside one that computes": {cluster(1, "reads*", "computes"), nil, "1 keep; 2 start beside 1"},
		"both wait":                     {cluster(1, "reads", "computes"), nil, "1 start; 2 start beside 1"},
		"room for both":                 {cluster(2, "reads*", "computes"), nil, "1 keep; 2 start"},
		"two that compute are no use":   {cluster(1, "computes*", "computes"), nil, "1 keep; 2 wait"},
		"unless nobody minds":           {cluster(1, "computes*", "computes"), paper.Params{"unpack": false}, "1 keep; 2 start beside 1"},
		"unlike ones":                   {cluster(2, "reads*", "computes", "computes", "reads"), nil, "1 keep; 2 start; 3 start beside 1; 4 start beside 2"},
		"three":                         {cluster(1, "reads*", "computes", "exchanges"), nil, "1 keep; 2 start beside 1; 3 start beside 1"},
		"an owner who minds":            {alone(cluster(1, "reads*", "computes"), 2), nil, "1 keep; 2 wait"},
		"nobody knows what it needs":    {silent(cluster(1, "reads*", "computes"), 2), nil, "1 keep; 2 wait"},
		"those that share stay so":      {cluster(1, "reads*", "computes*"), nil, "1 keep; 2 keep"},
		"those that are slower so part": {cluster(1, "computes*", "computes*"), nil, "1 keep; 2 stop"},
		"not more than is wanted":       {cluster(1, "reads*", "computes"), paper.Params{"jobs": 1}, "1 keep; 2 wait"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := decide(t, c.snapshot, c.params); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestMemory: jobs that do not fit into the memory of a GPU together do not share it.
func TestMemory(t *testing.T) {
	s := cluster(1, "reads*", "computes")
	s.Nodes[0].GPUs[0].MemMB = 16000
	s.Jobs[0].Sharing.MemMB, s.Jobs[1].Sharing.MemMB = 9000, 9000
	if got := decide(t, s, nil); got != "1 keep; 2 wait" {
		t.Error(got)
	}
}

// TestWhoseTurn: with nothing to share, the GPU goes to the job that had least, or to the one with the least
// left.
func TestWhoseTurn(t *testing.T) {
	for lengths, want := range map[string]string{"attained": "1 start; 2 wait", "known": "1 wait; 2 start"} {
		s := cluster(1, "computes", "computes")
		s.Jobs[0].Limit, s.Jobs[1].Limit = 9*time.Hour, time.Hour
		if got := decide(t, s, paper.Params{"lengths": lengths}); got != want {
			t.Errorf("%s: %s, want %s", lengths, got, want)
		}
	}
}

// TestYoungHost: a job that must not be stopped yet gets neighbours as any other.
func TestYoungHost(t *testing.T) {
	s := cluster(1, "reads*", "computes")
	s.Jobs[0].Start = now.Add(-time.Minute)
	if got := decide(t, s, nil); got != "1 keep; 2 start beside 1" {
		t.Error(got)
	}
}
