package policytest

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// Claim is something a policy promises beyond the laws.
type Claim int

const (
	// WorkConserving is the claim that no GPU is left idle that a startable job
	// could use, unless a job waited so long that GPUs are kept for it.
	WorkConserving Claim = iota
	// StopsMayCascade weakens the law to be steady at once: a plan that stops jobs may be
	// followed by others, as long as they come to rest. With three or more tiers
	// a job that gave way may in the next round take the place of one of a lower
	// tier; a job that lost its run may now be late, and so of a higher tier than
	// before; and a reservation moves when others are stopped or started.
	StopsMayCascade
	// LeasesIgnorePlacement weakens it for leases that are granted by counting devices:
	// where a gang found no place for its lease, others started, and the next round may
	// grant it theirs. It must come to rest too.
	LeasesIgnorePlacement
)

// CheckLaws checks, over generated snapshots, what every policy must keep: one
// lawful decision per job with a reason (Plan.Check) that agrees with it (CheckReason), the snapshot left as it
// was, equal plans for equal snapshots, a memo that may be stored and is timeless where it says so, the same
// places where no rank is read, and no job stopped when nothing has changed since the last plan. make must return
// a new, equal policy each time.
func CheckLaws(t *testing.T, make func() policy.Policy, claims ...Claim) {
	t.Helper()
	for name, s := range oddSnapshots() {
		t.Run(name, func(t *testing.T) { lawCheck{t, make, claims}.checkAll(s) })
	}
	t.Run("generated", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) { lawCheck{t, make, claims}.checkAll(GenerateSnapshots().Draw(t, "snapshot")) })
	})
}

// failer is a *testing.T or a *rapid.T.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

type lawCheck struct {
	failer
	newPolicy func() policy.Policy
	claims    []Claim
}

func (l lawCheck) checkAll(s *policy.Snapshot) {
	l.Helper()
	plan := l.decide(s)
	l.checkPlan(s, plan)
	l.checkSetAside(s, plan)
	l.checkRepeatable(s, plan)
	l.checkMemo(s, plan)
	l.checkTimeless(s, plan)
	l.checkRanksOmitted(s)
	l.checkSteady(s, plan)
	if slices.Contains(l.claims, WorkConserving) {
		l.checkWorkConserving(s, plan)
	}
}

// decide wants an answer, and the snapshot as it was.
func (l lawCheck) decide(s *policy.Snapshot) *policy.Plan {
	l.Helper()
	before := s.Clone()
	plan, err := l.newPolicy().Decide(s)
	if err != nil {
		l.Fatalf("deciding: %v", err)
	}
	if d := cmp.Diff(before, s); d != "" {
		l.Fatalf("the snapshot was changed: %s", d)
	}
	return plan
}

// checkPlan wants a plan that says one lawful thing of each job, and why.
func (l lawCheck) checkPlan(s *policy.Snapshot, plan *policy.Plan) {
	l.Helper()
	if err := plan.Check(s); err != nil {
		l.Fatalf("the plan is not lawful:\n%v\n%s", err, DescribePlan(s, plan))
	}
	if plan.Policy == "" || plan.SnapshotSeq != s.Seq {
		l.Fatalf("the plan is of policy %q for snapshot %d, not %d", plan.Policy, plan.SnapshotSeq, s.Seq)
	}
	l.checkReasons(s, plan)
}

// checkReasons wants reasons that agree with what is decided.
func (l lawCheck) checkReasons(s *policy.Snapshot, plan *policy.Plan) {
	l.Helper()
	if s.OmitReasons {
		return
	}
	for i := range plan.Decisions {
		if err := CheckReason(&plan.Decisions[i]); err != nil {
			l.Fatalf("%v\n%s", err, DescribePlan(s, plan))
		}
	}
}

