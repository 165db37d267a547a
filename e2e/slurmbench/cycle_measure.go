package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"time"

	"fairbridge/bridge/slurm/rest"
)

var ownPID = os.Getpid()

// cycleKind is a way to poll.
type cycleKind struct {
	name            string
	poll            rest.PollConfig
	readsWholeList  bool // every cycle must read the whole list
	changedJobCount int
}

// listCycleKinds returns what this Slurm can be polled by: before 24.05 there is no
// list of states, so that every poll reads everything.
func (b *cycleBench) listCycleKinds() []cycleKind {
	all := []cycleKind{{name: "list", poll: rest.PollConfig{FullEvery: -1}, readsWholeList: true}}
	if b.release < "24.05" {
		return all
	}
	slow := rest.PollConfig{FullEvery: 24 * time.Hour}
	return append(
		all,
		cycleKind{name: "steady", poll: slow},
		cycleKind{name: "moved", poll: slow, changedJobCount: b.changedJobCount},
	)
}

// cycleSample is what one cycle cost.
type cycleSample struct {
	wallTime, ownCPUTime                                 time.Duration
	slurmrestdCPUTime, slurmctldCPUTime, postgresCPUTime time.Duration
	pollCost                                             pollCost
	timeByStep                                           map[string]time.Duration
	ownRSSBytes, slurmrestdRSSBytes                      int64 // bytes
}

// warmupCycles is how many cycles run before those that count.
const warmupCycles = 2

func (b *cycleBench) measureCycles(ctx context.Context, k cycleKind) ([]cycleSample, error) {
	l, err := newLoopUnderTest(ctx, &b.cycleSite, b.policyName, k.poll)
	if err != nil {
		return nil, err
	}
	defer l.close()
	for range warmupCycles {
		if _, err := l.runCycle(ctx); err != nil {
			return nil, err
		}
	}
	runtime.GC() // what warming up left
	var all []cycleSample
	err = runWithProfile(b.profilePrefix, k.name, func() error {
		for range b.cycleCount {
			one, err := b.measureCycle(ctx, l, k, b.pause)
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
func (s *cycleSite) measureCycle(
	ctx context.Context,
	b *loopUnderTest,
	k cycleKind,
	pause time.Duration,
) (one cycleSample, err error) {
	if k.changedJobCount > 0 {
		if err := s.changeJobs(ctx, k.changedJobCount); err != nil {
			return one, err
		}
	}
	if err := sleep(ctx, pause); err != nil {
		return one, err
	}
	before, err := s.servers.readCPUTimes()
	if err != nil {
		return one, err
	}
	own := readOwnCPUTime()
	report, err := b.runCycle(ctx)
	if err != nil {
		return one, err
	}
	own = readOwnCPUTime() - own
	after, err := s.servers.readCPUTimes()
	if err != nil {
		return one, err
	}
	one = cycleSample{
		wallTime:          report.Duration,
		ownCPUTime:        own,
		pollCost:          b.cluster.lastPoll,
		timeByStep:        map[string]time.Duration{"poll": b.cluster.lastPoll.wallTime},
		slurmrestdCPUTime: after[0] - before[0],
		slurmctldCPUTime:  after[1] - before[1],
		postgresCPUTime:   after[2] - before[2],
	}
	if one.pollCost.readWholeList != k.readsWholeList {
		return one, fmt.Errorf(
			"the cycle was to read the whole list: %t; it did: %t",
			k.readsWholeList,
			one.pollCost.readWholeList,
		)
	}
	for step, t := range report.PartitionResults[0].DurationByStep {
		one.timeByStep[step] = t
	}
	for step, t := range b.store.timeByCall {
		one.timeByStep[step] = t
	}
	return one, one.readMemory(s)
}

// readCPUTimes returns the processor times of slurmrestd, slurmctld and Postgres.
func (o serverPIDs) readCPUTimes() (t [3]time.Duration, err error) {
	for i, f := range []func() (time.Duration, error){
		func() (time.Duration, error) { return readProcessCPUTime(o.slurmrestd) },
		func() (time.Duration, error) { return readProcessCPUTime(o.slurmctld) },
		func() (time.Duration, error) { return readFamilyCPUTime(o.postgres) },
	} {
		if t[i], err = f(); err != nil {
			return t, err
		}
	}
	return t, nil
}

// readMemory notes the memory in use.
func (one *cycleSample) readMemory(s *cycleSite) error {
	for pid, to := range map[int]*int64{ownPID: &one.ownRSSBytes, s.servers.slurmrestd: &one.slurmrestdRSSBytes} {
		kib, err := readProcField(pid, "status", "VmRSS")
		if err != nil {
			return err
		}
		*to = kib << 10
	}
	return nil
}

// runWithProfile runs f under the CPU profiler, if one is asked for.
func runWithProfile(prefix, kind string, f func() error) (err error) {
	if prefix == "" {
		return f()
	}
	file, err := os.Create(prefix + "." + kind)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := pprof.StartCPUProfile(file); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return f()
}
