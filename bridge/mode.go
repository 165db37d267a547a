package bridge

// Mode is how much of a plan may reach Slurm. Each includes the ones before.
type Mode string

// The modes, per partition.
const (
	ModeOff     Mode = "off"     // not looked at
	ModeObserve Mode = "observe" // decide and record, push nothing
	ModeRank    Mode = "rank"    // order only
	ModeSteer   Mode = "steer"   // order, leases, node lists
	ModePreempt Mode = "preempt" // also requeue
	ModeElastic Mode = "elastic" // also change how many GPUs elastic jobs get; experimental
	ModeShare   Mode = "share"   // also start jobs that opted in on shards of a GPU, beside others; experimental
)

// Modes lists the modes, weakest first.
var Modes = []Mode{ModeOff, ModeObserve, ModeRank, ModeSteer, ModePreempt, ModeElastic, ModeShare}

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
