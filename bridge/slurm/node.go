package slurm

import "slices"

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
	Topology   string   // as REST has it, on some releases
	Switches   []string // from its lowest upwards, as scontrol shows the topology; nil: not known, or none
	Version    string   // slurmd's
}

// IsSchedulable reports whether new jobs can start there, and if not, why.
func (n *Node) IsSchedulable() (why string, ok bool) {
	switch n.State {
	case "IDLE", "MIXED", "ALLOCATED":
	default:
		return n.State, false
	}
	for _, f := range n.Flags {
		if unschedulableFlags[f] && !(f == "NOT_RESPONDING" && n.isBooting()) {
			return f, false
		}
	}
	return "", true
}

// unschedulableFlags are the flag words that keep new jobs from a node (26.05's
// enumeration; older releases use a subset). A node that Slurm has put to sleep
// (POWERED_DOWN) or is waking (POWERING_UP) is given to jobs like any other.
var unschedulableFlags = map[string]bool{
	"DRAIN": true, "FAIL": true, "MAINTENANCE": true, "NOT_RESPONDING": true,
	"REBOOT_REQUESTED": true, "REBOOT_ISSUED": true,
	"POWERING_DOWN": true, "POWER_DOWN": true,
	"INVALID_REG": true, "BLOCKED": true,
}

// IsAsleep reports whether Slurm has to wake the node, or is waking it, before a job runs there.
func (n *Node) IsAsleep() bool { return slices.Contains(n.Flags, "POWERED_DOWN") || n.isBooting() }

// isBooting reports whether Slurm is waking the node, which answers nothing meanwhile.
func (n *Node) isBooting() bool { return slices.Contains(n.Flags, "POWERING_UP") }
