package trial

import (
	"context"
	"fmt"

	"fairbridge/bridge/sim/exact"
	"fairbridge/bridge/sim/measure"
	"fairbridge/bridge/sim/through"
	"fairbridge/cmd/fairbridge/roster"
	"fairbridge/policy"
)

// Way is how a workload is simulated.
type Way struct {
	Slurm    bool // through the real loop, gate and diff, on a simulated Slurm; else exactly
	Clock    exact.Clock
	Seed     int64
	Profiled bool               // see exact.Config
	Progress func(done, of int) // told from time to time; nil: nobody
}

// Run simulates the workload under a policy. It ends early, with the context's
// error, when the context does.
func (w *Workload) Run(ctx context.Context, p roster.Pick, way Way) (*measure.Run, error) {
	decide, err := p.New()
	if err != nil {
		return nil, err
	}
	decide = mortal{decide, ctx}
	var run *measure.Run
	if way.Slurm {
		run, err = through.Run(through.Config{
			Policy: decide, Name: p.Entry.Name, Nodes: w.Nodes, Jobs: w.Jobs, Tables: w.Tables, Accounts: w.Accounts,
			Seed: way.Seed, Cost: way.Clock.Cost, Progress: way.Progress,
		})
	} else {
		run, err = exact.Run(exact.Config{
			Policy: decide, Nodes: w.Nodes, Jobs: w.Jobs, Tables: w.Tables, Accounts: w.Accounts,
			Clock: way.Clock, Seed: way.Seed, Profiled: way.Profiled, Terse: true, Progress: way.Progress,
		})
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("simulating %s on %s: %w", p.Label, w.Name, err)
	}
	run.Policy, run.Trace, run.Seed = p.Label, w.Name, way.Seed
	return run, nil
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
