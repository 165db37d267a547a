// Package rounds makes time shares out of turns. A policy says which fraction
// of the time each job should run on each GPU type; the package keeps a Book of
// what jobs were due and got, and from it decides, round by round, who runs
// where. It is the mechanism of Gavel (D. Narayanan et al., OSDI 2020) with
// which the simulators of Gavel and Shockwave run all their fraction policies.
//
//	func (p *Mine) Decide(s *policy.Snapshot) (*policy.Plan, error) {
//		book, err := policy.Recall[rounds.Book](s.Memo)
//		if err != nil {
//			return nil, fmt.Errorf("policy mine: %w", err)
//		}
//		turns := rounds.Turns{Round: 2 * time.Minute, Least: 1000 * time.Second, Solve: p.fractions, Book: book}
//		plan, err := engine.Pipeline{Name: "mine", Order: &turns, Lease: &turns, Rules: p.rules()}.Decide(s)
//		if err == nil {
//			plan.Memo = policy.Remember(turns.Book)
//		}
//		return plan, err
//	}
//
// A job's priority on a type is its fraction divided by its part of the time
// all jobs received there since the fractions were last computed. Jobs are
// walked by priority, then by what they are owed from earlier, then by
// fraction; who does not fit in the GPUs left is skipped. Jobs without a
// fraction come last and fill what would idle.
package rounds
