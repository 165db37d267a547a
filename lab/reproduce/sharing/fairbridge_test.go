package sharing

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/generate"
	"fairbridge/lab/neighbours"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/policy/paper"
	"fairbridge/replica/measure"
	"fairbridge/replica/paired"
	"fairbridge/replica/workload"
)

// sharedDay is a day of Helios' kind that asks 64 GPUs of 24 GB for half as much again as they have. Half of the jobs may be stopped. The
// owners of a part of all jobs, with the smaller parts within the larger, accept neighbours and declare what they use.
type sharedDay struct {
	jobs     []workload.Job // by id, from 1
	accounts []policy.Account
}

func newSharedDay(seed int64, part float64) sharedDay {
	day := generate.DayDrawer{ClusterGPUs: 64, OfferedLoad: 1.5}
	d := sharedDay{drawSharing(day, seed), day.DrawAccounts(seed)}
	chance := rand.New(rand.NewPCG(uint64(seed), 17))
	for i := range d.jobs {
		d.jobs[i].IsShareable = chance.Float64() < part
		d.jobs[i].CPUs, d.jobs[i].MemMB = 0, 0
	}
	return d
}

// declared is a policy that is told what owners who accept neighbours declare of their jobs.
type declared struct {
	policy.Policy
	jobs []workload.Job // by id, from 1
}

// Decide implements policy.Policy.
func (d declared) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	told := *s
	told.Jobs = slices.Clone(s.Jobs)
	for i := range told.Jobs {
		if j := &told.Jobs[i]; j.Shareable {
			j.Sharing = d.jobs[j.ID-1].Sharing
		}
	}
	return d.Policy.Decide(&told)
}

// run runs a policy with the parameters it has live. It knows run times by a log-normal error, and a stop costs 40 s.
func (d sharedDay) run(t *testing.T, seed int64, name string, params paper.Params) *measure.Run {
	t.Helper()
	e, err := catalogue.FindSystem(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.New(params)
	if err != nil {
		t.Fatal(err)
	}
	nodes := cluster(8, 8, "v100")
	for i := range nodes {
		nodes[i].GPUs[0].MemMB = gpuMemMB
	}
	return simulate(t, exact.Config{Policy: declared{p, d.jobs}, Nodes: nodes, Jobs: d.jobs, Accounts: d.accounts, Seed: seed, Interference: &neighbours.Truth{Seed: uint64(seed)},
		RunTimes: newGuesses(d.jobs), Clock: exact.NewEventClock(time.Minute, 10*time.Minute, 40*time.Second)})
}

// only is a run with the outcomes of jobs that share, or of those that do not.
func (d sharedDay) only(run *measure.Run, shareable bool) *measure.Run {
	of := *run
	of.JobOutcomes = slices.DeleteFunc(slices.Clone(run.JobOutcomes), func(j measure.JobOutcome) bool { return d.jobs[j.ID-1].IsShareable != shareable })
	return &of
}

// sharedDays are runs of some days, by seed: with sharing, without, and of what Slurm does by itself.
type sharedDays struct{ shared, alone, slurm []*measure.Run }

func (s *sharedDays) add(pick func(*measure.Run) *measure.Run, shared, alone, slurm *measure.Run) {
	s.shared, s.alone, s.slurm = append(s.shared, pick(shared)), append(s.alone, pick(alone)), append(s.slurm, pick(slurm))
}

// show logs what sharing changes, and returns the medians of the ratios of mean completion times: over that without, and
// over Slurm alone.
func (s *sharedDays) show(t *testing.T, what string) (overAlone, overSlurm float64) {
	f := paired.NewSet(8, nil)
	alone, slurm := f.Compare(what, s.shared, s.alone), f.Compare(what, s.shared, s.slurm)
	for _, key := range []string{"mean_completion_s", "mean_slowdown", "slowdown_gpus_1", "slowdown_gpus_2_to_4", "slowdown_gpus_5_to_8", "slowdown_gpus_from_9", "worst_account_slowdown"} {
		i := f.FigureIndex(key)
		t.Logf("%s: %s: %s of that without sharing, %s of that of Slurm alone", what, key, f.Figures[i].FormatSpread(alone.Spreads[i]), f.Figures[i].FormatSpread(slurm.Spreads[i]))
	}
	t.Logf("%s: worse than without sharing: %q, than Slurm alone: %q", what, f.DescribeLosers(&alone), f.DescribeLosers(&slurm))
	i := f.FigureIndex("mean_completion_s")
	return alone.Spreads[i].Median, slurm.Spreads[i].Median
}

// TestReproduceFairbridgeShares: where all accept neighbours, jobs are done sooner than without sharing, and where some do the others
// are done as soon as without.
func TestReproduceFairbridgeShares(t *testing.T) {
	parts, seeds := []float64{.1, 1. / 3, 1}, 5
	base := make([]sharedDays, seeds)
	for i := range base {
		d := newSharedDay(int64(i+1), 1)
		base[i].alone, base[i].slurm = []*measure.Run{d.run(t, int64(i+1), "fairbridge", paper.Params{"jobs": 1})}, []*measure.Run{d.run(t, int64(i+1), "multifactor", nil)}
	}
	for _, part := range parts {
		var all, sharers, others sharedDays
		for i := range base {
			d := newSharedDay(int64(i+1), part)
			s, a, m := d.run(t, int64(i+1), "fairbridge", nil), base[i].alone[0], base[i].slurm[0]
			all.add(func(r *measure.Run) *measure.Run { return r }, s, a, m)
			sharers.add(func(r *measure.Run) *measure.Run { return d.only(r, true) }, s, a, m)
			others.add(func(r *measure.Run) *measure.Run { return d.only(r, false) }, s, a, m)
		}
		what := fmt.Sprintf("%.2f share", part)
		overAlone, overSlurm := all.show(t, what+", all jobs")
		if part == 1 {
			if overAlone > 1 || overSlurm > .8 {
				t.Errorf("all share: mean completion %.3f of that without, %.3f of that of Slurm alone, want 1 and .8 at most", overAlone, overSlurm)
			}
			continue
		}
		sharers.show(t, what+", those")
		if over, _ := others.show(t, what+", the others"); over > 1.02 || overAlone > 1.01 {
			t.Errorf("%s: mean completion of the others %.3f of that without, of all %.3f, want 1.02 and 1.01 at most", what, over, overAlone)
		}
	}
}
