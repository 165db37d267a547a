package main

import (
	"strings"
	"testing"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
)

func TestReleaseCountsAndListsOnRequest(t *testing.T) {
	edits := []slurm.Edit{
		{Kind: slurm.EditSiteFactor, Run: slurm.Run{Job: 6}}, {Kind: slurm.EditRequireNodes, Run: slurm.Run{Job: 7}}, {Kind: slurm.EditSiteFactor, Run: slurm.Run{Job: 8}},
	}
	task := slurm.Edit{Kind: slurm.EditSiteFactor, Run: slurm.Run{Job: 9, Restarts: 1}, Address: "5_1"}
	held := ledger.UnfinishedHandBack{Run: slurm.Run{Job: 10}, Label: "47_[4-9]"}
	refused := []bridge.Intent{{Edit: edits[0], State: bridge.IntentObserved}, {Edit: edits[1], State: bridge.IntentFailed, Error: "job is done"}, {Edit: edits[2], State: bridge.IntentAcked}}
	const failed = "  not so: require job 7 nodes []: FAILED: job is done\n"
	for name, c := range map[string]struct {
		out          push.ReleaseResult
		dry, verbose bool
		want         string
	}{
		"none":    {push.ReleaseResult{}, false, false, "Nothing of ours stands in Slurm.\n"},
		"dry run": {push.ReleaseResult{Edits: edits}, true, false, "3 edits would give back what is ours: 1 require, 2 site_factor.\nNothing was changed (--dry-run).\n"},
		"one failed": {
			push.ReleaseResult{Edits: edits, Intents: refused}, false, false,
			"2 edits gave back what was ours: 2 site_factor.\n" + failed,
		},
		"listed": {
			push.ReleaseResult{Edits: edits, Intents: refused}, false, true,
			"2 edits gave back what was ours: 2 site_factor.\n  site_factor job 6 to 0\n  site_factor job 8 to 0\n" + failed,
		},
		"all failed": {push.ReleaseResult{Edits: edits[1:2], Intents: refused[1:2]}, false, true, "0 edits gave back what was ours.\n" + failed},
		"tasks": {
			push.ReleaseResult{Edits: []slurm.Edit{task}, Intents: []bridge.Intent{{Edit: task, State: bridge.IntentFailed, Error: "no"}}}, false, true,
			"0 edits gave back what was ours.\n  not so: site_factor job 5_1 (restart 1) to 0: FAILED: no\n",
		},
		"tasks, listed": {push.ReleaseResult{Edits: []slurm.Edit{task}}, true, true,
			"1 edit would give back what is ours: 1 site_factor.\n  site_factor job 5_1 (restart 1) to 0\nNothing was changed (--dry-run).\n"},
		"mixed": {push.ReleaseResult{UnprovenTops: []int64{12, 14}}, false, false, "Nothing stands in Slurm that is provably ours.\n" +
			"The nice of jobs [12 14] was changed after us, as by scontrol top, and a number of ours may be part of it. " +
			"Which part cannot be told: it stays. To end it: scontrol update jobid=ID nice=0\n"},
	} {
		var b strings.Builder
		if printReleased(&b, &c.out, c.dry, c.verbose); b.String() != c.want {
			t.Errorf("%s: got\n%swant\n%s", name, b.String(), c.want)
		}
	}
	if got := held.RunText() + ": " + held.ReleaseCommand(); got != "47_[4-9]: scontrol release 10" { // a shell and scontrol take no list of tasks
		t.Errorf("a hand-back that was cut off is named %s", got)
	}
}
