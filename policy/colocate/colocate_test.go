package colocate_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/colocate"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
	"fairbridge/policy/pool"
)

// newRound is a round on a node of so many GPUs of 40 GB.
func newRound(gpus int, jobs ...policy.Job) *engine.Round {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Jobs: jobs, Nodes: []policy.Node{{Name: "n1", Partitions: []string{"p"}, GPUs: []policy.NodeDevices{{Type: "g", Count: gpus, MemMB: 40_000}}}}}
	r := &engine.Round{Snapshot: s, FreePool: pool.New(s)}
	for i := range s.Jobs {
		r.Entries = append(r.Entries, &engine.Entry{Job: &s.Jobs[i], Index: i, PlannedAlloc: s.Jobs[i].On, WantedDeviceCount: max(s.Jobs[i].Ask.GPUs.Count, s.Jobs[i].On.Count())})
	}
	return r
}

// sharer is a job that accepts three neighbours, and whose GPUs compute that share of the time.
func sharer(id, gpus int, busy float64) policy.Job {
	return policy.Job{ID: policy.JobID(id), User: "u", Account: "a", Partition: "p", State: policy.Pending, Arrive: policytest.SnapshotTime.Add(-time.Hour), Shareable: true,
		Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: gpus}}, Sharing: &policy.Sharing{JobsPerGPU: 4, AcceptsOtherUsers: true, MemMB: 1000, Utilisation: policy.KnownValue(busy)}}
}

// TestSpeeds: by stages where all tell them, as published for packs of Muri; else by use, and not known where one computes most
// of the time, tells nothing, or they are too many.
func TestSpeeds(t *testing.T) {
	staged := func(step float64, stages ...float64) policy.Job {
		j := sharer(1, 8, .1)
		j.Sharing.StepSeconds, j.Sharing.StageSeconds = step, stages
		return j
	}
	vgg16, dqn := staged(.21721, .082, .075, .066), staged(.516635, .435, .008, .0005)
	unknown := sharer(1, 1, 0)
	unknown.Sharing.Utilisation = policy.OptionalValue{}
	tiny, medium := sharer(1, 1, .2), sharer(1, 1, .4)
	for name, c := range map[string]struct {
		jobs  []policy.Job
		want  []float64
		known bool
	}{
		"alone, and nothing is known": {[]policy.Job{unknown}, []float64{1}, true},
		"by stages":                   {[]policy.Job{vgg16, dqn}, []float64{.330540, .786190}, true},
		"one tells its stages":        {[]policy.Job{vgg16, tiny}, []float64{.9604, .9604}, true}, // .99 at .3 together, one in ten .96
		"two tiny ones":               {[]policy.Job{tiny, tiny}, []float64{.9246, .9246}, true},  // no job is faster than alone
		"two that compute half":       {[]policy.Job{medium, medium}, []float64{.8932, .8932}, true},
		"one and a half":              {[]policy.Job{medium, medium, tiny}, nil, false},
		"one computes most":           {[]policy.Job{tiny, sharer(1, 1, .6)}, nil, false},
		"one is not known":            {[]policy.Job{tiny, unknown}, nil, false},
		"too many":                    {[]policy.Job{tiny, tiny, tiny, tiny, tiny}, nil, false},
	} {
		got, known := new(colocate.Model).SpeedsOf(newRound(8, c.jobs...).Entries)
		if known != c.known {
			t.Errorf("%s: known %v, want %v", name, known, c.known)
		}
		for i, want := range c.want {
			if math.Abs(got[i]-want) > 1e-3 {
				t.Errorf("%s: job %d goes at %.4f, want %.4f", name, i, got[i], want)
			}
		}
	}
}

// TestPartsWhileGPUsAreLeft: four jobs share one GPU, two each of two, and none shares where there are four.
func TestPartsWhileGPUsAreLeft(t *testing.T) {
	for gpus, want := range map[int][]int{1: {4}, 2: {2, 2}, 3: {1, 1, 2}, 4: {1, 1, 1, 1}, 9: {1, 1, 1, 1}} {
		r := newRound(gpus, sharer(1, 1, .1), sharer(2, 1, .1), sharer(3, 1, .1), sharer(4, 1, .1))
		var got []int
		for _, p := range choose(r, colocate.Terms{Jobs: 4}, func(*engine.Entry) float64 { return 1 }, 1) {
			got = append(got, len(p.Jobs()))
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%d GPUs: packs of %v, want %v", gpus, got, want)
		}
	}
}

