package inventory

import (
	"strconv"
	"time"
)

// NodeConfig describes one machine.
type NodeConfig struct {
	Name       string
	GPUs       []GPUs // at most MaxTypes types
	CPUs       int    // 64 when zero
	MemMB      int64  // 512,000 when zero
	Features   []string
	LeafSwitch string // its leaf switch; "": not known

	ShardsPerGPU  int  // of how many shards each of its GPUs consists, at most 255; 0: it gives none out
	SpreadsShards bool // LL_SHARED_GRES: shards are of the GPU with most left
}

// GPUs are the devices of one type on a node.
type GPUs struct {
	Type  string
	Count int // 1 to 64
}

// PartitionConfig describes a queue over nodes.
type PartitionConfig struct {
	Name    string
	Nodes   []string      // none: all
	MaxTime time.Duration // also the limit of jobs that give none; 0: no limit
	Tier    int           // jobs of a higher tier go first; 1 when zero
	IsDown  bool          // jobs queue but do not start
}

// UniformNodes returns n nodes n1…nN with the same GPUs.
func UniformNodes(n int, gpuType string, gpus int) []NodeConfig {
	nodes := make([]NodeConfig, n)
	for i := range nodes {
		nodes[i] = NodeConfig{Name: "n" + strconv.Itoa(i+1), GPUs: []GPUs{{gpuType, gpus}}}
	}
	return nodes
}
