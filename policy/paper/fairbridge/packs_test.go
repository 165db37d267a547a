package fairbridge_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/fairbridge"
)

// withProfiles is fairbridge where every job whose owner accepts neighbours tells how it does beside them.
type withProfiles struct{ policy.Policy }

func (w withProfiles) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	s = s.Clone()
	for i := range s.Nodes {
		for k := range s.Nodes[i].GPUs {
			s.Nodes[i].GPUs[k].MemMB = 40_000
		}
	}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if !j.Shareable {
			continue
		}
		j.Sharing = &policy.Sharing{AcceptsOtherUsers: true, MemMB: 1000 * int64(1+j.ID%25), Utilisation: policy.KnownValue(float64(j.ID%10) / 10)}
		if j.ID%3 == 0 {
			j.Sharing.StageSeconds = []float64{float64(j.ID % 5), float64(1 + j.ID%2), 0}
		}
	}
	return w.Policy.Decide(s)
}

// TestLawsWithProfiles: all laws hold where jobs share GPUs, whether those that run stay where they are or not.
func TestLawsWithProfiles(t *testing.T) {
	for name, params := range map[string]paper.Params{
		"stay":    {"min_run": "1s", "jobs": 2},
		"regroup": {"min_run": "1s", "max_stops": -1, "regroup": true, "least_speed": .01, "jobs": 4, "by": "service"},
	} {
		t.Run(name, func(t *testing.T) {
			policytest.CheckLaws(t, func() policy.Policy {
				return withProfiles{policytest.NewPolicy(t, fairbridge.System().New, params)}
			}, policytest.StopsMayCascade, policytest.LeasesIgnorePlacement)
		})
	}
}

// sharers is a node of so many GPUs of 40 GB and jobs of one user that ask for one each, of 10 GB, which compute a fifth of the time;
// one whose name ends in * runs, on the GPU of its number. The name is how many hours it has left.
func sharers(gpus int, names ...string) *policy.Snapshot {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "g", Count: gpus, MemMB: 40_000}}}}}
	for i, name := range names {
		hours, runs := strings.CutSuffix(name, "*")
		left, _ := time.ParseDuration(hours + "h")
		j := policy.Job{ID: policy.JobID(i + 1), User: "u", Account: "a", Partition: "p", State: policy.Pending, Arrive: s.Now.Add(-time.Hour), Submit: s.Now.Add(-time.Hour),
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 1}}, PredictedLeft: left, Shareable: true, Sharing: &policy.Sharing{MemMB: 10_000, Utilisation: policy.KnownValue(.2)}}
		if runs {
			j.State, j.Start, j.On = policy.Running, s.Now.Add(-30*time.Minute), policy.Alloc{{Node: "n1", Type: "g", Count: 1, Devices: policy.NewDeviceSet(i)}}
		}
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

