package slurm

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A device is whole unless its type ends with a MIG profile of fewer compute
// slices than the GPU has: as NVIDIA lists them for the A30, A100, H100, H200.
func TestPartOf(t *testing.T) {
	for typ, want := range map[string]int{
		"": 100, "gpu": 100, "a100": 100, "A100-SXM4-80GB": 100, "nvidia_a100_80gb_pcie": 100, "3g": 100, "g.5gb": 100, "8g.40gb": 100, "1g.5mb": 100, "0g.5gb": 100,
		"1g.5gb": 14, "1g.10gb": 14, "2g.10gb": 28, "3g.20gb": 42, "4g.20gb": 57, "7g.40gb": 100, "7g.80gb": 100,
		"nvidia_a100_3g.20gb": 42, "a100_1g.5gb": 14, "a100-2g.10gb": 28, "NVIDIA_A100_1G.5GB": 14, "nvidia_h100_80gb_hbm3_1g.10gb": 14, "3g.71gb": 42,
		"1g.5gb+me": 14, "nvidia_a100_1g.5gb+me": 14, "1g.10gb+gfx": 14,
		"1c.3g.20gb": 14, "2c.3g.20gb": 28, "4c.3g.20gb": 100,
		"1g.6gb": 25, "2g.12gb": 50, "4g.24gb": 100,
	} {
		if got := PercentOfGPUType(typ); got != want {
			t.Errorf("a device of type %q is %d %% of a GPU, want %d", typ, got, want)
		}
	}
}

func TestNodeDevices(t *testing.T) {
	for gres, want := range map[string][]GRES{
		"":                   nil,
		"gpu:::(":            nil,
		"shard:4":            nil,
		"gpu:8(S:0-1)":       {{Name: "gpu", Type: UntypedGPU, Count: 8}},
		"gpu:h100:4,gpu:2":   {{Name: "gpu", Type: "h100", Count: 6}},
		"gpu:a100:0":         nil,
		"gpu:1g.5gb:7,gpu:1": {{Name: "gpu", Type: "1g.5gb", Count: 8}},
		"gpu:b:1,gpu:a:1,shard:b:4,gpu:b:2": {
			{Name: "gpu", Type: "a", Count: 1}, {Name: "gpu", Type: "b", Count: 3}},
	} {
		n := Node{Gres: ReadGRES(gres), GresUsed: ReadGRES(gres)}
		if d := cmp.Diff(want, n.GPUs()) + cmp.Diff(want, n.GPUsInUse()); d != "" {
			t.Errorf("%s (-want +got):\n%s", gres, d)
		}
	}
}

