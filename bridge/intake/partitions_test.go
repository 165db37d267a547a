package intake

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// TestAPartitionThatChanged: where the partition was changed so that it would not start a job
// (again), a running one is not stopped, and a waiting one is not counted on in a closed one.
func TestAPartitionThatChanged(t *testing.T) {
	w := world(t, sim.JobSpec{User: "alice", Account: "vision", QOS: "normal", Partition: "gpu", GPUsPerNode: 8, MinNodes: 3, TimeLimit: time.Hour, WorkTime: time.Hour, Comment: "fairbridge:preemptible"})
	w.Advance(w.Now().Add(2 * time.Minute))
	if _, err := w.Submit(sim.JobSpec{User: "bob", Account: "lang", Partition: "gpu", GPUs: 1, TimeLimit: time.Hour, WorkTime: time.Hour}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name       string
		change     func(*slurm.Partition)
		stop, held string // a part of why the running one is not stopped, and why the waiting one does not start
	}{
		{"as it was", func(*slurm.Partition) {}, "", ""},
		{"down", func(p *slurm.Partition) { p.State = "DOWN" }, "is down", "is down"},
		{"inactive", func(p *slurm.Partition) { p.State = "INACTIVE" }, "is inactive", "is inactive"},
		{"draining", func(p *slurm.Partition) { p.State = "DRAIN" }, "", ""},
		{"unreadable", func(p *slurm.Partition) { p.State = "" }, "", ""},
		{"a shorter limit", func(p *slurm.Partition) { p.MaxTimeMinutes = 59 }, "at most 59m", ""},
		{"a limit that suits", func(p *slurm.Partition) { p.MaxTimeMinutes = 60 }, "", ""},
		{"other accounts", func(p *slurm.Partition) { p.AllowedAccounts = []string{"lang", "speech"} }, "account vision", ""},
		{"its account", func(p *slurm.Partition) { p.AllowedAccounts = []string{"Vision"} }, "", ""},
		{"all accounts", func(p *slurm.Partition) { p.AllowedAccounts = []string{"ALL"} }, "", ""},
		{"its account denied", func(p *slurm.Partition) { p.DeniedAccounts = []string{"lang", "Vision"} }, "account vision", ""},
		{"another account denied", func(p *slurm.Partition) { p.DeniedAccounts = []string{"lang"} }, "", ""},
		{"denied, and allowed by name", func(p *slurm.Partition) {
			p.AllowedAccounts, p.DeniedAccounts = []string{"vision"}, []string{"vision"}
		}, "", ""},
		{"its QOS denied", func(p *slurm.Partition) { p.DeniedQOS = []string{"normal"} }, "QOS normal", ""},
		{"another QOS", func(p *slurm.Partition) { p.AllowedQOS = []string{"high"} }, "QOS normal", ""},
	} {
		v := view(t, w)
		c.change(v.Partition("gpu"))
		s := AssembleSnapshot(Input{View: v, OptIn: bridge.OptIn{Comment: true}}, preempting("gpu"))
		for what, x := range map[string]struct{ got, want string }{
			"running": {s.Job(1).UnstoppableReason, c.stop}, "waiting": {s.Job(2).HeldReason, c.held},
		} {
			if (x.got == "") != (x.want == "") || !strings.Contains(x.got, x.want) {
				t.Errorf("%s, %s: %q, want %q", c.name, what, x.got, x.want)
			}
		}
	}
}
