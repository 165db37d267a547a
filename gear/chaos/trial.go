package chaos

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/push"
	"fairbridge/gear/chaos/event"
	"fairbridge/gear/chaos/oracle"
	"fairbridge/gear/chaos/site"
	"fairbridge/policy"
	"fairbridge/replica/sim"
)

// trial is one seed under way.
type trial struct {
	Site           site.Site
	Overrides      Overrides
	world          *sim.World
	store          *backedUpStore
	expireProcess  *daemonProcess // fairbridge expire, which a timer runs
	releaseProcess *daemonProcess // fairbridge release
	nextTimerRun   time.Time      // of the timer
	daemons        []*daemonProcess
	oracle         *oracle.Oracle
	faults         faults
	failingPolicy  *failingPolicy
	secondPolicy   *failingPolicy // of the second partition
	trace          *trace
	cycle          int
	stopFile       string
	stopFileMadeAt time.Time // when the STOP file was made
}

// Outcome is what came of a run, which ends with the cycle of the first breach.
type Outcome struct {
	oracle.Verdict
	Site      site.Site
	Events    []event.Event
	LastLines []string // the last lines of Slurm's log and of ours, before the first breach
	Digest    string   // of everything that happened: the same for the same run
}

// RunTrial plays the events at the site and judges. An error is one of the harness,
// not of what it judges.
func RunTrial(s site.Site, events []event.Event, parts Overrides) (*Outcome, error) {
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
	for t.cycle = range s.CycleCount {
		t.runCycle(by[t.cycle])
		if t.oracle.HasBreach() {
			break
		}
	}
	if !t.oracle.HasBreach() {
		t.checkAfterEnd()
	}
	return t.newOutcome(events), nil
}

func newTrial(s site.Site, parts Overrides, dir string) (*trial, error) {
	t := &trial{Site: s, Overrides: parts, stopFile: filepath.Join(dir, "STOP"), trace: &trace{}, faults: newFaults()}
	var err error
	if t.world, err = s.NewWorld(sim.Config{Log: t.trace, Audit: func(w sim.AuditEntry) { t.oracle.NoteWrite(w) }}); err != nil {
		return nil, err
	}
	t.store = newBackedUpStore(t.world, parts.IsUnfenced)
	t.oracle = oracle.New(t.newOracleTrial())
	if t.failingPolicy, err = newFailingPolicy(t); err != nil {
		return nil, err
	}
	if t.secondPolicy, err = newFailingPolicy(t); err != nil {
		return nil, err
	}
	daemons := 1
	if s.HasStandby {
		daemons = 2
	}
	for i := range daemons {
		t.daemons = append(t.daemons, t.newProcess(site.ProcessNames[i], site.ProcessNames[i], false))
	}
	t.expireProcess = t.newProcess("timer", "timer"+push.ExpirerNameSuffix, true)
	t.releaseProcess = t.newProcess("release", "release", true)
	return t, nil
}

func (t *trial) newProcess(name, holder string, tool bool) *daemonProcess {
	return &daemonProcess{trial: t, holderName: holder, Daemon: oracle.Daemon{Name: name, IsTool: tool}}
}

// newOracleTrial is what the oracle may ask of the trial.
func (t *trial) newOracleTrial() oracle.Trial {
	return oracle.Trial{
		Site: t.Site, World: t.world, Database: t.store,
		NewPolicy: func() (policy.Policy, error) { return newPolicy(t.Site) },
		StopFileState: func() (time.Time, bool) {
			_, err := os.Stat(t.stopFile)
			return t.stopFileMadeAt, err == nil
		},
		IsKnownBreach: func(b oracle.Breach) bool {
			mayBreak := func(rule string) bool { return strings.HasPrefix(b.Rule, rule) }
			return slices.ContainsFunc(KnownByCause[b.Cause].Rules, mayBreak) && !t.Overrides.ReportsKnownBreaches
		},
		OnBreach: func(b oracle.Breach) {
			t.trace.addLine("BREACH %v", b)
			t.trace.keepLinesBeforeBreach()
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
	next := t.world.Now().Add(site.CycleInterval)
	t.runExpireTimer()
	for i, p := range t.daemons {
		t.world.Advance(t.world.Now().Add(time.Duration(i) * 7 * time.Second))
		p.step()
	}
	t.world.Advance(next)
	t.oracle.CheckCycle()
}

func (t *trial) newOutcome(events []event.Event) *Outcome {
	o := &Outcome{Verdict: t.oracle.Verdict(), Site: t.Site, Events: events, Digest: t.trace.digest()}
	if t.oracle.HasBreach() {
		o.LastLines = t.trace.linesBeforeBreach
	}
	return o
}
