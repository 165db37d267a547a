package trial

import (
	"context"
	"fmt"

	"fairbridge/bridge"
	"fairbridge/bridge/sim"
	"fairbridge/bridge/study/exact"
	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/policyset"
	"fairbridge/bridge/study/slurmrun"
	"fairbridge/policy"
)

// Way is how a workload is simulated.
type Way struct {
	Slurm    bool // through the real loop, gate and diff, on a simulated Slurm; else exactly
	Clock    exact.Clock
	Seed     int64
	Loop     bridge.Config      // with Slurm: the daemon's configuration; zero: its defaults
	Conf     sim.Config         // with Slurm: its settings, but for the cluster; zero: its defaults
	Mode     bridge.Mode        // with Slurm: how much of a plan may reach it; "": preempt
	Profiled bool               // see exact.Config
	Progress func(done, of int) // told from time to time; nil: nobody
}

// Run simulates the workload under a policy. It ends early, with the context's
// error, when the context does: at once, or when a decision that takes long is
// not waited for.
func (w *Workload) Run(ctx context.Context, p policyset.Pick, way Way) (*measure.Run, error) {
	decide, err := p.New()
	if err != nil {
		return nil, err
	}
	type outcome struct {
		run *measure.Run
		err error
	}
	ended := make(chan outcome, 1)
	go func() {
		if decide != nil { // else it is Slurm by itself
			decide = mortal{decide, ctx}
		}
		run, err := w.simulate(decide, p.Entry.Name, way)
		ended <- outcome{run, err}
	}()
	var out outcome
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("simulating %s on %s: %w", p.Label, w.Name, context.Cause(ctx))
	case out = <-ended:
	}
	if out.err != nil {
		return nil, fmt.Errorf("simulating %s on %s: %w", p.Label, w.Name, out.err)
	}
	out.run.Policy, out.run.Trace, out.run.Seed = p.Label, w.Name, way.Seed
	return out.run, nil
}

func (w *Workload) simulate(decide policy.Policy, name string, way Way) (*measure.Run, error) {
	if way.Slurm {
		return slurmrun.Run(slurmrun.Config{
			Policy: decide, Name: name, Nodes: w.Nodes, Jobs: w.Jobs, Tables: w.Tables, Accounts: w.Accounts,
			Seed: way.Seed, Cost: way.Clock.Cost, Progress: way.Progress, Loop: way.Loop, Mode: way.Mode, Slurm: way.Conf,
		})
	}
	return exact.Run(exact.Config{
		Policy: decide, Nodes: w.Nodes, Jobs: w.Jobs, Tables: w.Tables, Accounts: w.Accounts,
		Clock: way.Clock, Seed: way.Seed, Profiled: way.Profiled, Terse: true, Progress: way.Progress,
	})
}

// mortal is a policy that stops deciding when the context ends.
type mortal struct {
	policy.Policy
	ctx context.Context // a policy gets none, and a simulation asks nobody else
}

// Decide implements policy.Policy.
func (m mortal) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	if err := m.ctx.Err(); err != nil {
		return nil, err
	}
	return m.Policy.Decide(s)
}
