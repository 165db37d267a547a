package salus_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/salus"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// sweep is a node of so many GPUs of 16 GB and waiting jobs of one GPU each, of 3 GB and busy a fifth
// of the time.
func sweep(gpus, jobs int) *policy.Snapshot {
	s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "v100", Count: gpus, MemMB: 16384}}}}}
	for i := range jobs {
		s.Jobs = append(s.Jobs, policy.Job{ID: policy.JobID(i + 1), User: "u", Account: "a", Partition: "p", State: policy.Pending, Arrive: now.Add(time.Duration(i-99) * time.Minute),
			Limit: time.Hour, Ask: policy.Ask{GPUs: policy.GPUs{Type: "v100", Count: 1}}, Shareable: true,
			Sharing: &policy.Sharing{JobsPerGPU: 8, MemMB: 3072, Utilisation: policy.KnownValue(.2)}})
	}
	return s
}

func decide(t *testing.T, s *policy.Snapshot, params paper.Params) []string {
	t.Helper()
	plan, err := policytest.NewPolicy(t, salus.System().New, params).Decide(s)
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
		} else if d.Verb == policy.Start && d.On[0].Devices != 0 {
			text += " on " + d.On[0].Devices.String()
		}
		out = append(out, text)
	}
	return out
}

// TestSweep: jobs spread over the GPUs, and as many share one as memory or the parameter lets.
func TestSweep(t *testing.T) {
	for name, c := range map[string]struct {
		snapshot *policy.Snapshot
		params   paper.Params
		want     string
	}{
		"four to a GPU": {sweep(2, 9), nil, "1 start; 2 start; 3 start beside 1; 4 start beside 2; 5 start beside 1; 6 start beside 2; 7 start beside 1; 8 start beside 2; 9 wait"},
		"two to a GPU":  {sweep(1, 3), paper.Params{"jobs": 2}, "1 start; 2 start beside 1; 3 wait"},
		"alone":         {sweep(1, 2), paper.Params{"jobs": 1}, "1 start; 2 wait"},
		// 5 x 3 GB and a gigabyte are 16 GB.
		"as memory lets": {sweep(1, 6), paper.Params{"jobs": 16}, "1 start; 2 start beside 1; 3 start beside 1; 4 start beside 1; 5 start beside 1; 6 wait"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(decide(t, c.snapshot, c.params), "; "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// running lets a job hold devices of the node.
func running(j *policy.Job, devices ...int) {
	j.State, j.Start = policy.Running, now.Add(-time.Minute)
	j.On = policy.Alloc{{Node: "n1", Type: "v100", Count: len(devices), Devices: policy.NewDeviceSet(devices...)}}
	j.Ask.GPUs.Count = len(devices)
}

// TestWhoSharesNot: one that runs on GPUs of which it is not known which they are, on several, whose owner
// accepts no neighbour, whose memory is not known or on a GPU of unknown memory.
func TestWhoSharesNot(t *testing.T) {
	for name, spoil := range map[string]func(*policy.Snapshot){
		"several GPUs":      func(s *policy.Snapshot) { running(&s.Jobs[0], 0, 1) },
		"which is unknown":  func(s *policy.Snapshot) { s.Jobs[0].On[0].Devices = 0 },
		"its owner":         func(s *policy.Snapshot) { s.Jobs[0].Shareable = false },
		"another user's":    func(s *policy.Snapshot) { s.Jobs[0].User = "v" },
		"its memory":        func(s *policy.Snapshot) { s.Jobs[0].Sharing.MemMB = 0 },
		"the memory of two": func(s *policy.Snapshot) { s.Jobs[0].Sharing.MemMB = 12289 },
		"the other's":       func(s *policy.Snapshot) { s.Jobs[2].Sharing = nil },
		"the GPU's":         func(s *policy.Snapshot) { s.Nodes[0].GPUs[0].MemMB = 0 },
		"the other accepts": func(s *policy.Snapshot) { s.Jobs[2].Sharing.JobsPerGPU = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			s := sweep(2, 3)
			running(&s.Jobs[0], 0)
			running(&s.Jobs[1], 1)
			s.Jobs[1].Shareable = false
			if got := decide(t, s, nil)[2]; got != "3 start on 0" {
				t.Fatalf("nothing is spoilt yet: %s", got)
			}
			if spoil(s); decide(t, s, nil)[2] != "3 wait" {
				t.Errorf("%s", decide(t, s, nil)[2])
			}
		})
	}
}

// TestOrder: who is first of those that wait.
func TestOrder(t *testing.T) {
	for by, want := range map[string]string{"pack": "2 start; 3 wait", "srtf": "2 wait; 3 start", "fair": "2 wait; 3 start"} {
		s := sweep(2, 3)
		running(&s.Jobs[0], 0)
		for i := range s.Jobs {
			s.Jobs[i].Shareable = false
		}
		s.Jobs[0].Attained, s.Jobs[2].User, s.Jobs[1].Limit = 100, "v", 2*time.Hour
		if got := strings.Join(decide(t, s, paper.Params{"by": by})[1:], "; "); got != want {
			t.Errorf("%s: %s, want %s", by, got, want)
		}
	}
}
