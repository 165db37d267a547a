package oracle

import (
	"slices"
	"testing"

	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// TestALateNodeListOverTheOwners: a call that comes late takes the place of nodes that the owner named.
// A daemon that was shown them gives them back; one that was not cannot.
func TestALateNodeListOverTheOwners(t *testing.T) {
	for _, isShown := range []bool{true, false} {
		o := judge(t, sim.JobSpec{}, nil)
		d := o.daemon(t)
		before := slurm.Job{ID: o.job, RequiredNodes: slurm.ReadHosts("n2")}
		after := slurm.Job{ID: o.job, RequiredNodes: slurm.ReadHosts("n1")}
		d.settledNodesByJob = map[int64]string{}
		if isShown {
			d.settledNodesByJob[o.job] = "n2"
		}
		e := o.jobBook.entryForJob(o.actualJob(o.job))
		e.stateByField[FieldRequiredNodes].ownersValue = "n2"
		late := &Call{SentBy: d, Edit: slurm.Edit{Kind: slurm.EditRequireNodes, Nodes: []string{"n1"}}, IsLate: true}
		late.Edit.Run.Job = o.job
		end := o.StartCall(late)
		o.noteWriteArrival(e, &sim.AuditEntry{ActingUser: d.Name, JobID: o.job, Action: "update", Update: sim.JobUpdate{RequiredNodes: &[]string{"n1"}}, JobBefore: before}, &after)
		end()
		back := &Call{SentBy: d, Edit: slurm.Edit{Kind: slurm.EditRequireNodes}}
		back.Edit.Run.Job = o.job
		o.CheckSend(back)
		if got := slices.Contains(o.rules(), "I12"); got != isShown {
			t.Errorf("shown %t: I12 is broken: %t: %v", isShown, got, o.Verdict().Breaches)
		}
	}
}
