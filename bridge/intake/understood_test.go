package intake

import (
	"strings"
	"testing"

	"fairbridge/bridge/slurm"
)

// TestJobsThatAreNotUnderstood: a job whose request, or whose partition, chooses nodes in a way that is not followed is
// placed by Slurm alone.
func TestJobsThatAreNotUnderstood(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*slurm.View)
		want   string
	}{
		"plain": {func(*slurm.View) {}, ""},
		"other": {func(v *slurm.View) {
			v.Jobs[0].GresPerNode = slurm.ReadGRESRequest("gres/gpu:1,gres/nvme:1")
		}, "nvme"},
		"mincpus":  {func(v *slurm.View) { v.Jobs[0].MinCPUsPerNode, v.Jobs[0].CPUs = 64, 8 }, "--mincpus"},
		"licences": {func(v *slurm.View) { v.Jobs[0].Licenses = "a|b" }, "one of several licences"},
		"switches": {func(v *slurm.View) { v.Jobs[0].UnusualRequest = "required_switches" }, "required_switches"},
		"exclusive": {func(v *slurm.View) {
			v.Partitions = []slurm.Partition{{Name: "gpu", State: "UP", Exclusive: "YES"}}
		}, "exclusive: YES"},
		"cores": {func(v *slurm.View) {
			v.Partitions = []slurm.Partition{{Name: "gpu", State: "UP", MaxCPUsPerNode: 8}}
		}, "8 cores"},
	} {
		v := &slurm.View{Jobs: []slurm.Job{{ID: 1, State: "PENDING", Partitions: []string{"gpu"}, CPUs: 8}}}
		c.change(v)
		why := v.UnplaceableReason(&v.Jobs[0])
		if (why == "") != (c.want == "") || !strings.Contains(why, c.want) {
			t.Errorf("%s: %q, want %q", name, why, c.want)
		}
	}
}
