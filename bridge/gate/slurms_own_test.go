package gate_test

import (
	"testing"
	"time"

	"fairbridge/bridge/gate"
	"fairbridge/policy"
)

// Nothing is stopped for a job to which Slurm may give room by itself, or which may lack something else.
var slurmsOwnCases = []planCase{
	{"Slurm lacks resources", policy.Stop, func(in *gate.PlanInput) { viewJob(&in.CommonInput, 1).Reason = "Resources" }, ""},
	{"Slurm has not looked at a new job", policy.Stop, func(in *gate.PlanInput) {
		viewJob(&in.CommonInput, 1).Reason, viewJob(&in.CommonInput, 1).Submit = "None", noon.Add(-50*time.Second)
	}, "I8"},
	{"Slurm has not looked at a job whose time has come", policy.Stop, func(in *gate.PlanInput) {
		viewJob(&in.CommonInput, 1).EligibleTime = noon.Add(-50 * time.Second)
	}, "I8"},
	{"Slurm has looked at a new job", policy.Stop, func(in *gate.PlanInput) {
		viewJob(&in.CommonInput, 1).Reason, viewJob(&in.CommonInput, 1).Submit = "Priority", noon.Add(-50*time.Second)
	}, ""},
	{"licences may be what it lacks", policy.Stop, func(in *gate.PlanInput) {
		viewJob(&in.CommonInput, 1).Reason, viewJob(&in.CommonInput, 1).Licenses = "Priority", "solver:1"
	}, "I8"},
	{"it lacks nodes, not licences", policy.Stop, func(in *gate.PlanInput) {
		viewJob(&in.CommonInput, 1).Reason, viewJob(&in.CommonInput, 1).Licenses = "Resources", "solver:1"
	}, ""},
	{"Slurm preempts a job", policy.Stop, func(in *gate.PlanInput) {
		viewJob(&in.CommonInput, 13).PreemptTime = noon.Add(-time.Minute)
	}, "I8"},
	{"Slurm preempts a job elsewhere", policy.Stop, func(in *gate.PlanInput) {
		j := viewJob(&in.CommonInput, 13)
		j.PreemptTime, in.Snapshot.Jobs[6].On = noon.Add(-time.Minute), nil
	}, ""},
	{"a job is ending", policy.Stop, func(in *gate.PlanInput) {
		j := viewJob(&in.CommonInput, 13)
		j.Flags, j.End = []string{"COMPLETING"}, noon.Add(-time.Minute)
	}, "I8"},
	{"a job has been ending for long", policy.Stop, func(in *gate.PlanInput) {
		j := viewJob(&in.CommonInput, 13)
		j.Flags, j.End = []string{"COMPLETING"}, noon.Add(-6*time.Minute)
	}, ""},
	{"a job is ending and leaves too little", policy.Stop, func(in *gate.PlanInput) {
		j := viewJob(&in.CommonInput, 13)
		j.Flags, j.End = []string{"COMPLETING"}, noon.Add(-time.Minute)
		in.Snapshot.Jobs[6].On[0].Count = 4
		in.Snapshot.Nodes[2].GPUs[0].SickCount = 4
	}, ""},
	{"Slurm preempted an earlier run", policy.Stop, func(in *gate.PlanInput) {
		viewJob(&in.CommonInput, 13).PreemptTime = noon.Add(-8 * time.Hour)
	}, ""},
}

func TestWhatSlurmDoesItself(t *testing.T) {
	for _, c := range slurmsOwnCases {
		t.Run(c.name, c.check)
	}
}
