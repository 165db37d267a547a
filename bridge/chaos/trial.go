package chaos

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"time"

	"fairbridge/bridge/push"
	"fairbridge/bridge/sim"
)

// trial is one seed under way.
type trial struct {
	Setup
	Parts
	w        *sim.World
	store    *store
	timer    *proc     // fairbridge expire, which a timer runs
	command  *proc     // fairbridge release
	due      time.Time // of the timer
	procs    []*proc
	oracle   *oracle
	weather  weather
	spoiler  *spoiler
	trace    *trace
	cycle    int
	dir      string
	stopFile string
	began    time.Time
	stopAt   time.Time // when the STOP file was made
}

// Outcome is what came of a run.
type Outcome struct {
	Setup    Setup
	Events   []Event
	Breaches []Breach       // in order; the run ends with the cycle of the first
	Residue  map[string]int // breaches of rules that are Known, by rule
	Last     []string       // the last lines of Slurm's log and of ours, before the first breach
	Sent     map[string]int
	Doubts   map[string]int // cycles in doubt, by cause
	Jobs     int            // submitted
	Stops    int            // requeues of ours that Slurm carried out
	Digest   string         // of everything that happened: the same for the same run
}

// Run plays the events at the site and judges. An error is one of the harness,
// not of what it judges.
func Run(s Setup, events []Event, parts Parts) (*Outcome, error) {
	dir, err := os.MkdirTemp("", "chaos")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the STOP file: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	t, err := newTrial(s, parts, dir)
	if err != nil {
		return nil, err
	}
	by := map[int][]Event{}
	for _, e := range events {
		by[e.Cycle] = append(by[e.Cycle], e)
	}
	for t.cycle = range s.Cycles {
		t.one(by[t.cycle])
		if len(t.oracle.breaches) > 0 {
			break
		}
	}
	if len(t.oracle.breaches) == 0 {
		t.end()
	}
	return t.outcome(events), nil
}

func newTrial(s Setup, parts Parts, dir string) (*trial, error) {
	t := &trial{Setup: s, Parts: parts, dir: dir, stopFile: filepath.Join(dir, "STOP"), trace: &trace{}}
	t.weather = weather{until: map[Kind]int{}, size: map[Kind]time.Duration{}, roll: map[Kind]uint64{}}
	var err error
	t.oracle = newOracle(t)
	if t.w, err = s.world(sim.Config{Log: t.trace, Audit: t.oracle.logged}); err != nil {
		return nil, err
	}
	t.began = t.w.Now()
	t.oracle.seen = t.began
	t.store = newStore(t)
	if t.spoiler, err = newSpoiler(t); err != nil {
		return nil, err
	}
	daemons := 1
	if s.Standby {
		daemons = 2
	}
	for i := range daemons {
		t.procs = append(t.procs, &proc{trial: t, name: processes[i], holder: processes[i]})
	}
	t.timer = &proc{trial: t, name: "timer", holder: "timer" + push.ExpirySuffix, tool: true}
	t.command = &proc{trial: t, name: "release", holder: "release", tool: true}
	return t, nil
}

// one is a cycle: what happens before it, the steps of the daemons, and the time
// until the next.
func (t *trial) one(events []Event) {
	t.trace.note("cycle %d", t.cycle)
	t.weather.clear(t)
	for _, e := range events {
		t.happen(e)
	}
	next := t.w.Now().Add(interval)
	t.tick()
	for i, p := range t.procs {
		t.w.Advance(t.w.Now().Add(time.Duration(i) * 7 * time.Second))
		p.step()
	}
	t.w.Advance(next)
	t.oracle.afterCycle()
}

// interval is the time between cycles.
const interval = 30 * time.Second

// minJobAge is how long Slurm lists a job that has ended.
const minJobAge = 5 * time.Minute

func (t *trial) outcome(events []Event) *Outcome {
	o := &Outcome{
		Setup: t.Setup, Events: events, Breaches: t.oracle.breaches, Residue: t.oracle.residue, Sent: t.oracle.sent, Doubts: t.oracle.doubts,
		Jobs: len(t.oracle.book.jobs), Stops: len(t.oracle.stops), Digest: t.trace.digest(),
	}
	if len(o.Breaches) > 0 {
		o.Last = t.trace.last
	}
	return o
}

// trace keeps the last lines of what happened. The first breach stops it.
type trace struct {
	lines []string
	last  []string
	sum   hash.Hash // of all lines; nil: none yet
}

var _ io.Writer = (*trace)(nil)

// Write takes a line of Slurm's log.
func (t *trace) Write(line []byte) (int, error) {
	if t.sum == nil {
		t.sum = sha256.New()
	}
	_, _ = t.sum.Write(line)
	t.lines = append(t.lines, string(line[:len(line)-1]))
	if len(t.lines) > 400 {
		t.lines = append(t.lines[:0], t.lines[200:]...)
	}
	return len(line), nil
}

func (t *trace) note(format string, a ...any) {
	_, _ = t.Write([]byte("    -- " + fmt.Sprintf(format, a...) + "\n"))
}

func (t *trace) digest() string {
	if t.sum == nil {
		return ""
	}
	return hex.EncodeToString(t.sum.Sum(nil))
}

// freeze keeps the lines that led to the first breach.
func (t *trace) freeze() {
	if t.last == nil {
		t.last = append([]string{}, t.lines[max(0, len(t.lines)-120):]...)
	}
}
