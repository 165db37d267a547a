package themis

import (
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/grant"
	"fairbridge/policy/predict"
	"fairbridge/policy/solve/market"
)

// arbiter is an engine.Allocator: it offers the GPUs whose lease ended.
type arbiter struct {
	*Policy
	lastLeases      *leases // as remembered
	now             time.Time
	clusterGPUCount float64 // that are up
	jobs            []job   // in Entries order, by Allocate
}

// Allocate implements engine.Allocator: the job with the worst ρ first.
func (a *arbiter) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	a.assessJobs(r)
	line := make([]*job, len(a.jobs))
	for i := range a.jobs {
		line[i] = &a.jobs[i]
	}
	slices.SortFunc(line, (*job).compare)
	a.grantLeases(r, line)
	turns := make([]engine.Assignment, len(line))
	for i, j := range line {
		turns[i] = j.AssignmentWithoutLease()
		turns[i].Grant.HasLease = j.hasLease
		if !r.OmitReasons {
			turns[i].Note = j.describe()
		}
	}
	return turns, nil
}

// assessJobs finds every job's ratio.
func (a *arbiter) assessJobs(r *engine.Round) {
	a.now = r.Now
	for i := range r.Nodes {
		if r.Nodes[i].DownReason == "" {
			a.clusterGPUCount += r.Nodes[i].WholeGPUs()
		}
	}
	a.jobs = make([]job, len(r.Entries))
	contending, unknown, rows := float64(countRunnableJobs(r)), time.Hour, r.JobIndexes(a.lastLeases.Jobs)
	if len(r.History) > 0 {
		unknown = predict.MedianRunTime(r.History)
	}
	for i, e := range r.Entries {
		j := &a.jobs[i]
		j.Entry, j.keptLeaseFraction = e, 1
		a.recallJob(j, rows[i], contending)
		mean := contending
		if age := a.now.Sub(e.Arrive).Seconds(); age > 0 {
			mean = j.contentionSeconds / age
		}
		a.assessJob(j, mean, unknown)
	}
}

// countRunnableJobs counts the jobs that run or could.
func countRunnableJobs(r *engine.Round) (n int) {
	for _, e := range r.Entries {
		if r.MayRun(e) {
			n++
		}
	}
	return n
}

// recallJob takes over what is remembered of a job in a row; -1: nothing is.
func (a *arbiter) recallJob(j *job, row int, contending float64) {
	since := j.Arrive
	if row >= 0 {
		j.contentionSeconds, since = a.lastLeases.ContentionSeconds[row], policy.Later(a.lastLeases.At, since)
		j.leaseEnd = a.lastLeases.LeaseEnds[row]
	}
	j.contentionSeconds += contending * max(a.now.Sub(since).Seconds(), 0)
	if j.HoldsGPUs() {
		j.leaseEnd = policy.Later(j.leaseEnd, j.Start.Add(a.Lease))
	} else {
		j.leaseEnd = time.Time{}
	}
}

// grantLeases lets jobs within their lease keep their GPUs, and offers the others: first
// to the jobs that bid, then to the rest.
func (a *arbiter) grantLeases(r *engine.Round, line []*job) {
	free := grant.CountGrantableDevices(r)
	var unleased []*job // in line order
	for _, j := range line {
		switch {
		case !grant.CompetesForLease(r, j.Entry):
		case j.HoldsGPUs() && j.leaseEnd.After(a.now):
			j.hasLease = true
			for _, slot := range j.On {
				free.TakeDevices(slot.Type, slot.Count)
			}
		default:
			unleased = append(unleased, j)
		}
	}
	bidders := unleased[:countBidders(len(unleased), a.Fairness)]
	a.auctionGPUs(free, bidders)
	grantLeftoverGPUs(free, unleased[len(bidders):])
	grantLeftoverGPUs(free, bidders)
}

// countBidders returns how many of n jobs bid: at least the worst off.
func countBidders(n int, fairness float64) int {
	return min(max(int(math.Ceil((1-fairness)*float64(n)-1e-9)), 1), n)
}

// auctionGPUs divides what is free among the bidders, type by type.
func (a *arbiter) auctionGPUs(free grant.FreeByType, bidders []*job) {
	for k, lot := range groupBiddersByType(free, bidders) {
		auction := market.Auction{Units: free[k].Count, Bids: make([][]market.Bid, len(lot))}
		for i, b := range lot {
			auction.Bids[i] = []market.Bid{{Units: b.WantedDeviceCount, LogGain: max(b.logRhoGain(), 1e-9)}}
		}
		won := auction.WinningBids()
		var kept []float64
		if a.Truthful {
			kept = auction.KeptFractions(won)
		}
		for i, b := range lot {
			if won[i] < 0 || !free.TakeDevices(free[k].Type, b.WantedDeviceCount) {
				continue
			}
			b.hasLease = true
			if a.Truthful {
				b.keptLeaseFraction = kept[i]
			}
		}
	}
}

// groupBiddersByType divides the bidders by the type they bid for: their own, or for those
// that take any the one with most left when their turn comes.
func groupBiddersByType(free grant.FreeByType, bidders []*job) [][]*job {
	lots, left := make([][]*job, len(free)), make([]int, len(free))
	for k := range free {
		left[k] = free[k].Count
	}
	for _, b := range bidders {
		at := -1
		for k := range free {
			typ := b.Ask.GPUs.Type
			if typ == free[k].Type || typ == "" && !free[k].IsSlice && (at < 0 || left[k] > left[at]) {
				at = k
			}
		}
		if at >= 0 && b.WantedDeviceCount <= free[at].Count {
			lots[at] = append(lots[at], b)
			left[at] -= b.WantedDeviceCount
		}
	}
	return lots
}

// grantLeftoverGPUs gives what the auction left: first to jobs that run, which then need
// not stop, then by ρ.
func grantLeftoverGPUs(free grant.FreeByType, rest []*job) {
	for _, running := range []bool{true, false} {
		for _, j := range rest {
			if j.HoldsGPUs() == running && !j.hasLease && free.TakeDevices(j.Ask.GPUs.Type, j.WantedDeviceCount) {
				j.hasLease = true
			}
		}
	}
}
