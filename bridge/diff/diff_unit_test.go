package diff

import (
	"slices"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/bridgetest"
	"fairbridge/policy"
)

var noon = bridgetest.Noon

// startHere is a wish to start job 7 on n2, four GPUs of which are free.
func startHere() Input {
	j := bridgetest.NewWaitingJob()
	j.RequiredNodes, j.NodeCount, j.MaxNodes = slurm.Hosts{}, 1, 1
	return Input{PartitionGoal: actuator.PartitionGoal{
		Plan:     &policy.Plan{Decisions: []policy.Decision{{Job: 7, Verb: policy.Start, Rank: 1, On: policy.Alloc{{Node: "n2", Type: "a100", Count: 4}}, Why: "they are free"}}},
		Snapshot: &policy.Snapshot{Jobs: []policy.Job{{ID: 7, State: policy.Pending}}},
		View: &slurm.View{At: noon, Jobs: []slurm.Job{j}, Nodes: []slurm.Node{
			{Name: "n1", Gres: slurm.ReadGRES("gpu:a100:8"), GresUsed: slurm.ReadGRES("gpu:a100:8(IDX:0-7)")}, {Name: "n2", Gres: slurm.ReadGRES("gpu:a100:8"), GresUsed: slurm.ReadGRES("gpu:a100:4(IDX:0-3)")},
		}},
		MayPin: true, OrderEditKind: slurm.EditSiteFactor,
		OrderConfig: bridge.Order{Strength: bridge.StrengthWithinQOS, Window: 10}, LeaseConfig: bridge.Lease{Length: 10 * time.Minute, Window: 10},
	}, Book: ledger.NewIntentBook(nil), AllowedMode: bridge.ModePreempt}
}

func TestPins(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Input)
		pinned bool
	}{
		{"free", func(*Input) {}, true},
		{"switched off", func(w *Input) { w.MayPin = false }, false},
		{"not free yet", func(w *Input) { w.View.Nodes[1].GresUsed = slurm.ReadGRES("gpu:a100:5(IDX:0-4)") }, false},
		{"an unsplit array", func(w *Input) { w.View.Jobs[0].ArrayJobID = 7; w.View.Jobs[0].ArrayTasks = slurm.ReadArrayTasks("0-3") }, false},
		{"one task of an array", func(w *Input) { w.View.Jobs[0].ArrayJobID = 6; w.View.Jobs[0].IsArrayTask = true }, true},
		{"two nodes wanted", func(w *Input) { w.View.Jobs[0].NodeCount = 2 }, false},
		{"it may get two nodes", func(w *Input) { w.View.Jobs[0].MaxNodes = 2 }, false},
		{"its owner insists on another node", func(w *Input) { w.View.Jobs[0].RequiredNodes = slurm.ReadHosts("n1") }, false},
		{"its owner insists on this node", func(w *Input) { w.View.Jobs[0].RequiredNodes = slurm.ReadHosts("n2") }, false}, // stands already
		{"constraint we cannot read", func(w *Input) { w.Snapshot.Jobs[0].UnplaceableReason = "[a|b]" }, false},
		{"held meanwhile", func(w *Input) { w.View.Jobs[0].IsHeld = true }, false},
		{"unreadable", func(w *Input) { w.View.Jobs[0].UntrustedReason = "no priority" }, false},
		{"part of a het job", func(w *Input) { w.View.Jobs[0].HetJobID = 6 }, false},
		{"cannot start anyway", func(w *Input) { w.Snapshot.Jobs[0].HeldReason = "dependency" }, false},
		{"rank mode", func(w *Input) { w.AllowedMode = bridge.ModeRank }, false},
	}
	for _, tt := range tests {
		w := startHere()
		tt.change(&w)
		pinned := false
		for _, e := range Diff(w) {
			pinned = pinned || e.Kind == slurm.EditRequireNodes && len(e.Nodes) == 1 && e.Nodes[0] == "n2"
			if tt.name == "held meanwhile" || tt.name == "unreadable" {
				t.Errorf("%s: %v", tt.name, e)
			}
		}
		if pinned != tt.pinned {
			t.Errorf("%s: pinned %v, want %v", tt.name, pinned, tt.pinned)
		}
	}
}

// Where pins are no longer safe, one that stands is given back although the job
// would start there.
func TestAPinIsGivenBackWhereNoneMayBeSet(t *testing.T) {
	w := startHere()
	j := &w.View.Jobs[0]
	j.RequiredNodes = slurm.ReadHosts("n2")
	w.Book = ledger.NewIntentBook([]bridge.Intent{{
		ID: 1, State: bridge.IntentObserved, Edit: slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditRequireNodes, Nodes: []string{"n2"}},
	}})
	for _, pin := range []bool{true, false} {
		w.MayPin = pin
		back := slices.ContainsFunc(Diff(w), func(e slurm.Edit) bool { return e.Kind == slurm.EditRequireNodes && len(e.Nodes) == 0 })
		if back == pin {
			t.Errorf("pins allowed %v: given back %v", pin, back)
		}
	}
}