// choose chooses packs of all entries, in their order; the first so many have a lease.
func choose(r *engine.Round, terms colocate.Terms, worth func(*engine.Entry) float64, leases int) []colocate.Pack {
	units := colocate.ListUnits(r, r.Entries, terms.Regroups, func(*engine.Entry) bool { return true })
	for i := range min(leases, len(units)) {
		units[i].HasLease = true
	}
	c := colocate.Chooser{Terms: terms, Round: r, WorthOf: worth, LeftOf: func(e *engine.Entry) float64 { return math.Pow(5, -float64(e.ID)) }, Budget: grant.CountGrantableDevices(r)}
	return c.Choose(units)
}

// TestChooserLaws: every job is in one pack at most and every one that has a lease in one; packs are of jobs of as many GPUs that
// accept each other, and need no more GPUs than there are; and who does not accept neighbours is alone.
func TestChooserLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gpus := rapid.IntRange(1, 16).Draw(t, "GPUs")
		var jobs []policy.Job
		leased, leases := 0, 0
		for i := range rapid.IntRange(0, 20).Draw(t, "jobs") {
			j := sharer(i+1, rapid.SampledFrom([]int{1, 1, 2, 4}).Draw(t, "size"), rapid.Float64Range(0, .7).Draw(t, "busy"))
			j.Shareable, j.Sharing.MemMB = rapid.Bool().Draw(t, "shareable"), rapid.Int64Range(0, 20_000).Draw(t, "memory")
			if leased+j.Ask.GPUs.Count <= gpus && leases == i {
				leased, leases = leased+j.Ask.GPUs.Count, i+1
			}
			jobs = append(jobs, j)
		}
		r := newRound(gpus, jobs...)
		seen, used := map[policy.JobID]bool{}, 0
		for _, p := range choose(r, colocate.Terms{Jobs: rapid.IntRange(1, 4).Draw(t, "most"), LeastSpeed: .5}, func(e *engine.Entry) float64 { return 1 / float64(e.ID) }, leases) {
			group := p.Jobs()
			used += group[0].Ask.GPUs.Count
			memMB := int64(policy.SharedMemMarginMB)
			for i, e := range group {
				memMB += e.Sharing.MemMB
				if seen[e.ID] || len(group) > 1 && (!e.Shareable || e.Sharing.MemMB == 0) || e.Ask.GPUs.Count != group[0].Ask.GPUs.Count || i > 0 && !e.AcceptsNeighbour(group[0].Job) {
					t.Fatalf("job %d of a pack of %d", e.ID, len(group))
				}
				seen[e.ID] = true
			}
			if len(group) > 1 && memMB > 40_000 {
				t.Fatalf("a pack of %d MB", memMB)
			}
		}
		for i := range leases {
			if !seen[jobs[i].ID] {
				t.Fatalf("job %d has a lease, and is in no pack", jobs[i].ID)
			}
		}
		if used > gpus {
			t.Fatalf("packs on %d GPUs of %d", used, gpus)
		}
	})
}

// TestAssignAnew: packs keep the GPUs that one of their jobs has, others of their jobs move there, and who is in none leaves
// GPUs that others get.
func TestAssignAnew(t *testing.T) {
	jobs := []policy.Job{sharer(1, 1, .1), sharer(2, 1, .1), sharer(3, 1, .1), sharer(4, 2, .1)}
	for i := range 3 {
		jobs[i].State, jobs[i].On = policy.Running, policy.Alloc{{Node: "n1", Type: "g", Count: 1, Devices: policy.NewDeviceSet(i)}}
	}
	r := newRound(3, jobs...)
	var got []string
	e := r.Entries
	for _, a := range colocate.AssignAnew(r, e, [][]*engine.Entry{{e[0], e[1]}, {e[3]}}) {
		got = append(got, fmt.Sprintf("%d lease %v on %v beside %d stops %v", a.Entry.ID, a.Grant.HasLease, a.Alloc, a.BesideJob, a.Grant.StopReason != ""))
	}
	want := []string{"1 lease true on n1:1×g[2] beside 0 stops false", "2 lease true on n1:1×g[2] beside 1 stops false", "3 lease false on  beside 0 stops true", "4 lease true on n1:2×g[0-1] beside 0 stops false"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
