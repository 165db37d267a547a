package answers

import (
	"context"

	"fairbridge/api"
	"fairbridge/api/answers/lastcycle"
	"fairbridge/bridge/estimate"
	"fairbridge/bridge/whatif"
	"fairbridge/policy"
)

// addDeadline adds how likely the job is done by its deadline, as the last cycle and estimate have it, and what it was told first.
func (e jobRequest) addDeadline(ctx context.Context, c *lastcycle.Cycle, j *policy.Job) {
	if j.Deadline.IsZero() {
		return
	}
	e.Deadline = &api.Deadline{At: j.Deadline, IsSoft: j.SoftDeadline}
	switch s := e.Estimate; {
	case j.HoldsGPUs():
		e.Deadline.Chance, e.Deadline.LikelyBy = estimate.ChanceOfRun(c.Snapshot, j, j.Deadline, api.LikelyChance)
	case s != nil && e.Daemon.RecordError == "":
		_ = askBriefly(ctx, func(ctx context.Context) error {
			known, err := e.learnt.of(e.Service, c.Partition).Get(ctx)
			if known.calibration != nil {
				chances := known.calibration.Chances(s.MadeAt, s.End, estimate.NewRunTimes(c.Snapshot)(j))
				e.Deadline.Chance, e.Deadline.LikelyBy = chances.By(j.Deadline), chances.TimeOf(api.LikelyChance)
			}
			return err
		})
	}
	if e.Daemon.RecordError == "" { // what it was told is an addition, and no reason to say nothing else
		_ = askBriefly(ctx, func(ctx context.Context) (err error) {
			e.Deadline.Promise, err = e.parts.Record.Promise(ctx, e.Cluster, j.ID, j.Arrive)
			return err
		})
		e.addJobOffers(ctx, c, j)
	}
}

// addChances adds how likely a request is done by a deadline, and other requests that are likelier.
func (w whenRequest) addChances(ctx context.Context, a *api.When, q *api.WhenQuery) {
	a.Deadline = &api.Deadline{At: q.Deadline, Chance: a.Chances.By(q.Deadline), LikelyBy: a.Chances.TimeOf(api.LikelyChance)}
	w.addOffers(ctx, a.Deadline, a, func(c *lastcycle.Cycle) (whenKey, policy.Job) {
		j := whatif.NewRequest(c.Snapshot, c.Partition, policy.GPUs{Type: q.GPUType, Count: q.GPUs}, q.Nodes, q.Limit)
		j.User, j.Account, j.Deadline = q.User, q.Account, q.Deadline
		return newWhenKey(c, q), j
	})
}