// What starts now stands before what waits, whatever the ranks.
func TestLineBeginsWithWhatStarts(t *testing.T) {
	w := startHere()
	w.View.Jobs, w.Snapshot.Jobs, w.Plan.Decisions = nil, nil, nil
	for i, verb := range []policy.Verb{policy.Wait, policy.Start, policy.Hold, policy.Wait, policy.Start} {
		j := bridgetest.NewWaitingJob()
		j.ID = int64(i + 1)
		w.View.Jobs = append(w.View.Jobs, j)
		w.Snapshot.Jobs = append(w.Snapshot.Jobs, policy.Job{ID: policy.JobID(j.ID), State: policy.Pending})
		w.Plan.Decisions = append(w.Plan.Decisions, policy.Decision{Job: policy.JobID(j.ID), Verb: verb, Rank: 5 - i, Why: "for a test"})
	}
	var ids []policy.JobID
	for _, dec := range w.PendingDecisionsInOrder() {
		ids = append(ids, dec.Job)
	}
	if want := []policy.JobID{5, 2, 4, 3, 1}; !slices.Equal(ids, want) {
		t.Errorf("the line is %v, want %v", ids, want)
	}
}

func TestLeaseKeepsTheOwnersBegin(t *testing.T) {
	w := startHere()
	w.Plan.Decisions[0].Verb, w.Plan.Decisions[0].On = policy.Hold, nil
	if e := Diff(w); len(e) != 1 || e[0].Kind != slurm.EditLease {
		t.Fatalf("no lease: %v", e)
	}
	w.View.Jobs[0].EligibleTime = noon.Add(time.Hour)
	for _, e := range Diff(w) {
		if e.Kind == slurm.EditLease {
			t.Errorf("a lease over its owner's later begin: %v", e)
		}
	}
}

func TestNothingIsSentToAFieldWhoseOutcomeIsOpen(t *testing.T) {
	w := startHere()
	j := w.View.Jobs[0]
	w.Book = ledger.NewIntentBook([]bridge.Intent{{ID: 1, Edit: slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditRequireNodes}, State: bridge.IntentUnknown}})
	for _, e := range Diff(w) {
		if e.Kind == slurm.EditRequireNodes {
			t.Errorf("sent %v while an outcome is open", e)
		}
	}
	w.Book = ledger.NewIntentBook([]bridge.Intent{{ID: 1, Edit: slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditLease}, State: bridge.IntentYielded}})
	if e := Diff(w); len(e) > 0 {
		t.Errorf("sent %v to a job that was yielded", e)
	}
}

// TestLeasesEndApart: leases given in one cycle do not end in one second, in
// which Slurm would start all their jobs, and none lasts longer than asked.
func TestLeasesEndApart(t *testing.T) {
	w := startHere()
	w.View.Jobs, w.Plan.Decisions, w.Snapshot.Jobs, w.LeaseConfig.Window = nil, nil, nil, 100
	for id := range int64(60) {
		j := bridgetest.NewWaitingJob()
		j.ID, j.RequiredNodes = id+1, slurm.Hosts{}
		w.View.Jobs = append(w.View.Jobs, j)
		w.Plan.Decisions = append(w.Plan.Decisions, policy.Decision{Job: policy.JobID(j.ID), Verb: policy.Hold, Rank: int(j.ID), Why: "others go first"})
		w.Snapshot.Jobs = append(w.Snapshot.Jobs, policy.Job{ID: policy.JobID(j.ID), State: policy.Pending})
	}
	ends := map[time.Duration]int{}
	for _, e := range Diff(w) {
		if e.Kind == slurm.EditLease {
			ends[e.Until.Sub(noon)]++
		}
	}
	total := 0
	for length, n := range ends {
		if total += n; length >= 10*time.Minute || length < 9*time.Minute {
			t.Errorf("%d leases of %v, want between nine and ten minutes", n, length)
		}
		if n > 8 {
			t.Errorf("%d of 60 leases end after %v", n, length)
		}
	}
	if total != 60 || len(ends) < 30 {
		t.Errorf("%d leases end at %d times, want 60 at 30 or more", total, len(ends))
	}
}

// A job that has waited very long is not lowered below the number that may stand in
// it, when the answer to a later one was lost: it gets that one for certain.
func TestALongWaitIsNotLoweredByALostAnswer(t *testing.T) {
	w := startHere()
	first := w.View.Jobs[0]
	first.ID, first.Priority = 8, 5100
	w.View.Jobs = append(w.View.Jobs, first)
	w.Snapshot.Jobs = []policy.Job{{ID: 7, State: policy.Pending, Arrive: noon.Add(-73 * time.Hour)}, {ID: 8, State: policy.Pending, Arrive: noon}}
	w.Plan.Decisions = []policy.Decision{{Job: 8, Verb: policy.Wait, Rank: 1}, {Job: 7, Verb: policy.Wait, Rank: 2}}
	w.MaxLowerableWait, w.AllowedMode = 72*time.Hour, bridge.ModeRank
	w.Book = ledger.NewIntentBook([]bridge.Intent{{
		ID: 1, State: bridge.IntentObserved, Error: "no answer", Before: bridge.JobBefore{OurValue: -100},
		Edit: slurm.Edit{Run: w.View.Jobs[0].CurrentRun(), Kind: slurm.EditSiteFactor, Value: -900},
	}})
	edits := Diff(w)
	i := slices.IndexFunc(edits, func(e slurm.Edit) bool { return e.Run.Job == 7 })
	if i < 0 || edits[i].Value != -100 {
		t.Errorf("%v, want job 7 at -100", edits)
	}
}
