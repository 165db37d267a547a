package backfill_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
)

// TestConservative compares with a calendar of hours on one node, where
// counting GPUs is exact: every job in turn takes the first hours that are
// free for its whole length, and those that got the present one start.
func TestConservative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		depth := rapid.SampledFrom([]int{1, 2, 500}).Draw(t, "depth")
		s := drawQueue(t)
		plan := decide(t, engine.Pipeline{Backfill: &backfill.Conservative{MaxReservations: depth, Horizon: 100 * time.Hour}}, s)
		var got []policy.JobID
		for _, d := range plan.Decisions {
			if d.Verb == policy.Start {
				got = append(got, d.Job)
			}
		}
		if want := calendar(s, depth); !slices.Equal(got, want) {
			t.Fatalf("starts %v, want %v", got, want)
		}
	})
}

// drawQueue draws a node of 8 GPUs and jobs of whole hours.
func drawQueue(t *rapid.T) *policy.Snapshot {
	s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}}}}
	if rapid.Bool().Draw(t, "maintenance") {
		from := rapid.IntRange(0, 5).Draw(t, "from")
		s.Nodes[0].Windows = []policy.Window{{Name: "m", From: now.Add(time.Duration(from) * time.Hour), To: now.Add(time.Duration(from+rapid.IntRange(1, 5).Draw(t, "for")) * time.Hour)}}
	}
	if w := s.Nodes[0].Windows; len(w) > 0 && w[0].From.Equal(now) && rapid.Bool().Draw(t, "down") {
		s.Nodes[0].DownReason, w[0].IsUnderWay = "MAINTENANCE", true
	}
	free := 8
	for i := range rapid.IntRange(1, 12).Draw(t, "jobs") {
		j := policy.Job{ID: policy.JobID(i + 1), Partition: "p", State: policy.Pending, Arrive: now.Add(time.Duration(i-60) * time.Second)}
		j.Limit = time.Duration(rapid.IntRange(1, 6).Draw(t, "limit")) * time.Hour
		j.Ask = policy.Ask{GPUs: policy.GPUs{Type: rapid.SampledFrom([]string{"", "a100"}).Draw(t, "type"), Count: rapid.IntRange(1, 8).Draw(t, "count")}}
		if n := j.Ask.GPUs.Count; n <= free && rapid.Bool().Draw(t, "runs") {
			free -= n
			j.State, j.Start, j.On = policy.Running, now, policy.Alloc{{Node: "n1", Type: "a100", Count: n}}
		}
		s.Jobs = append(s.Jobs, j)
	}
	return s
}

// calendar returns the jobs that conservative backfilling starts; those after
// the depth reserve nothing.
func calendar(s *policy.Snapshot, depth int) (starts []policy.JobID) {
	hours := slices.Repeat([]int{8}, 200)
	for _, w := range s.Nodes[0].Windows {
		for h := range hours {
			if at := now.Add(time.Duration(h) * time.Hour); !at.Before(w.From) && at.Before(w.To) {
				hours[h] = 0
			}
		}
	}
	fits := func(j *policy.Job, at int) bool {
		for h := at; h < at+int(j.Limit.Hours()); h++ {
			if hours[h] < j.Ask.GPUs.Count {
				return false
			}
		}
		return true
	}
	take := func(j *policy.Job, at int) {
		for h := at; h < at+int(j.Limit.Hours()); h++ {
			hours[h] -= j.Ask.GPUs.Count
		}
	}
	for i := range s.Jobs {
		if s.Jobs[i].HoldsGPUs() {
			take(&s.Jobs[i], 0)
		}
	}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		switch {
		case j.HoldsGPUs():
		case fits(j, 0):
			take(j, 0)
			starts = append(starts, j.ID)
		case depth > 0:
			depth--
			at := 1
			for !fits(j, at) {
				at++
			}
			take(j, at)
		}
	}
	return starts
}

// A job that lacks cores for ten hours keeps no GPUs until then.
func TestConservativeKeepsNoGPUsThatCannotBeUsed(t *testing.T) {
	s := &policy.Snapshot{Now: now, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, CPUs: 10, MemMB: 1000,
		GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}, OtherUses: []policy.OtherUse{{CPUs: 54, Until: now.Add(10 * time.Hour)}}}}}
	add := func(gpus, cpus int, limit time.Duration) *policy.Job {
		id := policy.JobID(len(s.Jobs) + 1)
		s.Jobs = append(s.Jobs, policy.Job{ID: id, Partition: "p", State: policy.Pending, Arrive: now.Add(time.Duration(id-60) * time.Second), Limit: limit,
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: gpus}, CPUs: cpus}})
		return &s.Jobs[id-1]
	}
	r := add(1, 1, time.Hour)
	r.State, r.Start, r.On = policy.Running, now.Add(-55*time.Minute), policy.Alloc{{Node: "n1", Type: "a100", Count: 1}}
	add(7, 32, time.Hour)
	add(4, 2, 2*time.Hour)
	plan, err := engine.Pipeline{Backfill: &backfill.Conservative{}}.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if d := plan.Decisions[2]; d.Verb != policy.Start {
		t.Errorf("job 3: %s (%s)", d.Verb, d.Why)
	}
}
