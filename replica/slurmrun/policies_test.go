package slurmrun

import (
	"context"
	"slices"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/replica/measure"
	"fairbridge/replica/sim"
	"fairbridge/replica/workload"
	"fairbridge/scripts/verify/part"
)

// mix makes jobs that report nothing: short ones of all sizes, of which every
// third lets itself be stopped where opted is set, and three long ones first.
func mix(n int, opted bool) []workload.Job {
	jobs := stream(n, func(i int) bool { return !opted || i%3 > 0 })
	for i := range jobs {
		j := &jobs[i]
		j.Arrive, j.Duration, j.IsSilent = float64(i*40), j.Duration/8, true
		if i < 3 {
			j.GPUs, j.Duration, j.IsUnstoppable = 4, 2*3600, !opted
		}
		j.TimeLimit = policy.DurationFromSeconds(2 * j.Duration).Truncate(time.Minute)
	}
	return jobs
}

// TestEveryPolicyOnPlainJobs runs the whole catalogue, with the parameters a
// site would have, on jobs that report nothing, as sbatch makes them.
func TestEveryPolicyOnPlainJobs(t *testing.T) {
	part.Long(t, testing.Short())
	for _, e := range catalogue.Systems() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			runs(t, e.Name, mix(60, false))
		})
	}
}

// TestEveryPolicyOnMixedJobs has jobs among them that may be stopped.
func TestEveryPolicyOnMixedJobs(t *testing.T) {
	for _, e := range catalogue.Systems() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			runs(t, e.Name, mix(40, true))
		})
	}
}

// runs runs the jobs under the policy and checks what must hold whatever it
// wants.
func runs(t *testing.T, name string, jobs []workload.Job) {
	t.Helper()
	c := Config{PolicyName: name, Policy: decider(t, name), Nodes: cluster(2), Jobs: jobs, RestartCost: 30 * time.Second, LoopConfig: bridge.DefaultConfig()}
	c.LoopConfig.Interval = time.Minute // half the cycles of a real one
	opted := slices.ContainsFunc(jobs, func(j workload.Job) bool { return !j.IsUnstoppable })
	c.WatchCycle = func(r *cycle.Report) { checkReport(t, r, opted) }
	c.AfterCycle = func(w *sim.World) { checkWorld(t, w) }
	r, err := newRunner(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.runToEnd(); err != nil {
		t.Fatal(err)
	}
	out := r.newResult()
	checkOutcomes(t, out, jobs)
	for _, s := range r.world.EndedRuns() {
		if s.EndState != "COMPLETED" && s.EndState != "REQUEUED" {
			t.Errorf("job %d ended %s", out.JobOutcomes[r.jobIndexes.findEnded(&s)].ID, s.EndState)
		}
	}
	left, err := r.store.Intents(context.Background(), "", r.world.Now(), r.world.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range left {
		if in.State == bridge.IntentSent || in.State == bridge.IntentUnknown || r.world.Now().Sub(in.Made) > 5*time.Minute && in.State == bridge.IntentAcked {
			t.Errorf("the ledger does not know what became of %s: %s", in.Edit, in.State)
		}
	}
}

// checkReport looks at one cycle: the plan that was let through is sound, and
// what was sent was carried out.
func checkReport(t *testing.T, r *cycle.Report, opted bool) {
	t.Helper()
	for _, d := range r.Doubts {
		if !opted || d.Cause != bridge.GateCause(invariant.StopBudget) { // a plan that stops very much is doubted
			t.Errorf("%s: %v", d.Cause, d.Err)
		}
	}
	for i := range r.PartitionResults {
		if th := &r.PartitionResults[i]; th.Plan != nil {
			if err := th.Plan.Check(th.Snapshot); err != nil {
				t.Errorf("the plan let through: %v", err)
			}
		}
	}
	for _, in := range r.Intents {
		switch {
		case in.State != bridge.IntentAcked:
			t.Errorf("%s is %s: %s", in.Edit, in.State, in.Error)
		case in.Edit.Kind == slurm.EditLease && in.Edit.Until.Sub(in.Made) > time.Hour:
			t.Errorf("%s is a hold, not a lease", in.Edit)
		}
	}
}

// checkWorld looks at what Slurm shows: nobody is held for good.
func checkWorld(t *testing.T, w *sim.World) {
	t.Helper()
	for _, j := range w.Jobs() {
		if j.IsHeld || j.IsPending() && j.EligibleTime.Sub(w.Now()) > time.Hour {
			t.Errorf("job %d is held: %s until %v", j.ID, j.Reason, j.EligibleTime)
		}
	}
}

// checkOutcomes looks at what became of the jobs.
func checkOutcomes(t *testing.T, out *measure.Run, jobs []workload.Job) {
	t.Helper()
	for i, o := range out.JobOutcomes {
		j := jobs[i]
		switch {
		case o.ID != j.ID:
			t.Fatalf("outcome %d is of job %d, want %d", i, o.ID, j.ID)
		case o.Finish < o.Start+j.Duration-1 || o.Start < o.Arrive:
			t.Errorf("job %d of %v s: arrived %v, started %v, done %v", o.ID, j.Duration, o.Arrive, o.Start, o.Finish)
		case j.IsUnstoppable && o.StopCount > 0:
			t.Errorf("job %d did not opt in and was stopped %d times", o.ID, o.StopCount)
		case o.Finish-o.Arrive > 30*3600: // the longest wait of the rules, 24 h, and the jobs before it
			t.Errorf("job %d took %v to be done", o.ID, policy.DurationFromSeconds(o.Finish-o.Arrive))
		}
	}
}