func decideSharing(t *testing.T, s *policy.Snapshot, params paper.Params) string {
	t.Helper()
	plan, err := policytest.NewPolicy(t, fairbridge.System().New, params).Decide(s)
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

// TestWhoShares: those whose owners accept each other, whose memory is known to fit, and who are known to gain.
func TestWhoShares(t *testing.T) {
	const shared, alone = "1 keep; 2 start beside 1", "1 stop; 2 start" // the shorter one, alone on the GPU
	other := func(s *policy.Snapshot) { s.Jobs[1].User, s.Jobs[1].Account = "v", "b" }
	for name, c := range map[string]struct {
		change func(*policy.Snapshot)
		params paper.Params
		want   string
	}{
		"of one user":                         {func(*policy.Snapshot) {}, nil, shared},
		"no job shares":                       {func(*policy.Snapshot) {}, paper.Params{"jobs": 1}, alone},
		"of two users":                        {other, nil, alone},
		"of two users who accept each other":  {func(s *policy.Snapshot) { other(s); acceptAll(s, 0, 1) }, nil, shared},
		"one of two users accepts the other":  {func(s *policy.Snapshot) { other(s); acceptAll(s, 0) }, nil, alone},
		"the host did not opt in":             {func(s *policy.Snapshot) { s.Jobs[0].Shareable = false }, nil, alone},
		"it did not opt in":                   {func(s *policy.Snapshot) { s.Jobs[1].Shareable = false }, nil, alone},
		"they were parted":                    {func(s *policy.Snapshot) { s.Jobs[1].Sharing.Apart = []policy.JobID{1} }, nil, alone},
		"memory is short of the margin":       {func(s *policy.Snapshot) { s.Jobs[1].Sharing.MemMB = 29_001 }, nil, alone},
		"memory is just enough":               {func(s *policy.Snapshot) { s.Jobs[1].Sharing.MemMB = 28_976 }, nil, shared},
		"its memory is not known":             {func(s *policy.Snapshot) { s.Jobs[1].Sharing.MemMB = 0 }, nil, alone},
		"the memory of the GPUs is not known": {func(s *policy.Snapshot) { s.Nodes[0].GPUs[0].MemMB = 0 }, nil, alone},
		"the GPUs are given to one only":      {func(s *policy.Snapshot) { s.Nodes[0].GPUs[0].OnlyWhole = true }, nil, alone},
		"its use is not known":                {func(s *policy.Snapshot) { s.Jobs[1].Sharing.Utilisation = policy.OptionalValue{} }, nil, alone},
		"nothing is known of the host":        {func(s *policy.Snapshot) { s.Jobs[0].Sharing = nil }, nil, alone},
		"it computes most of the time":        {func(s *policy.Snapshot) { s.Jobs[1].Sharing.Utilisation = policy.KnownValue(.6) }, nil, alone},
		"half of the time each":               {func(s *policy.Snapshot) { compute(s, .5, .5) }, nil, shared},
		"would be slower than wanted":         {func(s *policy.Snapshot) { compute(s, .5, .5) }, paper.Params{"least_speed": .95}, alone},
	} {
		t.Run(name, func(t *testing.T) {
			s := sharers(1, "20*", "10")
			c.change(s)
			if got := decideSharing(t, s, c.params); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func acceptAll(s *policy.Snapshot, jobs ...int) {
	for _, i := range jobs {
		s.Jobs[i].Sharing.AcceptsOtherUsers = true
	}
}

func compute(s *policy.Snapshot, shares ...float64) {
	for i, v := range shares {
		s.Jobs[i].Sharing.Utilisation = policy.KnownValue(v)
	}
}

// TestSharingFollowsTheLine: no job shares while there are GPUs for all; who would run without sharing runs; and the work worth the
// most joins first.
func TestSharingFollowsTheLine(t *testing.T) {
	for name, c := range map[string]struct {
		snapshot *policy.Snapshot
		params   paper.Params
		want     string
	}{
		"a GPU is free":                     {sharers(3, "20*", "10"), nil, "1 keep; 2 start"},
		"two GPUs are free":                 {sharers(3, "20*", "10", "5"), nil, "1 keep; 2 start; 3 start"},
		"the shortest joins":                {sharers(1, "20*", "30", "10"), nil, "1 keep; 2 wait; 3 start beside 1"},
		"three accept that":                 {agreed(sharers(1, "20*", "30", "10")), paper.Params{"jobs": 4}, "1 keep; 2 start beside 1; 3 start beside 1"},
		"both wait":                         {sharers(1, "20", "10"), nil, "1 start beside 2; 2 start"},
		"it outlasts its host, and is next": {sharers(1, "5*", "10"), nil, "1 keep; 2 start beside 1"},
		"it outlasts its host, and is not":  {minds(sharers(1, "5*", "8", "10"), 2), nil, "1 keep; 2 wait; 3 wait"},
		"it ends before its host, not next": {minds(sharers(1, "30*", "2", "4"), 2), paper.Params{"min_run": "1h"}, "1 keep; 2 wait; 3 start beside 1"},
		"the shorter does not push":         {sharers(2, "20*", "30*", "10"), nil, "1 keep; 2 keep; 3 start beside 1"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := decideSharing(t, c.snapshot, c.params); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// minds lets a job accept no neighbours.
func minds(s *policy.Snapshot, job int) *policy.Snapshot {
	s.Jobs[job-1].Shareable = false
	return s
}

// agreed lets all jobs accept three neighbours.
func agreed(s *policy.Snapshot) *policy.Snapshot {
	for i := range s.Jobs {
		s.Jobs[i].Sharing.JobsPerGPU = 4
	}
	return s
}

// TestRegroups: a job that runs leaves its GPU for that of another where room is wanted, only if it may. The second is
// the longest, on which the end of all work depends.
func TestRegroups(t *testing.T) {
	s := sharers(2, "20*", "30*", "10")
	s.Jobs[2].Shareable, s.Jobs[2].Ask.GPUs.Count = false, 1
	if got, want := decideSharing(t, s, paper.Params{"regroup": true, "min_run": "1s"}), "1 move beside 2; 2 keep; 3 start"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := decideSharing(t, s, paper.Params{"min_run": "1s"}), "1 stop; 2 keep; 3 start"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
