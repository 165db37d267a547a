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

	TrueView           *slurm.View         // what Slurm was when it last looked
	LastReadJobs       map[int64]slurm.Job // as it last read them
	LastReservations   []slurm.Reservation // as it last read them
	ReservationsReadAt time.Time           // when

	StartedAt     time.Time
	GoodPollCount int  // good polls since it started or failed
	WasInDoubt    bool // its last step was in doubt

	stepCount            int                       // so far
	writeCount           int                       // records, and of stops tasks, in this step
	toldCount            int                       // jobs that were told, in this step
	rereadByJob          map[int64]jobRead         // jobs read again in this step
	viewedNodesByJob     map[int64]string          // required nodes as this step's view shows them
	settledNodesByJob    map[int64]string          // and as the last view did by which the ledger was settled
	seenViewFault        string                    // how what it saw in this step was not the truth
	sawWholeList         bool                      // every job it saw in this step was read in this step
	hasSeenTrueView      bool                      // it saw the truth since it started
	seenJobs             map[int64]bool            // jobs it has seen
	restartsOfHiddenJobs map[int64]int             // restarts of jobs when a list last left them out
	maxSeenNodeCount     int                       // nodes it has seen
	lastOrderByPartition map[string][]policy.JobID // of the last plan that could be sent, by partition
}

// jobRead is what a daemon could know of a job once it had read it again.
type jobRead struct {
	changeNumber       int // of the book
	ownersValueByField map[Field]string
}

// NoteStart is a new process: it knows nothing but what the database knows.
func (d *Daemon) NoteStart() {
	*d = Daemon{Name: d.Name, IsTool: d.IsTool, TrueView: d.TrueView, stepCount: d.stepCount, seenJobs: map[int64]bool{}, restartsOfHiddenJobs: map[int64]int{}, lastOrderByPartition: map[string][]policy.JobID{}, rereadByJob: map[int64]jobRead{}}
}

// NoteStep is the beginning of a cycle.
func (d *Daemon) NoteStep() {
	d.toldCount, d.writeCount, d.rereadByJob, d.seenViewFault, d.sawWholeList = 0, 0, map[int64]jobRead{}, "", false
	d.stepCount++
}

// NoteView takes a view that the daemon is shown, whose clock is off by so much from
// its own. Of one that has seen the truth before, or has a clock, it says how it
// must notice that it is not the truth.
func (d *Daemon) NoteView(v *slurm.View, off time.Duration, g *bridge.Budgets) {
	d.seenViewFault, d.sawWholeList = d.findViewFault(v, off, g), v.IsFullRead
	d.hasSeenTrueView = d.hasSeenTrueView || d.seenViewFault == ""
	d.viewedNodesByJob = make(map[int64]string, len(v.Jobs))
	for i := range v.Jobs {
		d.viewedNodesByJob[v.Jobs[i].ID] = shownValue(&v.Jobs[i], FieldRequiredNodes)
		d.seenJobs[v.Jobs[i].ID] = true
	}
	d.maxSeenNodeCount = max(d.maxSeenNodeCount, len(v.Nodes))
}

func (d *Daemon) findViewFault(v *slurm.View, off time.Duration, g *bridge.Budgets) string {
	gone, live := 0, 0
	for i := range d.TrueView.Jobs {
		j := &d.TrueView.Jobs[i]
		if j.IsDone() || !d.seenJobs[j.ID] {
			continue
		}
		if live++; v.Job(j.ID) == nil {
			d.restartsOfHiddenJobs[j.ID] = j.Restarts
			gone++
		} else if d.restartsOfHiddenJobs[j.ID] == j.Restarts {
			delete(d.restartsOfHiddenJobs, j.ID)
		}
	}
	switch {
	case off.Abs() > g.Skew:
		return fmt.Sprintf("a clock that is %v off", off)
	case !d.hasSeenTrueView:
	case gone > g.VanishFloor && float64(gone)*100 > g.VanishPercent*float64(live):
		return fmt.Sprintf("%d of %d jobs", live-gone, live)
	case float64(d.maxSeenNodeCount-len(v.Nodes))*100 > g.ShrinkPercent*float64(d.maxSeenNodeCount):
		return fmt.Sprintf("%d of %d nodes", len(v.Nodes), d.maxSeenNodeCount)
	}
	return ""
}

// gpusInUse is how many GPUs of the nodes ran jobs when the daemon looked, of whatever
// partition: the budgets are percents of running GPUs, and nodes are shared.
func (d *Daemon) gpusInUse() float64 {
	sum := float64(len(sharersByGPU(d.TrueView.Jobs)))
	for i := range d.TrueView.Jobs {
		if j := &d.TrueView.Jobs[i]; j.IsRunning() {
			sum += float64(heldGPUCount(j))
		}
	}
	return sum
}

// Call is a write of ours on its way.
type Call struct {
	SentBy       *Daemon
	Edit         slurm.Edit
	SentAt       time.Time
	IsLate       bool // its process stood still, or had given it up, before Slurm got it
	IsUnanswered bool // no answer came

	ledgerRow *bridge.Intent // of the ledger
}
