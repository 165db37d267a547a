package antman

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/share"
)

// class is what a job is in a round.
type class int

const (
	guaranteed    class = iota
	beyond              // its account uses none of its quota, and could not run it within the quota
	opportunistic       // it runs on what others leave
	refused             // it waits for its account's quota
)

// classes says what each job is. It is the engine's Admitter and Allocator, for one round.
type classes struct {
	*Policy
	was    memo
	of     []class            // in Entries order; nil: not made yet
	quota  map[string]float64 // GPUs, by account
	used   map[string]float64 // of them, by guaranteed jobs that run or may start
	leaves []string           // why a running job has to leave, in Entries order; "": it need not
	hurt   map[policy.JobID]bool
	steps  []seenSteps // of guaranteed jobs beside opportunistic ones
}

// rounding is how far a sum of parts of GPUs may be off.
const rounding = 1e-9

// isOpportunistic reports whether the job runs, or would, on what others leave.
func (c *classes) isOpportunistic(e *engine.Entry) bool { return c.of[e.Index] == opportunistic }

// prepare makes the classes: jobs that ran as guaranteed ones stay so, then those that run, the first
// to start before the others, and then those that wait, by arrival, as long as there is quota. An account whose
// jobs are then all refused gets the first of them: by the quota alone it would never run.
func (c *classes) prepare(r *engine.Round) {
	if c.of != nil {
		return
	}
	c.of, c.used, c.quota = make([]class, len(r.Entries)), map[string]float64{}, c.makeQuotas(r)
	line := slices.Clone(r.Entries)
	slices.SortFunc(line, func(a, b *engine.Entry) int {
		if c := cmp.Compare(c.seniority(a), c.seniority(b)); c != 0 {
			return c
		}
		return engine.CompareTenure(a, b)
	})
	for _, e := range line {
		c.of[e.Index] = c.classify(r, e)
		if c.of[e.Index] == guaranteed && r.MayRun(e) && r.CheckEverFits(e) == nil {
			c.used[e.Account] += gpusOf(e)
		}
	}
	for _, e := range line {
		if c.of[e.Index] == refused && c.used[e.Account] == 0 && r.CheckEverFits(e) == nil {
			c.of[e.Index], c.used[e.Account] = beyond, gpusOf(e)
		}
	}
	c.watch(r)
}

// seniority puts jobs that cannot be stopped or are guaranteed already before the others.
func (c *classes) seniority(e *engine.Entry) int {
	if !e.HoldsGPUs() {
		return 1
	}
	if _, is := slices.BinarySearch(c.was.Guaranteed, e.ID); is || !c.mayLeave(e) {
		return 0
	}
	return 1
}

// classify says what the job is, with what those before it use of the quotas.
func (c *classes) classify(r *engine.Round, e *engine.Entry) class {
	explicit := e.IsOpportunistic() && c.mayLeave(e)
	hasQuota := c.used[e.Account]+gpusOf(e) <= c.quota[e.Account]+rounding
	switch {
	case !c.Opportunistic && e.HoldsGPUs():
		return guaranteed
	case c.Opportunistic && explicit:
		return opportunistic
	case hasQuota || c.seniority(e) == 0 || !r.MayRun(e) || c.MaxWait > 0 && e.Waited(r.Now) > c.MaxWait:
		return guaranteed
	case !c.Opportunistic || !c.mayLeave(e):
		return refused
	case e.HoldsGPUs() || c.exceedsQuota(e) || e.Waited(r.Now) >= c.Downgrade:
		return opportunistic
	}
	return refused
}

// mayLeave reports whether the job may be stopped, now or later.
func (c *classes) mayLeave(e *engine.Entry) bool {
	return e.UnstoppableReason == "" && e.State != policy.Suspended && (c.MaxStops <= 0 || e.StopCount < c.MaxStops) &&
		(!e.HoldsGPUs() || len(e.On) > 0)
}

// exceedsQuota reports whether the quota of the job's account would not be enough for it alone.
func (c *classes) exceedsQuota(e *engine.Entry) bool { return gpusOf(e) > c.quota[e.Account]+rounding }

// gpusOf is what the job holds, or asks when it holds nothing, in whole GPUs.
func gpusOf(e *engine.Entry) float64 {
	return policy.GPUs{Count: e.DeviceCount(), PartPercent: e.Ask.GPUs.PartPercent}.WholeGPUs()
}

// makeQuotas returns the quota of every account: as given, else its part of all GPUs by weight among the
// accounts that have no others below them and those with jobs.
func (c *classes) makeQuotas(r *engine.Round) map[string]float64 {
	want := map[string]bool{}
	for _, a := range r.Accounts {
		want[a.Name] = !slices.ContainsFunc(r.Accounts, func(o policy.Account) bool { return o.Parent == a.Name })
	}
	for name, leaf := range want {
		if !leaf {
			delete(want, name)
		}
	}
	for _, e := range r.Entries {
		want[e.Account] = true
	}
	quotas, all := share.WeightsAmong(r.Snapshot, want), r.WholeGPUs()
	for name := range quotas {
		if given, is := c.Quotas[name]; is {
			quotas[name] = given
			continue
		}
		quotas[name] *= all
	}
	return quotas
}

// Admit implements engine.Admitter.
func (c *classes) Admit(r *engine.Round, e *engine.Entry) error {
	if c.prepare(r); c.of[e.Index] != refused {
		return nil
	}
	later := ""
	switch {
	case c.exceedsQuota(e):
		later = "; it may start when they use none"
	case c.Opportunistic && c.mayLeave(e):
		later = "; after " + policy.FormatDuration(c.Downgrade) + " of waiting what others leave is enough for it"
	}
	return fmt.Errorf("account %s is guaranteed %s, its guaranteed jobs use %.4g of them, and it asks %.4g%s", e.Account, formatGPUs(c.quota[e.Account]), c.used[e.Account], gpusOf(e), later)
}

// formatGPUs prints whole GPUs, rounded down.
func formatGPUs(gpus float64) string {
	return policy.FormatCount(int(math.Min(gpus+rounding, 1e9)), "GPU")
}

// Allocate implements engine.Allocator: guaranteed jobs first, opportunistic ones last, and of those that have to
// leave, why. Of opportunistic jobs the last to start is the first to leave.
func (c *classes) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	c.prepare(r)
	line := slices.Clone(r.Entries)
	slices.SortFunc(line, func(a, b *engine.Entry) int {
		return cmp.Or(cmp.Compare(c.of[a.Index], c.of[b.Index]), engine.CompareTenure(a, b))
	})
	assignments := make([]engine.Assignment, len(line))
	for i, e := range line {
		assignments[i] = e.AssignmentWithoutLease()
		assignments[i].Grant.StopReason = c.leaves[e.Index]
		if !r.OmitReasons {
			assignments[i].Note = c.noteFor(e)
		}
	}
	return assignments, nil
}

// noteFor says what the job is, and why.
func (c *classes) noteFor(e *engine.Entry) string {
	switch {
	case c.of[e.Index] == beyond:
		return fmt.Sprintf("on what guaranteed jobs leave; account %s uses none of its quota of %s",
			e.Account, formatGPUs(c.quota[e.Account]))
	case !c.isOpportunistic(e):
		return "guaranteed; account " + e.Account + " has a quota of " + formatGPUs(c.quota[e.Account])
	case e.IsOpportunistic():
		return "opportunistic, as its owner says"
	}
	return "opportunistic, until account " + e.Account + " has quota left for it, of " + formatGPUs(c.quota[e.Account])
}
