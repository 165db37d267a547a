package answers

import (
	"cmp"
	"context"
	"slices"
	"time"

	"fairbridge/api"
	"fairbridge/bridge/study/whatif"
	"fairbridge/policy"
)

// addDeadline adds how likely the job is done by its deadline, as the last cycle and estimate have it, and what it was told first.
func (e jobRequest) addDeadline(ctx context.Context, j *policy.Job) {
	if j == nil || j.Deadline.IsZero() {
		return
	}
	e.Deadline = &api.Deadline{At: j.Deadline, IsSoft: j.SoftDeadline}
	if s := e.Estimate; s != nil {
		e.Deadline.Chance, e.Deadline.LikelyBy = s.End.ChanceBy(s.MadeAt, j.Deadline), s.End.TimeOfChance(s.MadeAt, api.LikelyChance)
	}
	if e.Daemon.RecordError == "" { // what it was told is an addition, and no reason to say nothing else
		_ = askBriefly(ctx, func(ctx context.Context) (err error) {
			e.Deadline.Promise, err = e.parts.Record.Promise(ctx, e.Cluster, j.ID, j.Arrive)
			return err
		})
	}
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
		w.addOtherPartitions(ctx, a, q)
	}
	slices.SortStableFunc(d.Offers, func(x, y api.DeadlineOffer) int { return cmp.Compare(y.Chance, x.Chance) })
}

// addOtherPartitions adds what other partitions offer that have the GPUs, take the account and were planned of late.
func (w whenRequest) addOtherPartitions(ctx context.Context, a *api.When, q *api.WhenQuery) {
	for i := range w.Partitions {
		p := &w.Partitions[i]
		if p.Name == a.Partition {
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
			addOffer(a.Deadline, &other.JobStart, other.AsOf)
		}
	}
}

// addOffer adds a request, estimated at a moment, if it is likelier than what was asked about.
func addOffer(d *api.Deadline, r *whatif.JobStart, madeAt time.Time) {
	if chance := r.End.ChanceBy(madeAt, d.At); chance > d.Chance {
		d.Offers = append(d.Offers, api.DeadlineOffer{Job: r.Job, Chance: chance, LikelyBy: r.End.TimeOfChance(madeAt, api.LikelyChance)})
	}
}