// checkRepeatable wants the same bytes from a new policy, also when what has no
// order stands in another one.
func (l lawCheck) checkRepeatable(s *policy.Snapshot, plan *policy.Plan) {
	l.Helper()
	again := s.Clone()
	slices.Reverse(again.History)
	a, b := l.encodePlan(plan), l.encodePlan(l.decide(again))
	if !bytes.Equal(a, b) {
		l.Fatalf("the same snapshot gave two plans:\n%s\n%s", a, b)
	}
}

// checkMemo wants the same next plan whether the memo was handed on as a value
// or stored as JSON in between, and the memo left as it was.
func (l lawCheck) checkMemo(s *policy.Snapshot, plan *policy.Plan) {
	l.Helper()
	raw, err := json.Marshal(plan.Memo)
	if err != nil {
		l.Fatalf("encoding the memo: %v", err)
	}
	next, stored := ApplyPlan(s, plan), ApplyPlan(s, plan)
	if stored.Memo = (policy.Memo{}); !plan.Memo.IsZero() {
		stored.Memo = policy.MemoFromJSON(raw)
	}
	a, b := l.encodePlan(l.decide(next)), l.encodePlan(l.decide(stored))
	if !bytes.Equal(a, b) {
		l.Fatalf("the memo as a value and as JSON gave two plans:\n%s\n%s", a, b)
	}
	if after, err := json.Marshal(plan.Memo); err != nil || !bytes.Equal(raw, after) {
		l.Fatalf("the memo was changed: %s, then %s (%v)", raw, after, err)
	}
}

func (l lawCheck) encodePlan(plan *policy.Plan) []byte {
	l.Helper()
	b, err := json.Marshal(plan)
	if err != nil {
		l.Fatalf("encoding the plan: %v", err)
	}
	return b
}

// checkSteady wants no running job disturbed once the plan is carried out. A plan
// starts one task of an array record; the next task is new demand and may
// displace others as the first might. Where a job waited so long that GPUs are
// reserved for it, stops move the reservation, as with StopsMayCascade. It must come
// to rest in the end.
func (l lawCheck) checkSteady(s *policy.Snapshot, plan *policy.Plan) {
	l.Helper()
	for range 64 {
		was := DescribePlan(s, plan)
		excused := startsArrayTask(s, plan) || slices.Contains(l.claims, LeasesIgnorePlacement) || findFirstDisturbance(plan) != nil && (slices.Contains(l.claims, StopsMayCascade) || hasLongWaitingJob(s))
		s = ApplyPlan(s, plan)
		plan = l.decide(s)
		l.checkPlan(s, plan)
		d := findFirstDisturbance(plan)
		if d != nil && !excused {
			l.Fatalf("nothing changed, but job %d is to %s.\nFirst:\n%sThen:\n%s", d.Job, d.Verb, was, DescribePlan(s, plan))
		}
		if d == nil && !startsArrayTask(s, plan) {
			return
		}
	}
	l.Fatalf("does not come to rest:\n%s", DescribePlan(s, plan))
}

// hasLongWaitingJob reports whether a job waited so long that the rules may reserve GPUs for
// it by default.
func hasLongWaitingJob(s *policy.Snapshot) bool {
	return slices.ContainsFunc(s.Jobs, func(j policy.Job) bool { return j.Waited(s.Now) > leastPatience(s, &j) })
}

// leastPatience returns the least time a job waits before GPUs are reserved for it by the
// defaults of engine.Rules: twice its length, but two hours at least and a day at most.
// Where more than its limit tells of its length, that may be short.
func leastPatience(s *policy.Snapshot, j *policy.Job) time.Duration {
	const least, most = 2 * time.Hour, 24 * time.Hour
	switch {
	case len(s.History) > 0 || j.PredictedLeft > 0 || j.Training != nil || j.Progress.Known:
		return least
	case j.Limit > 0:
		return min(max(2*j.Limit, least), most)
	}
	return most
}

