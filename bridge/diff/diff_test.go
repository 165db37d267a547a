package diff

import (
	"context"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/intake"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
	"fairbridge/replica/sim"
)

// desk applies edits to a world and keeps the ledger, as the loop does, without
// a database.
type desk struct {
	w       *sim.World
	intents []bridge.Intent
}

func (d *desk) apply(t *rapid.T, v *slurm.View, edits []slurm.Edit) {
	book := ledger.NewIntentBook(d.intents)
	var fresh []bridge.Intent
	for _, e := range edits {
		j := v.Job(e.Run.Job)
		fresh = append(fresh, bridge.Intent{
			ID: int64(len(d.intents) + len(fresh) + 1), Edit: e, Before: ledger.BeforeOfEdit(book, j, e, v.At),
			State: bridge.IntentPlanned, NotAfter: ledger.EditExpiry(e), Made: v.At, Sent: v.At,
		})
	}
	for i := range fresh {
		push.SetOutcome(&fresh[i], sim.DirectCluster{World: d.w}.ApplyEdit(context.Background(), fresh[i].Edit), v.At)
		if fresh[i].State != bridge.IntentAcked {
			t.Fatalf("%v: %s %s", fresh[i].Edit, fresh[i].State, fresh[i].Error)
		}
	}
	d.intents = append(d.intents, fresh...)
}

func (d *desk) settle(v *slurm.View) {
	d.intents = ledger.ReplaceChangedIntents(d.intents, ledger.SettleIntents(d.intents, v, v.At))
}

// aPlan draws a lawful plan for the pending jobs: any order, some held, none
// started, so that the world stays as it is between two diffs.
func aPlan(t *rapid.T, s *policy.Snapshot) *policy.Plan {
	ids := make([]policy.JobID, len(s.Jobs))
	for i := range s.Jobs {
		ids[i] = s.Jobs[i].ID
	}
	rank := map[policy.JobID]int{}
	for i, id := range rapid.Permutation(ids).Draw(t, "line") {
		rank[id] = i + 1
	}
	p := &policy.Plan{SnapshotSeq: s.Seq}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		d := policy.Decision{Job: j.ID, Verb: policy.Wait, Rank: rank[j.ID], Why: "for a test"}
		switch {
		case j.HoldsGPUs():
			d.Verb, d.On = policy.Keep, j.On
		case j.HeldReason == "" && rapid.Bool().Draw(t, "hold"):
			d.Verb = policy.Hold
		}
		p.Decisions = append(p.Decisions, d)
	}
	return p
}

func crowd(t *rapid.T, n int) *sim.World {
	w, err := sim.New(sim.Config{
		ClusterName: "lab", Nodes: sim.UniformNodes(1, "a100", 8), BackfillInterval: -1,
		PriorityWeights: sim.PriorityWeights{FairShare: 10_000}, // no age: an update would move the priority by its rounding
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		s := sim.JobSpec{User: fmt.Sprint("u", i%3), GPUs: 8, TimeLimit: 10 * time.Hour, WorkTime: 10 * time.Hour, Hold: i > 0 && rapid.IntRange(0, 6).Draw(t, "held") == 0}
		if _, err := w.Submit(s); err != nil {
			t.Fatal(err)
		}
	}
	w.Advance(w.Now().Add(6 * time.Minute)) // fair share has been computed: nothing moves the priorities from here on
	return w
}

// TestDiffIsLevelBased: applied to its own effect, Diff is empty; Slurm's own
// order of the jobs is then the plan's; and undoing gives everything back.
func TestDiffIsLevelBased(t *testing.T) {
	for _, lever := range []slurm.EditKind{slurm.EditSiteFactor, slurm.EditPriority, slurm.EditNice} {
		t.Run(string(lever), func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { checkLevel(t, lever) }) })
	}
}

func checkLevel(t *rapid.T, lever slurm.EditKind) {
	d := &desk{w: crowd(t, rapid.IntRange(2, 8).Draw(t, "jobs"))}
	original := observe(d.w)
	for range rapid.IntRange(1, 4).Draw(t, "cycles") {
		v := observe(d.w)
		d.settle(v)
		wish := d.wish(t, v, lever)
		d.apply(t, v, Diff(wish))
		d.w.Advance(d.w.Now().Add(20 * time.Second))
		wish.View = observe(d.w)
		d.settle(wish.View)
		wish.Book = ledger.NewIntentBook(d.intents)
		if again := Diff(wish); len(again) > 0 {
			t.Fatalf("diff of its own effect: %v", again)
		}
		inOrder(t, wish)
	}
	d.undo(t, original)
}

func observe(w *sim.World) *slurm.View {
	v, _ := sim.DirectCluster{World: w}.Observe(context.Background())
	return v
}

func (d *desk) wish(t *rapid.T, v *slurm.View, lever slurm.EditKind) Input {
	book := ledger.NewIntentBook(d.intents)
	s := intake.AssembleSnapshot(intake.Input{View: v, Book: book, CycleSeq: 1}, bridge.Partition{Name: "gpu", Mode: bridge.ModePreempt})
	if len(s.Jobs) == 0 {
		s = intake.AssembleSnapshot(intake.Input{View: v, Book: book, CycleSeq: 1}, bridge.Partition{Name: v.Partitions[0].Name, Mode: bridge.ModePreempt})
	}
	return Input{PartitionGoal: actuator.PartitionGoal{
		Plan: aPlan(t, s), Snapshot: s, View: v, OrderEditKind: lever, MayPin: true,
		OrderConfig: bridge.Order{Strength: bridge.StrengthWithinQOS, Window: 100}, LeaseConfig: bridge.Lease{Length: 10 * time.Minute, Window: 100},
	}, Book: book, AllowedMode: bridge.ModePreempt}
}

// inOrder checks that Slurm's priorities follow the plan's ranks.
func inOrder(t *rapid.T, w Input) {
	line := w.PendingDecisionsInOrder()
	for i := 1; i < len(line); i++ {
		a, b := w.View.Job(int64(line[i-1].Job)), w.View.Job(int64(line[i].Job))
		if a.Priority <= b.Priority {
			t.Fatalf("job %d is rank %d with priority %d, job %d rank %d with %d", a.ID, line[i-1].Rank, a.Priority, b.ID, line[i].Rank, b.Priority)
		}
	}
}

// undo releases everything, and finds begin times, node lists and nice as the
// owners had them.
func (d *desk) undo(t *rapid.T, original *slurm.View) {
	v := observe(d.w)
	d.settle(v)
	d.apply(t, v, ledger.UndoEdits(d.intents, v, v.At))
	d.w.Advance(d.w.Now().Add(20 * time.Second))
	v = observe(d.w)
	d.settle(v)
	if left := ledger.UndoEdits(d.intents, v, v.At); len(left) > 0 {
		t.Fatalf("left after undoing: %v", left)
	}
	for i := range original.Jobs {
		was, is := &original.Jobs[i], v.Job(original.Jobs[i].ID)
		if is.EligibleTime.After(v.At) || is.Nice != was.Nice || is.RequiredNodes.Text != was.RequiredNodes.Text || is.IsHeld != was.IsHeld {
			t.Fatalf("job %d: begin %v nice %d required %q held %v, was nice %d required %q held %v",
				is.ID, is.EligibleTime, is.Nice, is.RequiredNodes.Text, is.IsHeld, was.Nice, was.RequiredNodes.Text, was.IsHeld)
		}
	}
}
