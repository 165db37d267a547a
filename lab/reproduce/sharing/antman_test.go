package sharing

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/neighbours"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// tenantHours is for how long jobs arrive.
const tenantHours = 36

// tenantJobs are those of four tenants of equal quotas on 64 GPUs, two fifths of them opportunistic; the
// others ask for .7 of the GPU time. Each tenant is busy in its own third of a day, and one more than another.
func tenantJobs(seed int64, mayShare bool) []workload.Job {
	r := rand.New(rand.NewPCG(uint64(seed), 13))
	left := .7 / .6 * 64 * tenantHours * 3600
	var jobs []workload.Job
	for left > 0 {
		tenant := []int{0, 0, 0, 1, 1, 2, 2, 3}[r.IntN(8)]
		at := r.Float64() * tenantHours * 3600
		for r.Float64() > .5+.5*math.Sin(2*math.Pi*(at/3600/12+float64(tenant)/4)) {
			at = r.Float64() * tenantHours * 3600
		}
		j := workload.Job{Name: "train", User: fmt.Sprintf("u%d", r.IntN(20)), Account: fmt.Sprintf("t%d", tenant), Arrive: math.Floor(at), GPUs: []int{1, 1, 1, 1, 2, 2, 4, 8}[r.IntN(8)], GPUType: "v100",
			Duration: math.Round(min(max(2400*math.Exp(r.NormFloat64()), 120), 36_000)), IsShareable: mayShare,
			Sharing: &policy.Sharing{AcceptsOtherUsers: true, MemMB: 2048 + r.Int64N(14_000), Utilisation: policy.KnownValue(.1 + .8*r.Float64()), IsOpportunistic: r.Float64() < .4}}
		j.TimeLimit = policy.DurationFromSeconds(3 * j.Duration)
		left -= float64(j.GPUs) * j.Duration
		jobs = append(jobs, j)
	}
	slices.SortFunc(jobs, func(a, b workload.Job) int { return int(a.Arrive - b.Arrive) })
	for i := range jobs {
		jobs[i].ID = int64(i + 1)
	}
	return jobs
}

// tenantRun is a policy on them.
type tenantRun struct {
	busy     float64 // share of the GPU time, while jobs arrive, in which a job was on a GPU
	computes float64 // likewise in which a GPU computed, by the jobs' utilisations alone
	wait     float64 // mean wait of opportunistic jobs
	ownWait  float64 // mean wait of the others
	slowdown float64 // 95th percentile of the run time over that alone, of jobs that were guaranteed ones all along
	stops    int
}

func newTenantRun(t *testing.T, seed int64, mayShare bool, name string, params paper.Params) tenantRun {
	t.Helper()
	jobs := tenantJobs(seed, mayShare)
	nodes := cluster(8, 8, "v100")
	for i := range nodes {
		nodes[i].GPUs[0].MemMB = 32_768
	}
	var accounts []policy.Account
	for i := range 4 {
		accounts = append(accounts, policy.Account{Name: fmt.Sprintf("t%d", i), Weight: 1})
	}
	w := &tenantWatch{wasOpportunistic: map[policy.JobID]bool{}}
	run := simulate(t, exact.Config{Policy: system(t, name, params), Nodes: nodes, Jobs: jobs, Accounts: accounts, Interference: &neighbours.Truth{Seed: uint64(seed)},
		Clock: exact.NewEventClock(time.Minute, 2*time.Minute, time.Minute), WatchDecision: w.look})
	return w.sumUp(jobs, run)
}

// tenantWatch looks at every decision.
type tenantWatch struct {
	begin, last      time.Time
	held, computed   float64 // GPU-seconds
	wasOpportunistic map[policy.JobID]bool
}

func (w *tenantWatch) look(s *policy.Snapshot, plan *policy.Plan) {
	if w.begin.IsZero() {
		w.begin, w.last = s.Now, s.Now
	}
	if until := w.begin.Add(tenantHours * time.Hour); w.last.Before(until) {
		w.addUse(s, min(s.Now.Sub(w.last), until.Sub(w.last)).Seconds())
	}
	w.last = s.Now
	m, _ := policy.Recall[struct{ Guaranteed []policy.JobID }](policy.MemoFromJSON(must(plan.Memo.MarshalJSON())))
	for i := range plan.Decisions {
		d := &plan.Decisions[i]
		if _, is := slices.BinarySearch(m.Guaranteed, d.Job); !is && (d.Verb == policy.Keep || d.Verb == policy.Start) {
			w.wasOpportunistic[d.Job] = true
		}
	}
}

