package replaycommand

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fairbridge/accounting/journal"
	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/replica/policyset"
)

// Result says how a cycle that was decided again compares with what was stored.
type Result struct {
	Partition      string       `json:"partition"`
	Cycle          uint64       `json:"cycle"`
	DecidedAt      time.Time    `json:"at"`
	Mode           bridge.Mode  `json:"mode"`
	Policy         string       `json:"policy"`
	Params         string       `json:"params,omitempty"`
	JobCount       int          `json:"jobs"`
	IsSame         bool         `json:"same"`
	ComparedBytes  bool         `json:"exactly"` // every byte was compared; else only what the record keeps
	RecordedDigest string       `json:"then"`    // SHA-256 of the plan
	ReplayedDigest string       `json:"now"`
	RefusedCount   int          `json:"gate"` // decisions the gate turned down then
	Differences    []Difference `json:"differing"`
}

// Difference is a job about which another decision is made now.
type Difference struct {
	JobID    policy.JobID              `json:"job"`
	Address  string                    `json:"address"` // the job as squeue writes it: 4711, 47_3
	Recorded *journal.RecordedDecision `json:"then"`    // null: it is not in the record
	Replayed *journal.RecordedDecision `json:"now"`
}

// ReplayCycle decides a stored cycle again as it was decided then; the cycle with number 0 is
// the last.
func ReplayCycle(ctx context.Context, db *journal.Store, cluster, partition string, seq uint64) (*Result, error) {
	c, err := db.ReadCycle(ctx, cluster, partition, seq)
	if err != nil {
		return nil, err
	}
	s, err := c.ParseSnapshot()
	if err != nil {
		return nil, err
	}
	pick, err := policyset.ChoiceFromRecord(c.Policy, c.Params)
	if err != nil {
		return nil, fmt.Errorf("cycle %d was decided by what this release does not know: %w", c.Seq, err)
	}
	decide, err := pick.NewPolicy()
	if err != nil {
		return nil, err
	}
	plan, err := decide.Decide(s)
	if err == nil && plan == nil {
		err = errors.New("it gave no plan")
	}
	if err != nil {
		return nil, fmt.Errorf("deciding cycle %d again by %s: %w", c.Seq, pick.Label, err)
	}
	r := &Result{Partition: partition, Cycle: c.Seq, DecidedAt: c.At, Mode: c.Mode, Policy: c.Policy, Params: c.Params, JobCount: len(s.Jobs), RefusedCount: countRefusedDecisions(c.Refusals), Differences: []Difference{}}
	err = r.compare(ctx, db, cluster, c, plan)
	for i := range r.Differences {
		r.Differences[i].Address = s.JobLabel(r.Differences[i].JobID)
	}
	return r, err
}

// countRefusedDecisions counts the refusals of something about a job; the others are about the
// whole plan.
func countRefusedDecisions(all []bridge.Refusal) (n int) {
	for _, r := range all {
		if r.Job != 0 {
			n++
		}
	}
	return n
}

// compare says whether the plan is the one of then. The record has the plan as
// the gate let it through: where that turned something down, the record is no
// witness.
func (r *Result) compare(ctx context.Context, db *journal.Store, cluster string, c *journal.StoredCycle, plan *policy.Plan) error {
	var err error
	if r.ReplayedDigest, err = bridge.DigestPlan(plan); err != nil {
		return err
	}
	r.RecordedDigest, r.ComparedBytes = c.RedecidedDigest, c.RedecidedDigest != ""
	if !r.ComparedBytes {
		r.RecordedDigest = c.PlanDigest
	}
	if r.IsSame = r.ReplayedDigest == r.RecordedDigest; r.IsSame {
		r.ComparedBytes = true
		return nil
	}
	jobs := make([]policy.JobID, len(plan.Decisions))
	for i := range plan.Decisions {
		jobs[i] = plan.Decisions[i].Job
	}
	then, err := db.ReadDecisions(ctx, cluster, r.Partition, c.Seq, jobs)
	if err != nil {
		return err
	}
	r.Differences = findDifferences(plan, then, c.Refusals)
	r.IsSame = !r.ComparedBytes && len(r.Differences) == 0
	return nil
}

// findDifferences lists the jobs about which the plan says something else than the
// record, but for those the gate had a word about.
func findDifferences(plan *policy.Plan, then []journal.RecordedDecision, refused []bridge.Refusal) []Difference {
	out := []Difference{}
	before, refusedJobs := map[policy.JobID]*journal.RecordedDecision{}, map[policy.JobID]bool{}
	for i := range then {
		before[then[i].JobID] = &then[i]
	}
	for _, no := range refused {
		refusedJobs[no.Job] = true
	}
	for i := range plan.Decisions {
		d := &plan.Decisions[i]
		now := journal.NewRecordedDecision(d)
		if old := before[d.Job]; !refusedJobs[d.Job] && (old == nil || *old != now) {
			out = append(out, Difference{JobID: d.Job, Recorded: old, Replayed: &now})
		}
	}
	return out
}
