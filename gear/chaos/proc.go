package chaos

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sort"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/gear/chaos/event"
	"fairbridge/gear/chaos/oracle"
	"fairbridge/gear/chaos/site"
)

// daemonProcess is a daemon. Everything it does goes through its ports, at each of which it
// may be killed or stand still.
type daemonProcess struct {
	*trial
	oracle.Daemon
	holderName              string // as the leader row knows it
	loop                    *cycle.Loop
	startCount              int // restarts so far
	cyclesUntilRestart      int // cycles until it is started again
	portCallCount           int // calls of ports in this step
	pendingActions          []portAction
	cancelStep              context.CancelFunc
	freezeCount             int              // how often it stood still
	freezeCountAtPermission int              // how often it had stood still when it had leave to send
	lastStateByJob          map[int64]string // the states of the jobs it read last
	freshPollsLeftByJob     map[int64]int    // jobs to be read afresh
	lastFullListAt          time.Time        // of the last full list
	isFullListRequested     bool             // for the next poll
}

// portAction is something to happen when the step has come to a port.
type portAction struct {
	portCall int
	action   func()
}

// processKilled is the end of a process in the middle of a step.
type processKilled struct{}

// runDuePortActions counts the beginning or the end of a call of a port, and lets happen
// what is due there.
func (p *daemonProcess) runDuePortActions() {
	p.portCallCount++
	for len(p.pendingActions) > 0 && p.pendingActions[0].portCall <= p.portCallCount {
		a := p.pendingActions[0]
		p.pendingActions = p.pendingActions[1:]
		a.action()
	}
}

// scheduleAtPortCall lets something happen at a port of the next step, or after it when the step
// has fewer.
func (p *daemonProcess) scheduleAtPortCall(at int, do func()) {
	p.pendingActions = append(p.pendingActions, portAction{at, do})
	sort.SliceStable(p.pendingActions, func(i, j int) bool { return p.pendingActions[i].portCall < p.pendingActions[j].portCall })
}

// step runs one cycle of the daemon, starting it if need be.
func (p *daemonProcess) step() {
	if p.cyclesUntilRestart > 0 {
		p.cyclesUntilRestart--
		p.runPendingActions()
		return
	}
	if p.loop == nil {
		p.start()
	}
	p.portCallCount = 0
	p.Daemon.NoteStep()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p.cancelStep = cancel
	p.failingPolicy.setFaults(p.trial)
	p.secondPolicy.setFaults(p.trial)
	rep, lived := p.stepUntilKilled(ctx)
	p.runPendingActions()
	if lived && p.loop != nil {
		p.oracle.CheckStep(&p.Daemon, p.newOracleStep(&rep))
	}
}

// newOracleStep is a report in the words of the oracle.
func (p *daemonProcess) newOracleStep(r *cycle.Report) *oracle.Step {
	s := &oracle.Step{Doubts: r.Doubts, IsStandby: r.Result == cycle.ResultStandby, EditCount: len(r.Intents), MayDecideAgain: p.cycle%16 == 7 && !p.faults.isPolicyFailing(p.cycle)}
	for i := range r.PartitionResults {
		t := &r.PartitionResults[i]
		s.Plans = append(s.Plans, oracle.PartitionPlan{Partition: t.Partition.Name, IsToBeSent: t.MaySendEdits, Snapshot: t.Snapshot, GatedPlan: t.Plan, PolicyPlan: t.PolicyPlan})
	}
	return s
}

// stepUntilKilled is the step. It did not live when the process was killed in it.
func (p *daemonProcess) stepUntilKilled(ctx context.Context) (rep cycle.Report, lived bool) {
	defer func() {
		switch r := recover().(type) {
		case nil:
			lived = true
		case processKilled:
			p.loop = nil
		default:
			p.oracle.AddBreach("panic", 0, "the loop panicked: %v\n%s", r, debug.Stack())
			p.loop = nil
		}
	}()
	return p.loop.Step(ctx), true
}

// runPendingActions lets happen what the step was too short for.
func (p *daemonProcess) runPendingActions() {
	defer func() {
		if _, dead := recover().(processKilled); dead {
			p.loop = nil
			p.runPendingActions()
		}
	}()
	for len(p.pendingActions) > 0 {
		a := p.pendingActions[0]
		p.pendingActions = p.pendingActions[1:]
		a.action()
	}
}

// start begins a new process: it knows nothing but what the database knows.
func (p *daemonProcess) start() {
	p.startCount++
	p.forgetEverything()
	p.StartedAt = p.world.Now()
	c := p.Site.NewDaemonConfig(p.holderName, p.stopFile, p.failingPolicy, p.secondPolicy)
	if p.Overrides.ChangeConfig != nil {
		p.Overrides.ChangeConfig(&c)
	}
	loop, err := cycle.New(c, p.newLoopParts())
	if err != nil {
		panic(fmt.Sprintf("%v: %v", p.Site, err))
	}
	p.loop = loop
	p.trace.addLine("%s starts as %s", p.Name, p.holderName)
}

func (p *daemonProcess) newLoopParts() cycle.Parts {
	var c bridge.Cluster = &faultyCluster{p}
	var j bridge.Journal = &faultyDatabase{p}
	if p.Overrides.WrapCluster != nil {
		c = p.Overrides.WrapCluster(c)
	}
	if p.Overrides.WrapJournal != nil {
		j = p.Overrides.WrapJournal(j)
	}
	return cycle.Parts{
		Cluster: c, Journal: j, Leadership: &faultyDatabase{p}, History: &faultyDatabase{p}, Probes: p.newProbes(), ExpirerStatus: &faultyDatabase{p}, IsSimulation: true,
		Metrics: cycle.NewMetrics(prometheus.NewRegistry()), Now: p.now,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
}

// now is the clock of the daemon's host.
func (p *daemonProcess) now() time.Time {
	return p.world.Now().Add(p.faults.clockShiftByKind[event.DaemonClockOff])
}

// freeze lets the process stand still while the rest of the world goes on. Then it
// goes on where it was, its cycle over or, when its host slept as a whole, not.
func (p *daemonProcess) freeze(d time.Duration, over bool) {
	p.trace.addLine("%s stands still for %v", p.Name, d)
	p.freezeCount++
	for end := p.world.Now().Add(d); p.world.Now().Before(end); {
		for _, o := range p.daemons {
			if o != p {
				o.step()
			}
		}
		p.world.Advance(p.world.Now().Add(min(end.Sub(p.world.Now()), site.CycleInterval)))
		p.runExpireTimer()
	}
	if over && p.cancelStep != nil {
		p.cancelStep()
	}
	p.trace.addLine("%s goes on", p.Name)
}

// kill ends the process. A new one starts after some cycles, under the old name or
// a new one.
func (p *daemonProcess) kill(renamed bool, rest int) {
	p.trace.addLine("%s is killed", p.Name)
	p.cyclesUntilRestart = rest
	if renamed {
		p.holderName = fmt.Sprintf("%s.%d", p.Name, p.startCount)
	}
	panic(processKilled{})
}