func must(raw []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return raw
}

// addUse adds what jobs held for some seconds.
func (w *tenantWatch) addUse(s *policy.Snapshot, seconds float64) {
	use := map[policy.Slot]float64{}
	for i := range s.Jobs {
		for _, slot := range s.Jobs[i].On {
			if slot.Devices == 0 { // no job shares: the simulator does not tell GPUs apart
				w.held += float64(slot.Count) * seconds
				w.computed += float64(slot.Count) * s.Jobs[i].Sharing.Utilisation.Value * seconds
			}
			for _, d := range slot.Devices.Indexes() {
				use[policy.Slot{Node: slot.Node, Count: d}] += s.Jobs[i].Sharing.Utilisation.Value
			}
		}
	}
	for _, u := range use {
		w.computed += min(u, 1) * seconds
	}
	w.held += float64(len(use)) * seconds
}

func (w *tenantWatch) sumUp(jobs []workload.Job, run *measure.Run) tenantRun {
	var r tenantRun
	var waits, ownWaits, slow []float64
	for i, o := range run.JobOutcomes {
		r.stops += o.StopCount
		if jobs[i].Sharing.IsOpportunistic {
			waits = append(waits, o.Start-o.Arrive)
			continue
		}
		ownWaits = append(ownWaits, o.Start-o.Arrive)
		if !w.wasOpportunistic[policy.JobID(o.ID)] {
			slow = append(slow, o.HeldSeconds/o.ExclusiveRunSeconds)
		}
	}
	slices.Sort(slow)
	if len(slow) > 0 {
		r.slowdown = slow[len(slow)*95/100]
	}
	all := 64 * tenantHours * 3600.
	r.busy, r.computes, r.wait, r.ownWait = w.held/all, w.computed/all, mean(waits), mean(ownWaits)
	return r
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// TestReproduceAntMan: opportunistic jobs on idle GPUs, and beside guaranteed jobs, against quotas alone. In
// a cluster of thousands of GPUs the paper has 34 % more computation.
//
// On idle GPUs alone the fifth more of busy GPUs that is wanted is not reached, nor half of the wait of
// opportunistic jobs: 1.18 and 0.60, medians. All jobs ask for 1.17 of the GPU time and quotas alone keep
// .82 of it busy, so that less than a fourth more is there to be had, of which the hours before the queue has
// formed take their part. With opportunistic jobs on one or two GPUs only, which ask for less,
// it is 1.16 and 0.09. What Slurm does by itself, without quotas, keeps as many GPUs busy.
func TestReproduceAntMan(t *testing.T) {
	for name, c := range map[string]struct {
		mayShare bool
		slowdown float64
	}{"on idle GPUs": {false, 1.03}, "beside others": {true, 1.08}} {
		t.Run(name, func(t *testing.T) {
			var busy, computes, wait, slow, slurm, ownWait []float64
			for seed := int64(1); seed <= 5; seed++ {
				quotas := newTenantRun(t, seed, c.mayShare, "antman", paper.Params{"opportunistic": false})
				plain := newTenantRun(t, seed, c.mayShare, "multifactor", nil)
				ours := newTenantRun(t, seed, c.mayShare, "antman", nil)
				busy, computes = append(busy, ours.busy/quotas.busy), append(computes, ours.computes/quotas.computes)
				wait, slow = append(wait, ours.wait/quotas.wait), append(slow, ours.slowdown)
				slurm, ownWait = append(slurm, ours.computes/plain.computes), append(ownWait, ours.ownWait/plain.ownWait)
			}
			t.Logf("over quotas alone: held %.2f, computing %.2f, wait of opportunistic jobs %.2f; slowdown of guaranteed ones, 95th percentile, %.3f", busy, computes, wait, slow)
			t.Logf("over multifactor: computing %.2f, wait of the others %.2f", slurm, ownWait)
			if m := median(slow); m > c.slowdown {
				t.Errorf("guaranteed jobs take %.3f of their time alone, want %.2f", m, c.slowdown)
			}
			if !c.mayShare {
				return
			}
			if m := median(computes); m < 1.2 {
				t.Errorf("GPUs compute %.2f of the time they do under quotas alone, want 1.2", m)
			}
			if m := median(wait); m > .5 {
				t.Errorf("opportunistic jobs wait %.2f of the time they do under quotas alone, want .5", m)
			}
		})
	}
}
