package bridge

// Mode is how much of a plan may reach Slurm. Each includes the ones before.
type Mode string

// The modes, per partition.
const (
	Off     Mode = "off"     // not looked at
	Observe Mode = "observe" // decide and record, push nothing
	Rank    Mode = "rank"    // order only
	Steer   Mode = "steer"   // order, leases, node lists
	Preempt Mode = "preempt" // also requeue
)

// Modes lists the modes, weakest first.
var Modes = []Mode{Off, Observe, Rank, Steer, Preempt}

// Allows reports whether m includes need.
func (m Mode) Allows(need Mode) bool { return m.level() >= need.level() }

func (m Mode) level() int {
	for i, x := range Modes {
		if x == m {
			return i
		}
	}
	return -1
}
