package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/bridge/study/cluster"
	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/policyset"
	"fairbridge/bridge/study/trial"
	"fairbridge/policy/catalogue"
)

// trialHelp explains what simulate and compare have in common.
const trialHelp = specHelp + `

Fidelity exact carries plans out at once, as the simulators of the papers do, with
the parameters the papers ran with. Fidelity slurm takes them through the daemon's own
loop to a simulated Slurm, with the parameters of the daemon; there, the policy slurm
is Slurm by itself.`

// specHelp explains how clusters and policies are written.
const specHelp = `SPEC is a number of GPUs (one a server, type v100), or NODESxGPUS[:TYPE] separated by
commas: 16x4:a100,8x8:h100. Parameters of a policy follow a colon: gavel:round=360s,
tiresias:queues=3600;36000. "fairbridge policies" lists the policies.`

// trials are the flags of the commands that simulate.
type trials struct {
	source   trial.Source
	cluster  string
	policies string
	fidelity string
	clock    string
	round    time.Duration
	seed     int64
	perJob   string // file
}

func (t *trials) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&t.source.Trace, "trace", "", "file with the jobs")
	f.StringVar(&t.source.Format, "format", "auto", "of the trace: auto, "+strings.Join(trial.Formats(), ", "))
	f.StringVar(&t.source.Tables, "tables", "", "file with throughput tables, for training jobs")
	f.Float64Var(&t.source.GPUsPerProc, "gpus-per-proc", 1, "format swf: GPUs that a processor stands for")
	f.BoolVar(&t.source.SkipBad, "skip-bad", false, "leave out rows that make no sense and jobs that fit nowhere, and count them")
	f.BoolVar(&t.source.Silent, "silent", false, "jobs report nothing of their training: policies see plain batch jobs")
	f.StringVar(&t.cluster, "cluster", "", "the cluster: 32, or 16x4:a100,8x8:h100")
	f.StringVar(&t.policies, "policy", "", "policies, separated by commas")
	f.StringVar(&t.fidelity, "fidelity", "exact", "exact, or slurm")
	f.StringVar(&t.clock, "clock", "auto", "how time passes in fidelity exact: "+strings.Join(trial.Clocks(), ", ")+"; auto: shockwave for\ntraces with throughput tables, else intervals")
	f.DurationVar(&t.round, "round", 0, "length of a round of the clock, or of an interval (default: the clock's own)")
	f.Int64Var(&t.seed, "seed", 1, "of all chance")
	t.perJobFlag(c)
	cobra.CheckErr(c.RegisterFlagCompletionFunc("policy", completePolicies))
}

// completePolicies offers names behind the last comma.
func completePolicies(_ *cobra.Command, _ []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before := text[:strings.LastIndex(text, ",")+1]
	all := []cobra.Completion{cobra.CompletionWithDesc(before+policyset.Slurm, policyset.Alone().Entry.Title)}
	for _, e := range catalogue.All() {
		all = append(all, cobra.CompletionWithDesc(before+e.Name, e.Title))
	}
	return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// bench is everything a simulation needs, checked.
type bench struct {
	*trial.Workload
	picks []policyset.Pick
	way   trial.Way
	clock string // the clock's name
	seed  int64
}

// bench reads the flags and the files they name. Nothing is written before all
// of it is known to make sense.
func (t *trials) bench() (*bench, error) {
	b, err := t.asked()
	if err != nil {
		return nil, usageError{err}
	}
	if b.Workload, err = trial.Load(t.source); err != nil {
		return nil, err
	}
	return b, t.tick(b)
}

// asked reads what the flags say, files excepted.
func (t *trials) asked() (*bench, error) {
	for _, f := range [][2]string{{"--trace", t.source.Trace}, {"--cluster", t.cluster}, {"--policy", t.policies}} {
		if f[1] == "" {
			return nil, fmt.Errorf("%s is missing; see --help", f[0])
		}
	}
	if all := trial.Formats(); t.source.Format != "auto" && !slices.Contains(all, t.source.Format) {
		return nil, fmt.Errorf("format %q is unknown, there are auto, %s", t.source.Format, strings.Join(all, ", "))
	}
	b := &bench{seed: t.seed}
	var err error
	if t.source.Nodes, err = cluster.Parse(t.cluster); err != nil {
		return nil, err
	}
	switch t.fidelity {
	case "exact":
	case "slurm":
		b.way.Slurm = true
	default:
		return nil, fmt.Errorf("fidelity %q is unknown, there are exact and slurm", t.fidelity)
	}
	b.picks, err = policyset.Parse(t.policies, !b.way.Slurm)
	return b, err
}

// tick sets the clock.
func (t *trials) tick(b *bench) error {
	rush()
	b.clock = t.clock
	if b.clock == "auto" {
		b.clock = trial.ClockFor(b.Workload)
	}
	var err error
	if b.way.Clock, err = trial.Clock(b.clock, t.round); err != nil {
		return usageError{err}
	}
	b.way.Profiled = b.clock == "shockwave"
	return nil
}

// rush lets simulations use more memory for less time, unless GOGC says how
// much.
func rush() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// remarks says what was left out.
func (b *bench) remarks(w io.Writer) {
	for _, r := range b.Remarks {
		fmt.Fprintln(w, "note:", r)
	}
}

// run simulates one policy.
func (b *bench) run(ctx context.Context, p policyset.Pick, seed int64, progress func(done, of int)) (*measure.Run, error) {
	way := b.way
	way.Seed, way.Progress = seed, progress
	return b.Workload.Run(ctx, p, way)
}
