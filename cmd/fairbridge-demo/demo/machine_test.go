package demo

import (
	"strings"
	"testing"
	"time"

	"fairbridge/cmd/fairbridge-demo/workday"
)

func TestASlowerMachineGetsALongerDay(t *testing.T) {
	for name, c := range map[string]struct {
		m    machineSpeed
		want pace
	}{
		"fast":            {machineSpeed{50 * time.Millisecond, 100 * time.Millisecond, 30 * time.Millisecond}, pace{120, 3 * time.Second}},
		"slow in cycles":  {machineSpeed{50 * time.Millisecond, time.Second, 30 * time.Millisecond}, pace{90, 4 * time.Second}},
		"slow to submit":  {machineSpeed{1250 * time.Millisecond, 100 * time.Millisecond, 30 * time.Millisecond}, pace{72, 5 * time.Second}},
		"slower than all": {machineSpeed{time.Second, time.Second, time.Minute}, pace{60, 6 * time.Second}},
	} {
		if got := suitablePace(c.m); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestAMachineThatCouldNotKeepUpIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		machine     *MachineReport
		alone, with float64 // latest submission, in seconds
		says        string
	}{
		"all in time":            {&MachineReport{IntervalSeconds: 3, CyclesDue: 70, CyclesMade: 70}, 1, 1, ""},
		"a few cycles late":      {&MachineReport{IntervalSeconds: 3, CyclesDue: 70, CyclesMade: 65}, 1, 1, ""},
		"cycles late":            {&MachineReport{IntervalSeconds: 3, CyclesDue: 70, CyclesMade: 50}, 1, 1, "50 of 70 cycles"},
		"submissions late":       {&MachineReport{IntervalSeconds: 3, CyclesDue: 70, CyclesMade: 70}, 1, 4, "up to 1.0 s late (Slurm alone) and 4.0 s"},
		"late on one Slurm only": {&MachineReport{IntervalSeconds: 3, CyclesDue: 70, CyclesMade: 70}, 5, 1, "up to 5.0 s late (Slurm alone) and 1.0 s"},
		"virtual time":           {nil, 9, 9, ""},
	} {
		x := &Comparison{Machine: c.machine, AloneFigures: &workday.Figures{LatestSubmissionSeconds: c.alone}, FairbridgeFigures: &workday.Figures{LatestSubmissionSeconds: c.with}}
		x.judgeMachine()
		got := x.latenessText()
		if c.says == "" && got != "" || !strings.Contains(got, c.says) || c.machine != nil && c.machine.KeptUp != (c.says == "") {
			t.Errorf("%s: %q, %+v", name, got, c.machine)
		}
	}
}
