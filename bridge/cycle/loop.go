package cycle

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/robfig/cron/v3"

	"fairbridge/bridge"
	"fairbridge/bridge/push"
)

// Parts are what the loop is joined from.
type Parts struct {
	Cluster       bridge.Cluster
	Journal       bridge.Journal
	Leadership    bridge.Leadership
	History       bridge.History
	Probes        bridge.Probes
	ExpirerStatus bridge.ExpirerStatus // nil: nothing outside the daemon ends what it leaves
	Demotions     bridge.Demotions     // which partitions are demoted; nil: none ever is
	// OperatorActions are what operators did; nil: nothing ever. StopSwitch is on while one of them
	// stopped this process; nil: it never is.
	OperatorActions bridge.OperatorActions
	StopSwitch      *push.StopSwitch
	Metrics         *Metrics
	Log             *slog.Logger
	Now             func() time.Time // time.Now but in tests
	OnCycleEnd      func(*Report)    // called after every cycle; nil: it is not
	// WaitsForPlans gives a policy as long as it takes: where the time of Now stands still
	// meanwhile, a machine that is busy must not change what comes of it.
	WaitsForPlans bool
	// IsSimulation waits for plans, records cycles without snapshot and digests, since nothing
	// will decide them again, and trusts policies not to write to their snapshot.
	IsSimulation bool
	// OmitsReasons asks policies for no reasons: nobody reads what is decided.
	OmitsReasons bool
}

// Loop runs cycles. It is not safe for concurrent use.
type Loop struct {
	bridge.Config
	Parts
	guards map[bridge.Decider]*Caller
	leader push.LeaderLease
	memory Memory      // of the last cycle
	quiet  *quietCycle // of a simulation the last one, if nothing is under way after it, else nil
}

// New joins the parts. The configuration must be valid.
func New(c bridge.Config, p Parts) (*Loop, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	l := &Loop{
		Config: c, Parts: p, guards: map[bridge.Decider]*Caller{},
		leader: push.LeaderLease{ClusterName: c.ClusterName, HolderName: c.DaemonName, TTL: c.EffectiveLeaderTTL(), Now: p.Now},
	}
	for i := range c.Partitions {
		part := &c.Partitions[i]
		l.guards[part.Decider()] = &Caller{Policy: part.DecidingPolicy}
		if own := part.Canary; own != nil {
			l.guards[bridge.Decider{Partition: part.Name, Policy: own.Policy, Params: own.Params}] = &Caller{Policy: own.DecidingPolicy}
		}
	}
	return l, nil
}

// Run runs a cycle at once and then every interval, skipping one that would
// overlap the one before, until the context ends. Then it finishes the call
// under way and gives leadership back. Leases stay: a restart must not start
// everything they hold at once. A cycle that panics is the last one, and the error.
func (l *Loop) Run(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	var panicked error
	deadline := l.Interval
	if l.CycleDeadline > 0 {
		deadline = l.CycleDeadline
	}
	cycle := cron.FuncJob(func() {
		defer func() {
			if p := recover(); p != nil {
				panicked = fmt.Errorf("panic in a cycle: %v\n%s", p, debug.Stack())
				end()
			}
		}()
		ctx, cancel := context.WithTimeout(ctx, deadline)
		defer cancel()
		l.Step(ctx)
	})
	cycle.Run()
	c := cron.New(cron.WithChain(cron.SkipIfStillRunning(cron.DiscardLogger)))
	c.Schedule(cron.Every(l.Interval), cycle)
	c.Start()
	<-ctx.Done()
	<-c.Stop().Done()
	return errors.Join(panicked, l.leader.Resign(ctx, l.Leadership))
}

// CheckMayPush looks, right before every call, at everything that may forbid it.
func (l *Loop) CheckMayPush(ctx context.Context) error {
	if err := l.StopSwitch.Check(); err != nil {
		return err
	}
	return push.CheckMayCall(ctx, l.StopFile, &l.leader, l.Leadership)
}

// PushPorts are the parts that a push needs.
func (p *Parts) PushPorts() push.Ports {
	return push.Ports{Cluster: p.Cluster, Journal: p.Journal, Now: p.Now, OnIntentSent: p.Metrics.countEdit}
}
