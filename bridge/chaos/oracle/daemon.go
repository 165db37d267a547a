package oracle

import (
	"fmt"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Daemon is a process of ours as the oracle knows it: what it was shown, and what
// it did.
type Daemon struct {
	Name   string // as Slurm knows it
	IsTool bool   // it is fairbridge release or expire

	Truth      *slurm.View         // what Slurm was when it last looked
	Jobs       map[int64]slurm.Job // as it last read them
	Reserved   []slurm.Reservation // as it last read them
	ReservedAt time.Time           // when

	GoodPolls int  // good polls since it started or failed
	InDoubt   bool // its last step was in doubt

	stepCount     int                       // so far
	writeCount    int                       // tasks, in this step
	rereadsByJob  map[int64]int             // jobs read again in this step, as of which change of the book
	viewFaultSeen string                    // how what it saw in this step was not the truth
	viewSound     bool                      // it saw the truth since it started
	known         map[int64]bool            // jobs it has seen
	hosts         int                       // nodes it has seen
	order         map[string][]policy.JobID // of the last plan that could be sent, by partition
}

// NoteStart is a new process: it knows nothing but what the database knows.
func (d *Daemon) NoteStart() {
	*d = Daemon{Name: d.Name, IsTool: d.IsTool, Truth: d.Truth, stepCount: d.stepCount, known: map[int64]bool{}, order: map[string][]policy.JobID{}, rereadsByJob: map[int64]int{}}
}

// NoteStep is the beginning of a cycle.
func (d *Daemon) NoteStep() {
	d.writeCount, d.rereadsByJob, d.viewFaultSeen = 0, map[int64]int{}, ""
	d.stepCount++
}

// NoteView takes a view that the daemon is shown, whose clock is off by so much from
// its own. Of one that has seen the truth before, or has a clock, it says how it
// must notice that it is not the truth.
func (d *Daemon) NoteView(v *slurm.View, off time.Duration, g *bridge.Budgets) {
	d.viewFaultSeen = d.viewFault(v, off, g)
	d.viewSound = d.viewSound || d.viewFaultSeen == ""
	for i := range v.Jobs {
		d.known[v.Jobs[i].ID] = true
	}
	d.hosts = max(d.hosts, len(v.Nodes))
}

func (d *Daemon) viewFault(v *slurm.View, off time.Duration, g *bridge.Budgets) string {
	gone, live := 0, 0
	for i := range d.Truth.Jobs {
		j := &d.Truth.Jobs[i]
		if j.IsDone() || !d.known[j.ID] {
			continue
		}
		if live++; v.Job(j.ID) == nil {
			gone++
		}
	}
	switch {
	case off.Abs() > g.Skew:
		return fmt.Sprintf("a clock that is %v off", off)
	case !d.viewSound:
	case gone > g.VanishFloor && float64(gone)*100 > g.VanishPercent*float64(live):
		return fmt.Sprintf("%d of %d jobs", live-gone, live)
	case float64(d.hosts-len(v.Nodes))*100 > g.ShrinkPercent*float64(d.hosts):
		return fmt.Sprintf("%d of %d nodes", len(v.Nodes), d.hosts)
	}
	return ""
}

// gpusInUse is how many GPUs of the nodes ran jobs when the daemon looked, of whatever
// partition: the budgets are percents of running GPUs, and nodes are shared.
func (d *Daemon) gpusInUse() float64 {
	sum := 0.0
	for i := range d.Truth.Jobs {
		if j := &d.Truth.Jobs[i]; j.IsRunning() {
			sum += float64(gpusHeld(j))
		}
	}
	return sum
}

// Call is a write of ours on its way.
type Call struct {
	By         *Daemon
	Edit       slurm.Edit
	At         time.Time
	Late       bool // its process stood still, or had given it up, before Slurm got it
	Unanswered bool // no answer came

	row *bridge.Intent // of the ledger
}
