package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"fairbridge/bridge/slurm/rest"
)

var self = os.Getpid()

// cycleKind is a way to poll.
type cycleKind struct {
	name  string
	poll  rest.Poll
	full  bool // every cycle must read the whole list
	moved int
}

// cycleKinds returns what this Slurm can be polled by: before 24.05 there is no
// list of states, so that every poll reads everything.
func (s *site) cycleKinds(o options) []cycleKind {
	all := []cycleKind{{name: "list", poll: rest.Poll{FullEvery: time.Nanosecond}, full: true}}
	if s.release < "24.05" {
		return all
	}
	slow := rest.Poll{FullEvery: 24 * time.Hour}
	return append(all, cycleKind{name: "steady", poll: slow}, cycleKind{name: "moved", poll: slow, moved: o.moved})
}

// sample is what one cycle cost.
type sample struct {
	wall, own                       time.Duration
	slurmrestd, slurmctld, postgres time.Duration
	poll                            pollTimes
	steps                           map[string]time.Duration
	ownRSS, restRSS                 int64 // bytes
}

// warm is how many cycles run before those that count.
const warm = 2

func measure(ctx context.Context, s *site, o options, k cycleKind) ([]sample, error) {
	b, err := newBench(ctx, s, o, k.poll)
	if err != nil {
		return nil, err
	}
	defer b.close()
	for range warm {
		if _, err := b.step(ctx); err != nil {
			return nil, err
		}
	}
	runtime.GC() // what warming up left
	var all []sample
	err = withProfile(o.profile, k.name, func() error {
		for range o.cycles {
			one, err := s.measureCycle(ctx, b, k, o.pause)
			if err != nil {
				return err
			}
			all = append(all, one)
		}
		return nil
	})
	return all, err
}

// measureCycle measures one cycle.
func (s *site) measureCycle(ctx context.Context, b *loopUnderTest, k cycleKind, pause time.Duration) (one sample, err error) {
	if k.moved > 0 {
		if err := s.changeJobs(ctx, k.moved); err != nil {
			return one, err
		}
	}
	select {
	case <-ctx.Done():
		return one, ctx.Err()
	case <-time.After(pause):
	}
	before, err := s.others.cpuTimes()
	if err != nil {
		return one, err
	}
	own := ownCPU()
	report, err := b.step(ctx)
	if err != nil {
		return one, err
	}
	own = ownCPU() - own
	after, err := s.others.cpuTimes()
	if err != nil {
		return one, err
	}
	one = sample{wall: report.Duration, own: own, poll: b.reader.last, steps: map[string]time.Duration{"poll": b.reader.last.wall},
		slurmrestd: after[0] - before[0], slurmctld: after[1] - before[1], postgres: after[2] - before[2]}
	if one.poll.full != k.full {
		return one, fmt.Errorf("the cycle was to read the whole list: %t; it did: %t", k.full, one.poll.full)
	}
	for step, t := range report.Evaluations[0].StepTimes {
		one.steps[step] = t
	}
	for step, t := range b.store.spent {
		one.steps[step] = t
	}
	return one, one.readMemory(s)
}

// cpuTimes returns the processor times of slurmrestd, slurmctld and Postgres.
func (o serverPIDs) cpuTimes() (t [3]time.Duration, err error) {
	for i, f := range []func() (time.Duration, error){
		func() (time.Duration, error) { return processCPU(o.slurmrestd) },
		func() (time.Duration, error) { return processCPU(o.slurmctld) },
		func() (time.Duration, error) { return familyCPU(o.postgres) },
	} {
		if t[i], err = f(); err != nil {
			return t, err
		}
	}
	return t, nil
}

// readMemory notes the memory in use.
func (one *sample) readMemory(s *site) error {
	for pid, to := range map[int]*int64{self: &one.ownRSS, s.others.slurmrestd: &one.restRSS} {
		kib, err := procField(pid, "status", "VmRSS")
		if err != nil {
			return err
		}
		*to = kib << 10
	}
	return nil
}
