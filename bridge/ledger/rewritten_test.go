package ledger

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/slurm"
)

func TestRewritten(t *testing.T) {
	begin, nice := lease(bridge.IntentUnknown), number(slurm.EditNice, 400, bridge.IntentUnknown)
	nice.Before.Nice = 7
	for _, tt := range []struct {
		name string
		in   bridge.Intent
		job  func(*slurm.Job)
		want bool
	}{
		{"begin: as it was", begin, same, false},
		{"begin: as we want it", begin, func(j *slurm.Job) { j.EligibleTime = begin.Edit.Until }, false},
		{"begin: later, by its owner", begin, func(j *slurm.Job) { j.EligibleTime = noon.Add(3 * time.Hour) }, true},
		{"begin: now, by its owner", begin, func(j *slurm.Job) { j.EligibleTime = noon }, true},
		{"nice: as it was", nice, func(j *slurm.Job) { j.Nice = 7 }, false},
		{"nice: as we want it", nice, func(j *slurm.Job) { j.Nice = 400 }, false},
		{"nice: its owner's", nice, func(j *slurm.Job) { j.Nice = 70 }, true},
		{"a site factor, which is not shown", number(slurm.EditSiteFactor, 50, bridge.IntentUnknown), func(j *slurm.Job) { j.Priority = 3 }, false},
	} {
		j := waiting()
		tt.job(&j)
		if got := actuator.ForeignOverwrite(&tt.in, &j); (got != "") != tt.want {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}
