package intake

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// willing is a job of eve that opted in, of one GPU.
func willing(comment string) slurm.Job {
	return slurm.Job{
		User: "eve", State: "PENDING", IsBatch: true, NodeCount: 1, ProcessCount: 1, MemPerNodeMB: 100, TimeLimit: time.Hour,
		RequestedTRES: slurm.ReadTRES("cpu=1,node=1,gres/gpu=1"), GresPerNode: slurm.ReadGRESRequest("gres/gpu:1"), Directive: slurm.ReadDirective("fairbridge:shareable,gpu_mem=12G,gpu_busy=30% " + comment),
	}
}

// willingInput is a node of four GPUs of 40 GB with four shards each, in mode share.
func willingInput(jobs ...slurm.Job) (Input, bridge.Partition) {
	v := migView("gpu:a100:4,shard:a100:16", jobs...)
	v.Release = "24.11.5"
	p := preempting("gpu")
	p.Mode = bridge.ModeShare
	return Input{View: v, HasExpiryTimer: true, MeasuredByNode: map[string][]policy.NodeDevices{"n1": {{Type: "a100", Count: 4, MemMB: 40_000}}}}, p
}

// TestWhoShares: a job may have neighbours where its owner, the mode, the release and the nodes allow it; what keeps it
// from them is told.
func TestWhoShares(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Input, *bridge.Partition, *slurm.Job)
		why    string
	}{
		"it may":       {func(*Input, *bridge.Partition, *slurm.Job) {}, ""},
		"mode elastic": {func(_ *Input, p *bridge.Partition, _ *slurm.Job) { p.Mode = bridge.ModeElastic }, "not in mode share"},
		"22.05":        {func(k *Input, _ *bridge.Partition, _ *slurm.Job) { k.View.Release = "22.05.8" }, "Slurm 22.05.8"},
		"no timer":     {func(k *Input, _ *bridge.Partition, _ *slurm.Job) { k.HasExpiryTimer = false }, "fairbridge expire"},
		"no memory":    {func(_ *Input, _ *bridge.Partition, j *slurm.Job) { j.Directive.GPUMemMB = 0 }, "gpu_mem=12G"},
		"no use":       {func(_ *Input, _ *bridge.Partition, j *slurm.Job) { j.Directive.GPUBusyPercent = 0 }, "gpu_busy=30%"},
		"no probes":    {func(k *Input, _ *bridge.Partition, _ *slurm.Job) { k.MeasuredByNode = nil }, "node probes"},
		"no shards":    {func(k *Input, _ *bridge.Partition, _ *slurm.Job) { k.View.Nodes[0].Gres = slurm.ReadGRES("gpu:a100:4") }, "no node of partition gpu"},
		"two GPUs": {func(_ *Input, _ *bridge.Partition, j *slurm.Job) {
			j.RequestedTRES, j.GresPerNode = slurm.ReadTRES("gres/gpu=2"), slurm.ReadGRESRequest("gres/gpu:2")
		}, "2 GPUs"},
		"a constraint": {func(_ *Input, _ *bridge.Partition, j *slurm.Job) { j.Features = slurm.ReadFeatures("a|b") }, "a|b"},
		"no user":      {func(_ *Input, _ *bridge.Partition, j *slurm.Job) { j.User = "" }, "whose it is is not known"},
		"uneven": {func(k *Input, _ *bridge.Partition, _ *slurm.Job) {
			k.View.Nodes[0].Gres = slurm.ReadGRES("gpu:a100:4,shard:a100:10")
		}, "no node of partition gpu"},
		"two types": {func(k *Input, _ *bridge.Partition, _ *slurm.Job) {
			k.View.Nodes[0].Gres = slurm.ReadGRES("gpu:a100:2,gpu:h100:2,shard:a100:8,shard:h100:8")
		}, "no node of partition gpu"},
		"one of two types": {func(k *Input, _ *bridge.Partition, _ *slurm.Job) {
			k.View.Nodes[0].Gres = slurm.ReadGRES("gpu:a100:2,gpu:h100:2,shard:a100:8")
		}, ""},
		"its owner left": {func(k *Input, _ *bridge.Partition, _ *slurm.Job) {
			k.LeftAloneReasonByUser = map[string]string{"ann": "she said so"}
		}, "she said so"},
		"a whole GPU": {func(_ *Input, _ *bridge.Partition, j *slurm.Job) {
			j.State, j.Nodes, j.GresDetail = "RUNNING", slurm.ReadHosts("n1"), slurm.ReadGRESDetail([]string{"gpu:a100:1(IDX:0)"})
		}, "as a whole"},
	} {
		k, p := willingInput(willing(""))
		c.change(&k, &p, &k.View.Jobs[0])
		j := AssembleSnapshot(k, p).Jobs[0]
		if j.Shareable != (c.why == "") || !strings.Contains(j.IgnoredReason, c.why) || (j.IgnoredReason == "") != (c.why == "") {
			t.Errorf("%s: shareable %v, ignored %q, want %q", name, j.Shareable, j.IgnoredReason, c.why)
		}
	}
}