// startsArrayTask reports whether the plan starts a task of an array record.
func startsArrayTask(s *policy.Snapshot, plan *policy.Plan) bool {
	return slices.ContainsFunc(plan.Decisions, func(d policy.Decision) bool {
		return d.Verb == policy.Start && s.Job(d.Job).TaskCount() > 1
	})
}

// findFirstDisturbance returns the first decision to disturb a running job, or nil.
func findFirstDisturbance(plan *policy.Plan) *policy.Decision {
	for i, d := range plan.Decisions {
		if d.Verb == policy.Stop || d.Verb == policy.Move || d.Verb == policy.Resize {
			return &plan.Decisions[i]
		}
	}
	return nil
}

// checkRanksOmitted wants the same plan but for its ranks where they will not be read and few jobs wait, or none.
func (l lawCheck) checkRanksOmitted(s *policy.Snapshot) {
	l.Helper()
	for most := range 4 {
		few, waiting := s.Clone(), 0
		few.OmitReasons = true
		few.Jobs = slices.DeleteFunc(few.Jobs, func(j policy.Job) bool {
			if !j.HoldsGPUs() {
				waiting++
			}
			return !j.HoldsGPUs() && waiting > most
		})
		ranked := l.encodeUnranked(few)
		few.OmitRanks = true
		if unranked := l.encodeUnranked(few); !bytes.Equal(ranked, unranked) {
			l.Fatalf("ranks that are not read change the plan:\n%s\n%s", ranked, unranked)
		}
	}
}

func (l lawCheck) encodeUnranked(s *policy.Snapshot) []byte {
	l.Helper()
	plan := l.decide(s)
	for i := range plan.Decisions {
		plan.Decisions[i].Rank, plan.Decisions[i].Why = 0, ""
	}
	return l.encodePlan(plan)
}

// timelessSpan is how much later a timeless memo is asked for again.
const timelessSpan = 10 * time.Minute

// checkTimeless wants a memo that is said to be timeless (policy.RememberTimeless) to stay the
// very same while no job waits and only time passes.
func (l lawCheck) checkTimeless(s *policy.Snapshot, plan *policy.Plan) {
	l.Helper()
	if plan.Memo.IsZero() || !plan.Memo.IsTimeless() {
		return
	}
	s = s.Clone()
	s.Jobs = slices.DeleteFunc(s.Jobs, func(j policy.Job) bool { return !j.HoldsGPUs() })
	first := l.decide(s)
	s.Memo, s.Seq, s.Now = first.Memo, s.Seq+1, s.Now.Add(timelessSpan)
	for i := range s.Jobs {
		j := &s.Jobs[i]
		j.Attained += policy.ServiceForTime(j.Ask.GPUs.WholeGPUs(), timelessSpan)
	}
	if later := l.decide(s); !later.Memo.Equal(first.Memo) {
		l.Fatalf("a memo that is said to be timeless was changed by time alone")
	}
}

// checkWorkConserving wants no waiting job that could start on what the plan leaves
// free. Starts without nodes and jobs that waited more than a day, for which
// GPUs may be kept, make the question undecidable here.
func (l lawCheck) checkWorkConserving(s *policy.Snapshot, plan *policy.Plan) {
	l.Helper()
	if hasLongWaitingJob(s) || slices.ContainsFunc(s.Jobs, func(j policy.Job) bool { return j.UnplaceableReason != "" }) {
		return
	}
	after := ApplyPlan(s, plan)
	free := pool.New(after)
	for _, d := range plan.Decisions {
		j := s.Job(d.Job)
		if d.Verb != policy.Wait && d.Verb != policy.Hold || !j.CanStart(s.Now) {
			continue
		}
		if on, err := pool.Fit(free, j.Partition, j.AskWithLimit()); err == nil {
			l.Fatalf("job %d is to %s, but %v is free\n%s", d.Job, d.Verb, on, DescribePlan(s, plan))
		}
	}
}
