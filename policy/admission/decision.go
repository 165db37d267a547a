package admission

import (
	"errors"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// Decision is one decision of a policy that promises deadlines by plans. A policy embeds it in the stage that admits and allocates.
type Decision struct {
	Planner *Planner
	Line    *Line // jobs that their plans have in the present lease, once begun
	before  Promises
}

var errKept = errors.New("the GPUs that are free are needed before it could give them back by jobs that were promised their deadlines")

// Recall remembers what was promised before. An error says why that cannot be used.
func (d *Decision) Recall(s *policy.Snapshot) (err error) {
	d.before, err = recallPromises(s)
	return err
}

// Begin makes the plans of a round, explains them, and begins the line with the jobs that they have in the present lease.
func (d *Decision) Begin(r *engine.Round, settings Settings) {
	d.Planner = New(r, settings, d.before)
	d.Line = d.Planner.NewLine()
	d.Planner.Explain()
	d.Line.AddPlanned()
}

// Admit implements engine.Admitter: no job takes GPUs that plans need before it could give them back.
func (d *Decision) Admit(_ *engine.Round, e *engine.Entry) error {
	if d.Line != nil && d.Line.Keeps(e) {
		return errKept
	}
	return nil
}

// Tier is in which tier a job is stopped for others (preempt.ByTier).
func (d *Decision) Tier(_ *engine.Round, e *engine.Entry) int { return d.Line.Tier(e) }

// Remember adds what is promised now to a plan; an error of making it is passed on.
func (d *Decision) Remember(plan *policy.Plan, err error) (*policy.Plan, error) {
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(d.Planner.Promises())
	return plan, nil
}
