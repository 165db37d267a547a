package main

import (
	"strings"
	"testing"

	"fairbridge/bridge"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
)

func TestReleaseCountsAndListsOnRequest(t *testing.T) {
	edits := []slurm.Edit{
		{Kind: slurm.EditSiteFactor, Run: slurm.Run{Job: 6}}, {Kind: slurm.EditRequireNodes, Run: slurm.Run{Job: 7}}, {Kind: slurm.EditSiteFactor, Run: slurm.Run{Job: 8}},
	}
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
	} {
		var b strings.Builder
		if printReleased(&b, &c.out, c.dry, c.verbose); b.String() != c.want {
			t.Errorf("%s: got\n%swant\n%s", name, b.String(), c.want)
		}
	}
}
