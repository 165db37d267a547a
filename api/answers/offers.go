package answers

import (
	"cmp"
	"context"
	"slices"

	"fairbridge/api"
	"fairbridge/api/answers/lastcycle"
	"fairbridge/bridge/whatif"
	"fairbridge/policy"
)

// newOfferFunc makes the request that is offered in a cycle, and its key.
type newOfferFunc func(*lastcycle.Cycle) (whenKey, policy.Job)

// addJobOffers adds to a waiting job that is not likely done by its deadline what would be likelier, submitted in its
// stead. None are said of the tasks of an array, of what something holds, or where others keep us from working them out in time.
func (e jobRequest) addJobOffers(ctx context.Context, c *lastcycle.Cycle, j *policy.Job) {
	p, d := e.partition(c.Partition), e.Deadline
	if p == nil || j.State != policy.Pending || j.HeldReason != "" || j.TaskCount() > 1 || d.Chance == 0 || d.Chance >= api.LikelyChance || !e.mayAskInsteadOf(j) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, maxSmallerWait)
	defer cancel()
	w := whenRequest{e.request}
	newOffer := func(c *lastcycle.Cycle) (whenKey, policy.Job) {
		request := *j
		request.Partition = c.Partition
		return whenKey{partition: c.Partition, seq: c.Seq, instead: j.ID}, request
	}
	key, request := newOffer(c)
	a, err := w.estimate(ctx, p, c, key, request)
	if err != nil { // an addition, and no reason to say nothing else
		return
	}
	w.addOffers(ctx, d, a, newOffer)
	for i := range d.Offers {
		d.Offers[i].Job = toldRequest(&d.Offers[i].Job)
	}
}

// mayAskInsteadOf reports whether the viewer may ask when a job of the same user and account would start.
func (e jobRequest) mayAskInsteadOf(j *policy.Job) bool {
	return whenRequest{e.request}.checkMayAskFor(&api.WhenQuery{User: j.User, Account: j.Account}) == nil
}

// toldRequest is what of a request is told: not which nodes its owner named, nor what keeps it.
func toldRequest(j *policy.Job) policy.Job {
	ask := policy.Ask{GPUs: j.Ask.GPUs, CPUs: j.Ask.CPUs, MemMB: j.Ask.MemMB, MinNodes: j.Ask.MinNodes, MaxNodes: j.Ask.MaxNodes, PerNode: j.Ask.PerNode}
	return policy.Job{User: j.User, Account: j.Account, Partition: j.Partition, State: j.State, Limit: j.Limit, Deadline: j.Deadline, Ask: ask}
}

// addOffers adds what is likelier than a chance: requests that start sooner than one that was estimated, and the same in other
// partitions where it is not likely.
func (w whenRequest) addOffers(ctx context.Context, d *api.Deadline, a *api.When, newOffer newOfferFunc) {
	for i := range a.Sooner {
		addOffer(d, &a.Sooner[i])
	}
	if d.Chance < api.LikelyChance {
		w.addOtherPartitions(ctx, d, a.Partition, newOffer)
	}
	slices.SortStableFunc(d.Offers, func(x, y api.DeadlineOffer) int { return cmp.Compare(y.Chance, x.Chance) })
}

// addOtherPartitions adds what other partitions offer that have the GPUs, take the account and were planned of late.
func (w whenRequest) addOtherPartitions(ctx context.Context, d *api.Deadline, partition string, newOffer newOfferFunc) {
	for i := range w.Partitions {
		p := &w.Partitions[i]
		if p.Name == partition {
			continue
		}
		c, err := w.lastCycle(ctx, p.Name)
		if err != nil {
			continue
		}
		key, j := newOffer(c)
		if whatif.CheckRequest(c.Snapshot, &j) != nil {
			continue
		}
		if refusal, err := w.readRefusal(ctx, &j); refusal != "" || err != nil {
			continue
		}
		if other, err := w.estimate(ctx, p, c, key, j); err == nil {
			addOffer(d, &other.JobStart)
		}
	}
}

// addOffer adds a request if it is likelier than what was asked about.
func addOffer(d *api.Deadline, r *whatif.JobStart) {
	if chance := r.Chances.By(d.At); chance > d.Chance {
		d.Offers = append(d.Offers, api.DeadlineOffer{Job: r.Job, Chance: chance, LikelyBy: r.Chances.TimeOf(api.LikelyChance)})
	}
}
