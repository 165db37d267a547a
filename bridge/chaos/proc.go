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
	"fairbridge/bridge/chaos/event"
	"fairbridge/bridge/chaos/oracle"
	"fairbridge/bridge/chaos/site"
	"fairbridge/bridge/cycle"
)

// daemonProcess is a daemon. Everything it does goes through its ports, at each of which it
// may be killed or stand still.
type daemonProcess struct {
	*trial
	oracle.Daemon
	holder     string // as the leader row knows it
	loop       *cycle.Loop
	born       int // restarts so far
	restCycles int // cycles until it is started again
	ports      int // calls of ports in this step
	armed      []portAction
	cancel     context.CancelFunc
	frozen     int              // how often it stood still
	frozenAt   int              // how often it had stood still when it had leave to send
	marks      map[int64]string // the states of the jobs it read last
	touched    map[int64]int    // jobs to be read afresh
	fullAt     time.Time        // of the last full list
}

// portAction is something to happen when the step has come to a port.
type portAction struct {
	at int
	do func()
}

// processKilled is the end of a process in the middle of a step.
type processKilled struct{}

// passPort is passed at the beginning and the end of every call of a port.
func (p *daemonProcess) passPort() {
	p.ports++
	for len(p.armed) > 0 && p.armed[0].at <= p.ports {
		a := p.armed[0]
		p.armed = p.armed[1:]
		a.do()
	}
}

// doAtPort lets something happen at a port of the next step, or after it when the step
// has fewer.
func (p *daemonProcess) doAtPort(at int, do func()) {
	p.armed = append(p.armed, portAction{at, do})
	sort.SliceStable(p.armed, func(i, j int) bool { return p.armed[i].at < p.armed[j].at })
}

// step runs one cycle of the daemon, starting it if need be.
func (p *daemonProcess) step() {
	if p.restCycles > 0 {
		p.restCycles--
		p.runArmed()
		return
	}
	if p.loop == nil {
		p.start()
	}
	p.ports = 0
	p.Daemon.NoteStep()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p.cancel = cancel
	p.spoiler.setFaults(p.trial)
	rep, lived := p.tryStep(ctx)
	p.runArmed()
	if lived && p.loop != nil {
		p.oracle.CheckStep(&p.Daemon, p.stepReport(&rep))
	}
}

// stepReport is a report in the words of the oracle.
func (p *daemonProcess) stepReport(r *cycle.Report) *oracle.Step {
	s := &oracle.Step{Doubts: r.Doubts, Standby: r.Result == cycle.Standby, Edits: len(r.Intents), DecidedAgain: p.cycle%16 == 7 && !p.faults.failsPolicy(p.cycle)}
	for i := range r.Evaluations {
		t := &r.Evaluations[i]
		s.Plans = append(s.Plans, oracle.Plan{Partition: t.Partition.Name, Send: t.Send, Snapshot: t.Snapshot, Made: t.Plan, PolicyPlan: t.PolicyPlan})
	}
	return s
}

// tryStep is the step. It did not live when the process was killed in it.
func (p *daemonProcess) tryStep(ctx context.Context) (rep cycle.Report, lived bool) {
	defer func() {
		switch r := recover().(type) {
		case nil:
			lived = true
		case processKilled:
			p.loop = nil
		default:
			p.oracle.Breach("panic", 0, "the loop panicked: %v\n%s", r, debug.Stack())
			p.loop = nil
		}
	}()
	return p.loop.Step(ctx), true
}

// runArmed lets happen what the step was too short for.
func (p *daemonProcess) runArmed() {
	defer func() {
		if _, dead := recover().(processKilled); dead {
			p.loop = nil
			p.runArmed()
		}
	}()
	for len(p.armed) > 0 {
		a := p.armed[0]
		p.armed = p.armed[1:]
		a.do()
	}
}

// start begins a new process: it knows nothing but what the database knows.
func (p *daemonProcess) start() {
	p.born++
	p.forget()
	c := p.Site.Config(p.holder, p.stopFile, p.spoiler)
	if p.Parts.Config != nil {
		p.Parts.Config(&c)
	}
	loop, err := cycle.New(c, p.parts())
	if err != nil {
		panic(fmt.Sprintf("%v: %v", p.Site, err))
	}
	p.loop = loop
	p.trace.addLine("%s starts as %s", p.Name, p.holder)
}

func (p *daemonProcess) parts() cycle.Parts {
	var c bridge.Cluster = &wire{p}
	var j bridge.Journal = &database{p}
	if p.Parts.Cluster != nil {
		c = p.Parts.Cluster(c)
	}
	if p.Parts.Journal != nil {
		j = p.Parts.Journal(j)
	}
	return cycle.Parts{
		Cluster: c, Journal: j, Leadership: &database{p}, History: &database{p}, Probes: bridge.NoProbes{}, Expiry: &database{p}, Bare: true,
		Metrics: cycle.NewMetrics(prometheus.NewRegistry()), Now: p.now,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
}

// now is the clock of the daemon's host.
func (p *daemonProcess) now() time.Time { return p.world.Now().Add(p.faults.skew(event.OurClock)) }

// freeze lets the process stand still while the rest of the world goes on. Then it
// goes on where it was, its cycle over or, when its host slept as a whole, not.
func (p *daemonProcess) freeze(d time.Duration, over bool) {
	p.trace.addLine("%s stands still for %v", p.Name, d)
	p.frozen++
	for end := p.world.Now().Add(d); p.world.Now().Before(end); {
		for _, o := range p.procs {
			if o != p {
				o.step()
			}
		}
		p.world.Advance(earlier(end, p.world.Now().Add(site.Interval)))
		p.runTimer()
	}
	if over && p.cancel != nil {
		p.cancel()
	}
	p.trace.addLine("%s goes on", p.Name)
}

// end ends the process. A new one starts after some cycles, under the old name or
// a new one.
func (p *daemonProcess) end(renamed bool, rest int) {
	p.trace.addLine("%s is killed", p.Name)
	p.restCycles = rest
	if renamed {
		p.holder = fmt.Sprintf("%s.%d", p.Name, p.born)
	}
	panic(processKilled{})
}
