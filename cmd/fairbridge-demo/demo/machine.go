package demo

import (
	"context"
	"fmt"
	"math"
	"time"

	"golang.org/x/sync/errgroup"
)

// MachineReport says what a machine took for things before the day, and whether it kept up
// during it. Times are in seconds.
type MachineReport struct {
	SubmissionSeconds float64 `json:"submission_s"` // of one job, the longest of some before the day
	CycleSeconds      float64 `json:"cycle_s"`      // likewise of a look and a plan
	ListingSeconds    float64 `json:"listing_s"`    // likewise of a look at Slurm's queue
	IntervalSeconds   float64 `json:"interval_s"`   // between two cycles of fairbridge
	CyclesDue         int     `json:"cycles_due"`
	CyclesMade        int     `json:"cycles_made"`
	KeptUp            bool    `json:"kept_up"` // cycles and submissions came in time
}

// keptUpCycles is the part of the cycles that must have been made in time.
const keptUpCycles = 0.85

// countLateCycles counts how many cycles there were in the day, and how many there should have been.
func (m *MachineReport) countLateCycles(ctx context.Context, d *daemon, first uint64, day time.Duration) error {
	last, err := d.countCycles(ctx)
	if err != nil {
		return err
	}
	m.CyclesDue, m.CyclesMade = int(day.Seconds()/m.IntervalSeconds), int(last-first)
	return nil
}

// latenessText says where the machine could not keep up with the day; "" where it did.
func (c *Comparison) latenessText() string {
	m := c.Machine
	if m == nil || m.KeptUp {
		return ""
	}
	return fmt.Sprintf("This machine could not keep up: %d of %d cycles of fairbridge were in time, and jobs were submitted up to %.1f s late (Slurm alone) and %.1f s (with fairbridge). The figures are the machine's as much as the scheduler's.",
		m.CyclesMade, m.CyclesDue, c.AloneFigures.LatestSubmissionSeconds, c.FairbridgeFigures.LatestSubmissionSeconds)
}

// judgeMachine finds out whether the machine kept up with the day.
func (c *Comparison) judgeMachine() {
	m := c.Machine
	if m == nil {
		return
	}
	late := max(c.AloneFigures.LatestSubmissionSeconds, c.FairbridgeFigures.LatestSubmissionSeconds)
	m.KeptUp = float64(m.CyclesMade) >= keptUpCycles*float64(m.CyclesDue) && late <= m.IntervalSeconds
}

const (
	maxSpeed = 120 // of a day in real time: it passes in three and a half minutes
	minSpeed = 60  // of one on a slow machine
)

// pace is how fast a day passes.
type pace struct {
	speed    float64       // how many times faster than a real day; 1: as it is, in virtual time
	interval time.Duration // of fairbridge's cycles
}

// virtualPace is that of a day in virtual time, which costs none: a real day.
var virtualPace = pace{speed: 1, interval: 30 * time.Second}

// machineSpeed is what a machine needed before the day began, on which it is scaled.
type machineSpeed struct {
	Submission time.Duration // of one job
	Cycle      time.Duration // one look at Slurm and one plan
	Listing    time.Duration // of Slurm's queue
}

const (
	fastestInterval = 3 * time.Second
	slowestInterval = 6 * time.Second
	cycleReserve    = 4 // an interval is so many times what a cycle takes: the day is busier than the measurement
)

// suitablePace is the pace that a machine can keep: an interval in which a cycle has
// room, and some submissions, and a day that is longer in proportion.
func suitablePace(m machineSpeed) pace {
	need := max(cycleReserve*m.Cycle, cycleReserve*m.Submission, cycleReserve*m.Listing, fastestInterval)
	interval := min(need.Round(time.Second), slowestInterval)
	speed := math.Max(maxSpeed*fastestInterval.Seconds()/interval.Seconds(), minSpeed)
	return pace{speed: speed, interval: interval}
}

// measureTime runs something some times and returns how long the slowest took.
func measureTime(times int, run func() error) (longest time.Duration, err error) {
	for range times {
		begin := time.Now()
		if err := run(); err != nil {
			return 0, err
		}
		longest = max(longest, time.Since(begin))
	}
	return longest, nil
}

// measureMachine finds out how long a submission, a look at the queue and a cycle take
// while both clusters do the same.
func measureMachine(ctx context.Context, clusters []*realCluster, d *daemon) (m machineSpeed, err error) {
	const times = 3
	submissions, listings := make([]time.Duration, len(clusters)), make([]time.Duration, len(clusters))
	group, ctx := errgroup.WithContext(ctx)
	for i, c := range clusters {
		group.Go(func() (err error) {
			if submissions[i], err = measureTime(times, func() error { return c.trySubmission(ctx) }); err != nil {
				return fmt.Errorf("measuring how long a submission takes: %w", err)
			}
			listings[i], err = measureTime(times, func() error { _, err := c.Queue(ctx); return err })
			return err
		})
	}
	group.Go(func() (err error) {
		m.Cycle, err = measureTime(times, func() error { _, err := d.runCommand(ctx, "plan"); return err })
		return err
	})
	err = group.Wait()
	for i := range clusters {
		m.Submission, m.Listing = max(m.Submission, submissions[i]), max(m.Listing, listings[i])
	}
	return m, err
}
