package answers

import (
	"cmp"
	"context"
	"slices"
	"time"

	"fairbridge/api"
	"fairbridge/api/answers/lastcycle"
	"fairbridge/bridge/estimate"
	"fairbridge/bridge/study/whatif"
	"fairbridge/policy"
)

// addDeadline adds how likely the job is done by its deadline, as the last cycle and estimate have it, and what it was told first.
func (e jobRequest) addDeadline(ctx context.Context, c *lastcycle.Cycle, j *policy.Job) {
	if j.Deadline.IsZero() {
		return
	}
	e.Deadline = &api.Deadline{At: j.Deadline, IsSoft: j.SoftDeadline}
	setChance := func(end estimate.Band, madeAt time.Time) {
		e.Deadline.Chance, e.Deadline.LikelyBy = end.ChanceBy(madeAt, j.Deadline), end.TimeOfChance(madeAt, api.LikelyChance)
	}
	if end, runs := estimate.EstimateEnd(c.Snapshot, j.ID); runs {
		setChance(end, c.Snapshot.Now)
	} else if s := e.Estimate; s != nil {
		setChance(s.End, s.MadeAt)
	}
	if e.Daemon.RecordError == "" { // what it was told is an addition, and no reason to say nothing else
		_ = askBriefly(ctx, func(ctx context.Context) (err error) {
			e.Deadline.Promise, err = e.parts.Record.Promise(ctx, e.Cluster, j.ID, j.Arrive)
			return err
		})
	}
}

// addOffers adds to a waiting job that is not likely done by its deadline which other requests would be likelier, were it submitted
// anew so. There are none where others, or another request of the viewer's, keep us from working them out in time.
func (e jobRequest) addOffers(ctx context.Context, c *lastcycle.Cycle, j *policy.Job) {
	d, w, p := e.Deadline, whenRequest{e.request}, e.partition(c.Partition)
	if d == nil || p == nil || j.State != policy.Pending || d.Chance == 0 || d.Chance >= api.LikelyChance || !w.SeesUse(j.User, j.Account) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, maxSmallerWait)
	defer cancel()
	q := api.WhenQuery{Partition: c.Partition, GPUType: j.Ask.GPUs.Type, GPUs: j.Ask.GPUs.Count, Nodes: j.Ask.MaxNodes, Limit: j.Limit, User: j.User, Account: j.Account, Deadline: j.Deadline}
	a, err := w.estimate(ctx, p, c, &q, *j)
	if err != nil {
		return
	}
	for i := range a.Sooner {
		addOffer(d, &a.Sooner[i], a.AsOf)
	}
	w.addOtherPartitions(ctx, d, c.Partition, &q)
	sortOffers(d)
}

// addChances adds how likely a request is done by a deadline, and other requests that are likelier: those that start
// sooner, and the same in other partitions where it is not likely in this one.
func (w whenRequest) addChances(ctx context.Context, a *api.When, q *api.WhenQuery) {
	d := &api.Deadline{At: q.Deadline, Chance: a.End.ChanceBy(a.AsOf, q.Deadline), LikelyBy: a.End.TimeOfChance(a.AsOf, api.LikelyChance)}
	a.Deadline = d
	for i := range a.Sooner {
		addOffer(d, &a.Sooner[i], a.AsOf)
	}
	if d.Chance < api.LikelyChance {
		w.addOtherPartitions(ctx, d, a.Partition, q)
	}
	sortOffers(d)
}

// sortOffers puts the likeliest first.
func sortOffers(d *api.Deadline) {
	slices.SortStableFunc(d.Offers, func(x, y api.DeadlineOffer) int { return cmp.Compare(y.Chance, x.Chance) })
}

// addOtherPartitions adds what partitions other than one offer that have the GPUs, take the account and were planned of late.
func (w whenRequest) addOtherPartitions(ctx context.Context, d *api.Deadline, than string, q *api.WhenQuery) {
	for i := range w.Partitions {
		p := &w.Partitions[i]
		if p.Name == than {
			continue
		}
		c, err := w.lastCycle(ctx, p.Name)
		if err != nil {
			continue
		}
		j := whatif.NewRequest(c.Snapshot, p.Name, policy.GPUs{Type: q.GPUType, Count: q.GPUs}, q.Nodes, q.Limit)
		j.User, j.Account, j.Deadline = q.User, q.Account, q.Deadline
		if whatif.CheckRequest(c.Snapshot, &j) != nil {
			continue
		}
		if refusal, err := w.readRefusal(ctx, &j); refusal != "" || err != nil {
			continue
		}
		if other, err := w.estimate(ctx, p, c, q, j); err == nil {
			addOffer(d, &other.JobStart, other.AsOf)
		}
	}
}

// addOffer adds a request, estimated at a moment, if it is likelier than what was asked about.
func addOffer(d *api.Deadline, r *whatif.JobStart, madeAt time.Time) {
	if chance := r.End.ChanceBy(madeAt, d.At); chance > d.Chance {
		d.Offers = append(d.Offers, api.DeadlineOffer{Job: r.Job, Chance: chance, LikelyBy: r.End.TimeOfChance(madeAt, api.LikelyChance)})
	}
}
