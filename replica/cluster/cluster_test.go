package cluster

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fairbridge/policy"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		spec  string
		nodes int
		gpus  map[string]int
		first string
	}{
		{"32", 32, map[string]int{"v100": 32}, "node01 1×v100"},
		{"1", 1, map[string]int{"v100": 1}, "node1 1×v100"},
		{"16x4:a100,8x8:h100", 24, map[string]int{"a100": 64, "h100": 64}, "node01 4×a100"},
		{"2x8:h100, 2x4:h100", 4, map[string]int{"h100": 24}, "node1 8×h100"},
		{"100x8", 100, map[string]int{"gpu": 800}, "node001 8×gpu"},
	} {
		nodes, err := ParseSpec(c.spec)
		if err != nil {
			t.Errorf("%s: %v", c.spec, err)
			continue
		}
		gpus := map[string]int{}
		for _, n := range nodes {
			gpus[n.GPUs[0].Type] += n.GPUs[0].Count
			if !n.InPartition(PartitionName) || n.CPUs < n.GPUs[0].Count || n.MemMB <= 0 {
				t.Errorf("%s: node %+v", c.spec, n)
			}
		}
		first := fmt.Sprintf("%s %d×%s", nodes[0].Name, nodes[0].GPUs[0].Count, nodes[0].GPUs[0].Type)
		if len(nodes) != c.nodes || !cmp.Equal(gpus, c.gpus) || first != c.first {
			t.Errorf("%s: %d nodes, %v, first %s", c.spec, len(nodes), gpus, first)
		}
	}
}

// TestCoresAndMemory: a part may say how many cores and gigabytes each of its servers has.
func TestCoresAndMemory(t *testing.T) {
	nodes, err := ParseSpec("1x8:v100:24:500,1x4:a100")
	if err != nil || nodes[0].CPUs != 24 || nodes[0].MemMB != 500_000 || nodes[1].CPUs != 256 {
		t.Errorf("%+v, %v", nodes, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ spec, says string }{
		{"", "empty"}, {"0", `"0"`}, {"-4", `"-4"`}, {"4x", `"4x"`}, {"0x8", `"0x8"`}, {"4x-1:a100", `"4x-1:a100"`},
		{"4x8:a100,", "a part is empty"}, {"4x8:a 100", `"4x8:a 100"`}, {"32:a100", "like 32x1:a100"},
		{"4x8,32", `"32"`}, {"99999999999999999999x2", "more than 1048576 GPUs"}, {"99999999999999999999", "more than 1048576 GPUs"}, {"2000000", "more than"}, {"1048576x2", "more than"},
		{"4x8:a100,2x4", `"4x8:a100" and "2x4"`}, {"4x8:a100,2x8:a100", "write them as one"},
		{"700000x1:a100,700000x1:h100", "in all"}, {"abc", `"abc"`}, {"1x8:v100:24", `"1x8:v100:24"`}, {"1x8:v100:0:500", "at least one core"}, {"1x8:v100:24:0", "1 GB"}, {"1x8:v100:-1:5", "want a number"},
	} {
		nodes, err := ParseSpec(c.spec)
		if err == nil || !strings.Contains(err.Error(), c.says) || nodes != nil {
			t.Errorf("%q: %d nodes, error %v, want one with %s", c.spec, len(nodes), err, c.says)
		}
	}
}

// TestParseAdds draws clusters and wants as many GPUs as were asked for, on
// nodes that sort by name as they stand.
func TestParseAdds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var parts []string
		total := 0
		for i := range rapid.IntRange(1, 4).Draw(t, "parts") {
			n, g := rapid.IntRange(1, 120).Draw(t, "nodes"), rapid.IntRange(1, 16).Draw(t, "gpus")
			parts = append(parts, fmt.Sprintf("%dx%d:t%d", n, g, i))
			total += n * g
		}
		nodes, err := ParseSpec(strings.Join(parts, ","))
		if err != nil || CountGPUs(nodes) != total {
			t.Fatalf("%v: %d GPUs, want %d (%v)", parts, CountGPUs(nodes), total, err)
		}
		byName := func(a, b policy.Node) int { return strings.Compare(a.Name, b.Name) }
		if !slices.IsSortedFunc(nodes, byName) {
			t.Fatalf("%v: not sorted", parts)
		}
	})
}
