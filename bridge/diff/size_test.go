package diff

import (
	"fmt"
	"testing"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// startOn is a wish to start job 7, which asks 4 GPUs of 2 to 8, on so many; ours stands in its record where it is not 0.
func startOn(size int, ours int64) Input {
	w := startHere()
	w.AllowedMode = bridge.ModeElastic
	p, j := &w.Snapshot.Jobs[0], &w.View.Jobs[0]
	p.Ask.GPUs.Count, p.MinGPUs, p.MaxGPUs = 4, 2, 8
	w.Plan.Decisions[0].GPUs = size
	j.ProcessCount = 1
	shows := int64(4)
	if ours != 0 {
		shows = ours
		w.Book = ledger.NewIntentBook([]bridge.Intent{{ID: 1, State: bridge.IntentObserved, Edit: slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditSetGPUs, Value: ours}, Before: bridge.JobBefore{GPUs: 4}}})
	}
	j.RequestedTRES, j.GresPerNode = slurm.ReadTRES(fmt.Sprintf("gres/gpu=%d", shows)), slurm.ReadGRESRequest(fmt.Sprintf("gres/gpu:%d", shows))
	return w
}

// TestSizes: what the plan starts on another number gets it, what it does not gets its own back.
func TestSizes(t *testing.T) {
	for name, c := range map[string]struct {
		size   int
		ours   int64
		change func(*Input)
		want   int64 // the number that is written; 0: none
	}{
		"fewer":             {2, 0, nil, 2},
		"more":              {8, 0, nil, 8},
		"its own":           {4, 0, nil, 0},
		"set already":       {2, 2, nil, 0},
		"another":           {8, 2, nil, 8},
		"its own again":     {4, 2, nil, 4},
		"outside its range": {9, 0, nil, 0},
		"it waits":          {2, 2, func(w *Input) { w.Plan.Decisions[0].Verb = policy.Wait }, 4},
		"it waits, rigid":   {2, 2, func(w *Input) { w.Snapshot.Jobs[0].MinGPUs, w.Snapshot.Jobs[0].MaxGPUs = 0, 0 }, 4},
		"rigid":             {2, 0, func(w *Input) { w.Snapshot.Jobs[0].MinGPUs, w.Snapshot.Jobs[0].MaxGPUs = 0, 0 }, 0},
		"mode lowered":      {2, 2, func(w *Input) { w.AllowedMode = bridge.ModeRank }, 4},
		"mode preempt":      {2, 0, func(w *Input) { w.AllowedMode = bridge.ModePreempt }, 0},
		"requeued for 2": {0, 0, func(w *Input) {
			w.Plan.Decisions[0].Verb, w.SizeToResumeOn = policy.Wait, map[int64]actuator.Size{7: {Count: 2}}
		}, 2},
		"requeued for 2, it has it": {0, 2, func(w *Input) {
			w.Plan.Decisions[0].Verb, w.SizeToResumeOn = policy.Wait, map[int64]actuator.Size{7: {Count: 2}}
		}, 0},
		"a limit keeps it back": {2, 2, func(w *Input) {
			w.Plan.Decisions[0].Verb, w.Snapshot.Jobs[0].HeldReason = policy.Wait, "Slurm keeps it back (QOSMaxGRESPerUser)"
		}, 4},
		"requeued for 8, a limit keeps it back": {0, 8, func(w *Input) {
			w.Plan.Decisions[0].Verb, w.Snapshot.Jobs[0].HeldReason, w.SizeToResumeOn = policy.Wait, "Slurm keeps it back (AssocGrpGRES)", map[int64]actuator.Size{7: {Count: 8}}
		}, 4},
		"requeued for 8, it does not start": {0, 8, func(w *Input) {
			w.Plan.Decisions[0].Verb, w.Snapshot.Jobs[0].StuckReason, w.SizeToResumeOn = policy.Wait, "it did not start", map[int64]actuator.Size{7: {Count: 8}}
		}, 4},
		"a limit keeps it back, mode lowered": {2, 2, func(w *Input) {
			w.AllowedMode, w.Snapshot.Jobs[0].HeldReason = bridge.ModeRank, "Slurm keeps it back (QOSMinGRES)"
		}, 4},
		"a person holds it": {2, 2, func(w *Input) {
			w.View.Jobs[0].IsHeld, w.Snapshot.Jobs[0].HeldReason, w.Plan.Decisions[0].Verb = true, "held by its owner", policy.Wait
		}, 0},
		"a limit keeps it back, its own number": {2, 0, func(w *Input) {
			w.Plan.Decisions[0].Verb, w.Snapshot.Jobs[0].HeldReason = policy.Wait, "Slurm keeps it back (QOSMaxGRESPerUser)"
		}, 0},
		"requeued for 2, started on 8": {8, 2, func(w *Input) { w.SizeToResumeOn = map[int64]actuator.Size{7: {Count: 2}} }, 8},
	} {
		w := startOn(c.size, c.ours)
		if c.change != nil {
			c.change(&w)
		}
		var got int64
		for _, e := range Diff(w) {
			if e.Kind == slurm.EditSetGPUs {
				got = e.Value
			}
		}
		if got != c.want {
			t.Errorf("%s: %d is written, want %d", name, got, c.want)
		}
	}
}

// TestARequeueSaysTheSize: a running job that is to have another size is requeued once, with it.
func TestARequeueSaysTheSize(t *testing.T) {
	w := startOn(2, 0)
	w.View.Jobs[0].State, w.Snapshot.Jobs[0].State, w.Plan.Decisions[0].Verb = "RUNNING", policy.Running, policy.Resize
	edits := Diff(w)
	if len(edits) != 1 || edits[0].Kind != slurm.EditRequeue || edits[0].Value != 2 {
		t.Errorf("%v", edits)
	}
}
