package shares

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge/slurm"
)

// The records are those that Slurm 22.05.8, 24.11.5 and 26.05.5 showed (docs/sharing.md).
func TestHeld(t *testing.T) {
	nodes := map[string]*slurm.Node{
		"n1": {Name: "n1", Gres: slurm.ReadGRES("gpu:a100:4,shard:a100:16")},
		"n2": {Name: "n2", Gres: slurm.ReadGRES("gpu:a100:4,mps:a100:400")},
		"n3": {Name: "n3", Gres: slurm.ReadGRES("gpu:a100:4,gpu:a100_1g.10gb:4")},
		"n4": {Name: "n4", Gres: slurm.ReadGRES("gpu:a100:2,gpu:h100:2,shard:a100:4,shard:h100:16")},
		"n5": {Name: "n5", Gres: slurm.ReadGRES("gpu:4,shard:8")},
	}
	find := func(name string) *slurm.Node { return nodes[name] }
	for name, c := range map[string]struct {
		nodes  string
		detail []string
		asks   string
		want   []Hold
	}{
		"22.05":                 {"n1", []string{"shard:2(IDX:1)"}, "", []Hold{{"n1", "a100", 1, 50}}},
		"24.11":                 {"n1", []string{"shard:2(0/4,2/4,0/4,0/4)"}, "", []Hold{{"n1", "a100", 1, 50}}},
		"several GPUs":          {"n1", []string{"shard:6(0/4,2/4,4/4,0/4)"}, "", []Hold{{"n1", "a100", 1, 75}, {"n1", "a100", 2, 75}}},
		"two nodes":             {"n[1,4]", []string{"shard:1(0/4,0/4,0/4,1/4)", "shard:4(0/2,0/2,4/8,0/8)"}, "", []Hold{{"n1", "a100", 3, 25}, {"n4", "h100", 2, 50}}},
		"MPS":                   {"n2", []string{"mps:30(30/100,0/100,0/100,0/100)"}, "", []Hold{{"n2", "a100", 0, 30}}},
		"MPS, 22.05":            {"n2", []string{"mps:30(IDX:0)"}, "", []Hold{{"n2", "a100", 0, 30}}},
		"GPUs":                  {"n1", []string{"gpu:a100:1(IDX:0)"}, "gres/gpu:1", nil},
		"a slice":               {"n3", []string{"gpu:a100_1g.10gb:2(IDX:4-5)"}, "", nil},
		"GPUs without a type":   {"n5", []string{"shard:1(0/2,0/2,1/2,0/2)"}, "", []Hold{{"n5", "gpu", 2, 50}}},
		"devices not told":      {"n1", []string{"shard:5"}, "", []Hold{{"n1", "a100", UnknownDevice, 62}, {"n1", "a100", UnknownDevice, 62}}},
		"only what it asks":     {"n1", nil, "gres/shard:2", []Hold{{"n1", "a100", UnknownDevice, 50}}},
		"a node of elsewhere":   {"n9", []string{"shard:2(IDX:1)"}, "", []Hold{{"n9", "", UnknownDevice, 100}}},
		"a node without shares": {"n3", []string{"shard:2(IDX:1)"}, "", []Hold{{"n3", "a100", 1, 100}}},
	} {
		j := &slurm.Job{Nodes: slurm.ReadHosts(c.nodes), GresDetail: slurm.ReadGRESDetail(c.detail), GresPerNode: slurm.ReadGRESRequest(c.asks)}
		if d := cmp.Diff(c.want, Held(j, find)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// TestShardsPerGPU: shards are of use only where Slurm cannot choose a GPU of another type or another size for them.
func TestShardsPerGPU(t *testing.T) {
	for _, c := range []struct {
		gres, used, gpuType string
		want                int
	}{
		{"gpu:a100:4,shard:a100:16", "gpu:a100:0(IDX:N/A),shard:a100:6(0/4,4/4,2/4,-/4)", "a100", 4},
		{"gpu:a100:4,shard:a100:16", "gpu:a100:1(IDX:0),shard:a100:6(IDX:1-2)", "a100", 4},
		{"gpu:a100:4,shard:16", "", "a100", 4},
		{"gpu:4,shard:8", "", "gpu", 2},
		{"gpu:a100:4", "", "a100", 0},
		{"gpu:a100:4,mps:a100:400", "", "a100", 0},
		{"gpu:a100:4,shard:a100:10", "", "a100", 0},
		{"gpu:a100:2,shard:a100:8", "shard:a100:1(1/6,0/2)", "a100", 0},
		{"gpu:a100:2,gpu:h100:2,shard:a100:8", "", "a100", 4},
		{"gpu:a100:2,gpu:h100:2,shard:a100:8", "", "h100", 0},
		{"gpu:a100:2,gpu:h100:2,shard:a100:8,shard:h100:8", "", "a100", 0},
		{"gpu:a100:2,gpu:h100:2,shard:16", "", "a100", 0},
		{"gpu:a100:2,gpu:a100_1g.10gb:2,shard:a100:8", "", "a100", 4},
	} {
		n := &slurm.Node{Gres: slurm.ReadGRES(c.gres), GresUsed: slurm.ReadGRES(c.used)}
		if got := ShardsPerGPU(n, c.gpuType); got != c.want {
			t.Errorf("%s, %s of %s: %d, want %d", c.gres, c.used, c.gpuType, got, c.want)
		}
	}
}

func TestRequested(t *testing.T) {
	for asks, want := range map[string]bool{"": false, "gres/gpu:1": false, "gres:gpu:a100_1g.10gb:2": false, "gres:shard:4": true, "gres/mps:30": true, "gres/shard:a100:1": true} {
		if j := (&slurm.Job{GresPerNode: slurm.ReadGRESRequest(asks)}); Requested(j) != want {
			t.Errorf("%q: %v", asks, !want)
		}
		if j := (&slurm.Job{GresPerTask: slurm.ReadGRESRequest(asks)}); Requested(j) != want {
			t.Errorf("per task %q: %v", asks, !want)
		}
	}
}
