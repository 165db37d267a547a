package inventory_test

import (
	"strings"
	"testing"

	"fairbridge/replica/sim/inventory"
)

// TestShards: what Slurm 24.11 does with shards of the GPUs of a node (docs/sharing.md): three jobs of two shards each are two on the
// first GPU and one on the second, or on three with LL_SHARED_GRES; a GPU of which shards are given out goes to no job as a
// whole, and more shards than one GPU has to no job.
func TestShards(t *testing.T) {
	for _, c := range []struct {
		spreads           bool
		detail, used, ask string
	}{
		{false, "shard:2(2/4,0/4,0/4,0/4) shard:2(2/4,0/4,0/4,0/4) shard:2(0/4,2/4,0/4,0/4)", "gpu:a100:1(IDX:2),shard:a100:6(4/4,2/4,0/4,0/4)", "gpu:a100:1(IDX:2)"},
		{true, "shard:2(2/4,0/4,0/4,0/4) shard:2(0/4,2/4,0/4,0/4) shard:2(0/4,0/4,2/4,0/4)", "gpu:a100:1(IDX:3),shard:a100:6(2/4,2/4,2/4,0/4)", "gpu:a100:1(IDX:3)"},
	} {
		nodes := inventory.UniformNodes(1, "a100", 4)
		nodes[0].ShardsPerGPU, nodes[0].SpreadsShards = 4, c.spreads
		v, err := inventory.New(nodes, []inventory.PartitionConfig{{Name: "gpu"}})
		if err != nil {
			t.Fatal(err)
		}
		n := v.Nodes[0]
		take := func(a inventory.Request) inventory.Slots {
			a.MinNodes = 1
			s := a.FindSlots(v.Nodes, (*inventory.Node).FreeResources)
			s.Allocate()
			return s
		}
		var held []inventory.Slots
		var detail []string
		for range 3 {
			held = append(held, take(inventory.Request{Shards: 2}))
			detail = append(detail, held[len(held)-1].FormatGres()...)
		}
		if got := strings.Join(detail, " "); got != c.detail {
			t.Errorf("spreads %v: %s, want %s", c.spreads, got, c.detail)
		}
		if take(inventory.Request{GPUsPerNode: n.FreeResources().GPUsByType[0] + 1}) != nil || take(inventory.Request{Shards: 6}) != nil {
			t.Error("a GPU that is shared is given out as a whole, or more shards than a GPU has")
		}
		whole := take(inventory.Request{GPUsPerNode: 1})
		if got := strings.Join(whole.FormatGres(), " "); got != c.ask {
			t.Errorf("spreads %v: the whole one is %s, want %s", c.spreads, got, c.ask)
		}
		if got := n.AsSlurm(); got.GresUsed.Text != c.used || got.Gres.Text != "gpu:a100:4,shard:a100:16" {
			t.Errorf("spreads %v: the node shows %s of %s, want %s", c.spreads, got.GresUsed.Text, got.Gres.Text, c.used)
		}
		for _, s := range append(held, whole) {
			s.Release()
		}
		if n.Usage != (inventory.NodeUsage{}) {
			t.Errorf("%+v when all have left", n.Usage)
		}
	}
}