// TestOtherUsersAreForThePartition: that an owner accepts jobs of others counts where the partition allows it.
func TestOtherUsersAreForThePartition(t *testing.T) {
	for _, allowed := range []bool{true, false} {
		k, p := willingInput(willing("fairbridge:shareable=others"))
		p.SharesBetweenUsers = allowed
		if j := AssembleSnapshot(k, p).Jobs[0]; !j.Shareable || j.Sharing.AcceptsOtherUsers != allowed || j.Sharing.MemMB != 12*1024 || j.Sharing.Utilisation != policy.KnownValue(.3) {
			t.Errorf("allowed %v: %+v", allowed, j.Sharing)
		}
	}
}

// TestSharingJobsStandForThemselves: two that opted in are on one device, each as what its owner asked, and one that waits
// with shards of ours asks for its GPU.
func TestSharingJobsStandForThemselves(t *testing.T) {
	on := func(detail string, opted bool) slurm.Job {
		j := willing("")
		j.State, j.Nodes, j.GresDetail, j.Start = "RUNNING", slurm.ReadHosts("n1"), slurm.ReadGRESDetail([]string{detail}), time.Unix(1, 0)
		j.RequestedTRES, j.GresPerNode, j.Directive.Shareable = slurm.ReadTRES("cpu=1,node=1"), slurm.ReadGRESRequest("gres/shard:2"), opted
		return j
	}
	waits := willing("")
	waits.RequestedTRES, waits.GresPerNode = slurm.ReadTRES("cpu=1,node=1"), slurm.ReadGRESRequest("gres/shard:2")
	foreign, whole := waits, on("gpu:a100:1(IDX:3)", false)
	whole.RequestedTRES, whole.GresPerNode = slurm.ReadTRES("gres/gpu=1"), slurm.ReadGRESRequest("gres/gpu:1")
	k, p := willingInput(on("shard:2(0/4,2/4,0/4,0/4)", true), on("shard:2(0/4,2/4,0/4,0/4)", true), on("shard:2(0/4,0/4,2/4,0/4)", true), on("shard:1(0/4,0/4,1/4,0/4)", false), waits, foreign, whole)
	k.Book = ledger.NewIntentBook([]bridge.Intent{{
		ID: 1, State: bridge.IntentObserved, Edit: slurm.Edit{Run: k.View.Jobs[4].CurrentRun(), Kind: slurm.EditSetShards, Value: 2, Nodes: []string{"n1"}}, Before: bridge.JobBefore{GPUs: 1, GPUType: "a100"},
	}})
	s := AssembleSnapshot(k, p)
	for _, id := range []policy.JobID{1, 2} {
		j := s.Job(id)
		if j == nil || !j.Shareable || len(j.On) != 1 || j.On[0].Devices != policy.NewDeviceSet(1) || j.Ask.GPUs.WholeGPUs() != 1 || strings.Contains(j.UnstoppableReason, "shares of a GPU") {
			t.Errorf("job %d: %+v", id, j)
		}
	}
	if a, b := s.Job(3), s.Job(4); (a == nil) == (b == nil) || a != nil && a.Shareable || b != nil && b.Shareable {
		t.Errorf("a GPU of which one owner did not opt in: %+v %+v", a, b)
	}
	if j := s.Job(5); j == nil || !j.Shareable || j.Ask.GPUs != (policy.GPUs{Type: "a100", Count: 1}) || j.State != policy.Pending {
		t.Errorf("it waits with shards of ours: %+v", j)
	}
	if j := s.Job(6); j != nil {
		t.Errorf("it asks for shards itself: %+v", j)
	}
	if j := s.Job(7); j == nil || j.Shareable || len(j.On) != 1 || j.On[0].Devices != policy.NewDeviceSet(3) {
		t.Errorf("it has a GPU as a whole: %+v", j)
	}
	if d := s.Nodes[0].GPUs[0]; d.SharesPerGPU != 4 || d.OnlyWhole || d.MemMB != 40_000 {
		t.Errorf("%+v", d)
	}
}
