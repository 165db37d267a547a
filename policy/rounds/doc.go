// Package rounds makes rounds out of fractions of time. A policy says which
// fraction of the time each job should run on each GPU type; the package keeps
// account of what jobs were due and received, and decides from it, round by
// round, which job runs where. It is the mechanism of Gavel (D. Narayanan et al., OSDI 2020) with
// which the simulators of Gavel and Shockwave run all their fraction policies.
//
//	func (p *Mine) Decide(s *policy.Snapshot) (*policy.Plan, error) {
//		state, err := policy.Recall[rounds.AllocatorState](s.Memo)
//		if err != nil {
//			return nil, fmt.Errorf("policy mine: %w", err)
//		}
//		stage := rounds.Allocator{RoundLength: 2 * time.Minute, MinRecomputeInterval: 1000 * time.Second, Fractions: p.fractions, State: state}
//		plan, err := engine.Pipeline{Name: "mine", Allocate: &stage, Rules: p.rules()}.Decide(s)
//		if err == nil {
//			plan.Memo = policy.Remember(stage.State)
//		}
//		return plan, err
//	}
//
// A job's priority on a type is its fraction divided by its part of the time
// all jobs received there since the fractions were last computed. Jobs are served
// by priority, then by their deficit from earlier, then by fraction; one that does
// not fit in the GPUs left is skipped. Jobs without a fraction come last and fill
// what would idle.
package rounds
