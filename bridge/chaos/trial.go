package chaos

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"fairbridge/bridge/chaos/event"
	"fairbridge/bridge/chaos/oracle"
	"fairbridge/bridge/chaos/site"
	"fairbridge/bridge/push"
	"fairbridge/bridge/sim"
	"fairbridge/policy"
)

// trial is one seed under way.
type trial struct {
	Site     site.Site
	Parts    Parts
	world    *sim.World
	store    *store
	timer    *daemonProcess // fairbridge expire, which a timer runs
	command  *daemonProcess // fairbridge release
	due      time.Time      // of the timer
	procs    []*daemonProcess
	oracle   *oracle.Oracle
	faults   faults
	spoiler  *failingPolicy
	trace    *trace
	cycle    int
	stopFile string
	stopAt   time.Time // when the STOP file was made
}

// Outcome is what came of a run, which ends with the cycle of the first breach.
type Outcome struct {
	oracle.Verdict
	Site   site.Site
	Events []event.Event
	Last   []string // the last lines of Slurm's log and of ours, before the first breach
	Digest string   // of everything that happened: the same for the same run
}

// Run plays the events at the site and judges. An error is one of the harness,
// not of what it judges.
func Run(s site.Site, events []event.Event, parts Parts) (*Outcome, error) {
	dir, err := os.MkdirTemp("", "chaos")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the STOP file: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	t, err := newTrial(s, parts, dir)
	if err != nil {
		return nil, err
	}
	by := map[int][]event.Event{}
	for _, e := range events {
		by[e.Cycle] = append(by[e.Cycle], e)
	}
	for t.cycle = range s.Cycles {
		t.runCycle(by[t.cycle])
		if t.oracle.Broken() {
			break
		}
	}
	if !t.oracle.Broken() {
		t.checkEnd()
	}
	return t.outcome(events), nil
}

func newTrial(s site.Site, parts Parts, dir string) (*trial, error) {
	t := &trial{Site: s, Parts: parts, stopFile: filepath.Join(dir, "STOP"), trace: &trace{}, faults: noFaults()}
	var err error
	if t.world, err = s.World(sim.Config{Log: t.trace, Audit: func(w sim.AuditEntry) { t.oracle.NoteWrite(w) }}); err != nil {
		return nil, err
	}
	t.store = newStore(t.world, parts.Unfenced)
	t.oracle = oracle.New(t.oracleView())
	if t.spoiler, err = newFailingPolicy(t); err != nil {
		return nil, err
	}
	daemons := 1
	if s.Standby {
		daemons = 2
	}
	for i := range daemons {
		t.procs = append(t.procs, t.process(site.Processes[i], site.Processes[i], false))
	}
	t.timer = t.process("timer", "timer"+push.ExpirerNameSuffix, true)
	t.command = t.process("release", "release", true)
	return t, nil
}

func (t *trial) process(name, holder string, tool bool) *daemonProcess {
	return &daemonProcess{trial: t, holder: holder, Daemon: oracle.Daemon{Name: name, IsTool: tool}}
}

// oracleView is what the oracle may ask of the trial.
func (t *trial) oracleView() oracle.Trial {
	return oracle.Trial{
		Site: t.Site, World: t.world, Database: t.store,
		Policy: func() (policy.Policy, error) { return newPolicy(t.Site) },
		Stopped: func() (time.Time, bool) {
			_, err := os.Stat(t.stopFile)
			return t.stopAt, err == nil
		},
		Known: func(rule string) bool {
			_, known := KnownResidue[rule]
			return known && !t.Parts.All
		},
		Breached: func(b oracle.Breach) {
			t.trace.addLine("BREACH %v", b)
			t.trace.freeze()
		},
	}
}

// runCycle is a cycle: what happens before it, the steps of the daemons, and the time
// until the next.
func (t *trial) runCycle(events []event.Event) {
	t.trace.addLine("cycle %d", t.cycle)
	t.endExpiredFaults()
	for _, e := range events {
		t.applyEvent(e)
	}
	next := t.world.Now().Add(site.Interval)
	t.runTimer()
	for i, p := range t.procs {
		t.world.Advance(t.world.Now().Add(time.Duration(i) * 7 * time.Second))
		p.step()
	}
	t.world.Advance(next)
	t.oracle.CheckCycle()
}

func (t *trial) outcome(events []event.Event) *Outcome {
	o := &Outcome{Verdict: t.oracle.Verdict(), Site: t.Site, Events: events, Digest: t.trace.digest()}
	if t.oracle.Broken() {
		o.Last = t.trace.last
	}
	return o
}
