package chaos

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/probes"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos/event"
	"fairbridge/gear/chaos/oracle"
	"fairbridge/gear/chaos/site"
	"fairbridge/nodeprobe"
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

// newProbes returns the probes of the site, as a new process knows them.
func (p *daemonProcess) newProbes() bridge.Probes {
	switch {
	case p.Site.StopIdleAfter > 0:
		return probes.New(nodeSamples{p.trial}, "{node}", maxSampleAge, p.now)
	case p.Site.SharesGPUs:
		return memoryProbes{}
	}
	return bridge.NoProbes{}
}

// memoryProbes are node probes that tell how much memory GPUs have, and nothing else.
type memoryProbes struct{}

// Sample implements bridge.Probes.
func (memoryProbes) Sample(_ context.Context, v *slurm.View) (map[string][]policy.NodeDevices, error) {
	out := map[string][]policy.NodeDevices{}
	for i := range v.Nodes {
		for _, g := range v.Nodes[i].GPUs() {
			out[v.Nodes[i].Name] = append(out[v.Nodes[i].Name], policy.NodeDevices{Type: g.Type, Count: g.Count, MemMB: site.GPUMemMB})
		}
	}
	return out, nil
}

// maxSampleAge is how old a sample may be.
const maxSampleAge = time.Minute

// nodeSamples are what the probes of the nodes answer: what jobs do on their GPUs. One that measures nothing answers what it
// measured last.
type nodeSamples struct{ *trial }

// PullSamples implements probes.Puller.
func (t nodeSamples) PullSamples(_ context.Context, nodes map[string]string) (map[string]nodeprobe.Sample, error) {
	jobs, out := t.world.Jobs(), map[string]nodeprobe.Sample{}
	for name := range nodes {
		number, err := strconv.Atoi(strings.TrimPrefix(name, "n"))
		if err != nil {
			return nil, fmt.Errorf("node %s has no number: %w", name, err)
		}
		now := t.world.Now()
		at := t.Site.SilentSince(number, now)
		s := nodeprobe.Sample{Node: name, At: at, AgeSeconds: now.Sub(at).Seconds()}
		if t.Overrides.BelievesOldSamples {
			s.At, s.AgeSeconds = now, 0
		}
		for i := range t.Site.GPUsPerNode {
			g := nodeprobe.GPU{Index: i, MinorNumber: i, UUID: fmt.Sprintf("GPU-%s-%d", name, i), Model: site.FirstType, Busy: nodeprobe.KnownValue(0), ProcessesKnown: true}
			if id := jobOnGPU(jobs, name, i); id != 0 && t.Site.Works(id, at) {
				g.Busy = nodeprobe.KnownValue(.5)
			}
			s.GPUs = append(s.GPUs, g)
		}
		out[name] = s
	}
	return out, nil
}

// jobOnGPU returns the running job that holds a GPU of a node, 0: none does.
func jobOnGPU(jobs []slurm.Job, node string, gpu int) int64 {
	for i := range jobs {
		j := &jobs[i]
		at := slices.Index(j.Nodes.Names, node)
		if !j.IsRunning() || at < 0 || at >= len(j.GresDetail) {
			continue
		}
		for _, g := range j.GresDetail[at].List {
			if slices.Contains(g.DeviceIndexes, gpu) {
				return j.ID
			}
		}
	}
	return 0
}

// ShrinkEvents returns a shorter list of events that breaks the same rule, by leaving out
// ever smaller parts. It runs the seed at most tries times.
func ShrinkEvents(s site.Site, events []event.Event, parts Overrides, rule string, tries int) []event.Event {
	fails := func(list []event.Event) bool {
		if tries--; tries < 0 {
			return false
		}
		o, err := RunTrial(s, list, parts)
		return err == nil && len(o.Breaches) > 0 && o.Breaches[0].Rule == rule
	}
	for size := (len(events) + 1) / 2; size > 0 && tries > 0; {
		shorter := false
		for at := 0; at < len(events) && tries > 0; {
			rest := append(append([]event.Event{}, events[:at]...), events[min(at+size, len(events)):]...)
			if fails(rest) {
				events, shorter = rest, true
			} else {
				at += size
			}
		}
		if !shorter || size > len(events) {
			size /= 2
		}
	}
	return events
}

// RunSeed plays a seed as it is drawn.
func RunSeed(seed uint64, cycles int, parts Overrides) (*Outcome, error) {
	s, events := site.DrawSite(seed, cycles), event.DrawEvents(seed, cycles)
	if s.TellsJobs {
		events = event.WithAdminComments(events, seed, cycles)
	}
	return RunTrial(s, events, parts)
}

// Overrides changes what a daemon is joined from, so that an error can be planted and
// the oracle be tried. The zero value changes nothing.
type Overrides struct {
	WrapCluster          func(bridge.Cluster) bridge.Cluster // what the loop sees of Slurm; nil: as it is
	WrapJournal          func(bridge.Journal) bridge.Journal // likewise of the ledger
	ChangeConfig         func(*bridge.Config)                // what a daemon is told
	ReportsKnownBreaches bool                                // also what is known to be broken is a breach
	IsUnfenced           bool                                // the database lets every epoch write
	BelievesOldSamples   bool                                // a probe's old sample counts as one of now
	RewriteEdit          func(slurm.Edit) slurm.Edit         // what is sent in place of an edit; nil: the edit
}