func TestJobHolds(t *testing.T) {
	nodes := map[string]*Node{
		"n1": {Name: "n1", Gres: ReadGRES("gpu:a100:8")}, "n2": {Name: "n2", Gres: ReadGRES("gpu:a100:8")}, "n3": {Name: "n3", Gres: ReadGRES("gpu:4")},
		"n4": {Name: "n4", Gres: ReadGRES("gpu:1g.5gb:7,gpu:a100:4")},
	}
	on := func(node, typ string, count int) DeviceHold {
		return DeviceHold{node, GRES{Name: "gpu", Type: typ, Count: count}}
	}
	for name, c := range map[string]struct {
		job  Job
		want []DeviceHold
	}{
		"told":             {Job{Nodes: ReadHosts("n[1-2]"), GresDetail: ReadGRESDetail([]string{"gpu:a100:2(IDX:0-1)", "gpu:a100:1(IDX:0)"})}, []DeviceHold{on("n1", "a100", 2), on("n2", "a100", 1)}},
		"slices":           {Job{Nodes: ReadHosts("n4"), GresDetail: ReadGRESDetail([]string{"gpu:1g.5gb:2(IDX:0-1)"})}, []DeviceHold{on("n4", "1g.5gb", 2)}},
		"without a type":   {Job{Nodes: ReadHosts("n1"), GresDetail: ReadGRESDetail([]string{"gpu:(null):2(IDX:0-1)"})}, []DeviceHold{on("n1", "a100", 2)}},
		"node without one": {Job{Nodes: ReadHosts("n3"), GresDetail: ReadGRESDetail([]string{"gpu:2"})}, []DeviceHold{on("n3", UntypedGPU, 2)}},
		"mixed, by total":  {Job{Nodes: ReadHosts("n4"), GresDetail: ReadGRESDetail([]string{"gpu:2(IDX:0-1)"}), AllocatedTRES: ReadTRES("gres/gpu=2,gres/gpu:1g.5gb=2")}, []DeviceHold{on("n4", "1g.5gb", 2)}},
		"mixed, unsaid":    {Job{Nodes: ReadHosts("n4"), GresDetail: ReadGRESDetail([]string{"gpu:2(IDX:0-1)"}), AllocatedTRES: ReadTRES("gres/gpu=2")}, []DeviceHold{on("n4", "a100", 2)}},
		"spread":           {Job{Nodes: ReadHosts("n[1-2]"), AllocatedTRES: ReadTRES("cpu=8,gres/gpu=3,gres/gpu:a100=3"), RequestedTRES: ReadTRES("gres/gpu=16")}, []DeviceHold{on("n1", "a100", 2), on("n2", "a100", 1)}},
		"only asked":       {Job{Nodes: ReadHosts("n[1-2]"), NodeCount: 2, AllocatedTRES: ReadTRES("cpu=8"), GresPerNode: ReadGRESRequest("gres:gpu:2")}, []DeviceHold{on("n1", "a100", 2), on("n2", "a100", 2)}},
		"partly typed":     {Job{Nodes: ReadHosts("n4"), AllocatedTRES: ReadTRES("gres/gpu=3,gres/gpu:h100=1")}, []DeviceHold{on("n4", "a100", 2), on("n4", "h100", 1)}},
		"unknown node":     {Job{Nodes: ReadHosts("gone"), GresDetail: ReadGRESDetail([]string{"gpu:2"})}, []DeviceHold{on("gone", "", 2)}},
		"no GPUs":          {Job{Nodes: ReadHosts("n1"), AllocatedTRES: ReadTRES("cpu=8")}, nil},
		"unreadable":       {Job{Nodes: ReadHosts("n1"), GresDetail: ReadGRESDetail([]string{"gpu:::("})}, nil},
		"no nodes":         {Job{RequestedTRES: ReadTRES("gres/gpu=2")}, nil},
	} {
		if d := cmp.Diff(c.want, c.job.HeldDevices(func(n string) *Node { return nodes[n] })); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	v := View{Nodes: []Node{*nodes["n1"], *nodes["n3"]}}
	if v.Node("n3").Gres.Text != "gpu:4" || v.Node("n2") != nil || v.Node("n9") != nil {
		t.Error("a view finds the wrong node")
	}
}

func TestJobAsks(t *testing.T) {
	for name, c := range map[string]struct {
		job   Job
		want  GRES
		total int
	}{
		"tracked":     {Job{RequestedTRES: ReadTRES("cpu=1,gres/gpu=4,gres/gpu:a100=4")}, GRES{Name: "gpu", Type: "a100", Count: 4}, 4},
		"any":         {Job{RequestedTRES: ReadTRES("gres/gpu=4"), GresPerNode: ReadGRESRequest("gres/gpu:2")}, GRES{Name: "gpu", Count: 4}, 4},
		"not tracked": {Job{RequestedTRES: ReadTRES("cpu=1"), GresPerNode: ReadGRESRequest("gres:gpu:h100:2"), NodeCount: 3}, GRES{Name: "gpu", Type: "h100", Count: 6}, 6},
		"per job":     {Job{GresPerJob: ReadGRESRequest("gres/gpu:5")}, GRES{Name: "gpu", Count: 5}, 5},
		"none":        {Job{RequestedTRES: ReadTRES("cpu=4")}, GRES{Name: "gpu"}, 0},
		"given other": {Job{RequestedTRES: ReadTRES("gres/gpu=4"), AllocatedTRES: ReadTRES("gres/gpu=2")}, GRES{Name: "gpu", Count: 4}, 2},
	} {
		got, err := c.job.RequestedGPUs()
		if d := cmp.Diff(c.want, got); d != "" || err != nil || c.job.GPUCount() != c.total {
			t.Errorf("%s: %v, %d in all, want %d\n%s", name, err, c.job.GPUCount(), c.total, d)
		}
	}
	for _, j := range []Job{{RequestedTRES: ReadTRES("gres/gpu=x")}, {GresPerTask: ReadGRESRequest("gpu:1")}, {GresPerNode: ReadGRESRequest("gpu:::")}} {
		if got, err := j.RequestedGPUs(); err == nil || j.GPUCount() != 0 {
			t.Errorf("%+v asks for %v", j, got)
		}
	}
}
