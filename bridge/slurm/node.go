package slurm

// Node is one node record of Slurm.
type Node struct {
	Name       string
	State      string   // base state, upper case: IDLE, MIXED, ALLOCATED, DOWN, …
	Flags      []string // DRAIN, NOT_RESPONDING, … sorted
	Reason     string
	Gres       GRESList // "gpu:a100:8(S:0-1)"
	GresUsed   GRESList // "gpu:a100:7(IDX:0-6)"
	TRES       TRES
	TRESUsed   TRES
	Features   []string // active
	Partitions []string
	CPUs       int
	CPUsUsed   int
	MemMB      int64
	MemUsedMB  int64
	Topology   string
	Version    string // slurmd's
}

// Schedulable reports whether new jobs can start there, and if not, why.
func (n *Node) Schedulable() (why string, ok bool) {
	switch n.State {
	case "IDLE", "MIXED", "ALLOCATED":
	default:
		return n.State, false
	}
	for _, f := range n.Flags {
		if unschedulable[f] {
			return f, false
		}
	}
	return "", true
}

// unschedulable are the flag words that keep new jobs from a node (26.05's
// enumeration; older releases use a subset).
var unschedulable = map[string]bool{
	"DRAIN": true, "FAIL": true, "MAINTENANCE": true, "NOT_RESPONDING": true,
	"REBOOT_REQUESTED": true, "REBOOT_ISSUED": true, "POWERED_DOWN": true,
	"POWERING_DOWN": true, "POWERING_UP": true, "POWER_DOWN": true,
	"INVALID_REG": true, "BLOCKED": true,
}

// Partition is one partition record of Slurm.
type Partition struct {
	Name     string
	Up       bool
	Nodes    Hosts
	MaxTime  int64 // minutes; 0: no limit
	Tier     int
	Accounts []string // allowed accounts; none: all
	QOS      []string // allowed QOS; none: all
}
