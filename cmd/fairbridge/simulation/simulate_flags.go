package simulation

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/bridge/study"
	"fairbridge/bridge/study/cluster"
	"fairbridge/bridge/study/exact"
	"fairbridge/bridge/study/policyset"
	"fairbridge/bridge/study/trace"
	"fairbridge/cmd/internal/cli"
	"fairbridge/policy/catalogue"
)

// simulateHelp explains what simulate and compare have in common.
const simulateHelp = specHelp + `

Fidelity exact carries plans out at once, as the simulators of the papers do, with
the parameters the papers ran with. Fidelity slurm takes them through the daemon's own
loop to a simulated Slurm, with the parameters of the daemon; there, the policy slurm
is Slurm by itself.`

// specHelp explains how clusters and policies are written.
const specHelp = `SPEC is a number of GPUs (one a server, type v100), or NODESxGPUS[:TYPE] separated by
commas: 16x4:a100,8x8:h100. Parameters of a policy follow a colon: gavel:round=360s,
tiresias:queues=3600;36000. "fairbridge policies" lists the policies.`

// simulateFlags are the flags of the commands that simulate.
type simulateFlags struct {
	source          study.Source
	cluster         string
	policies        string
	fidelity        string
	clock           string
	round           time.Duration
	seed            int64
	seeds, parallel int
	perJob, html    string // files
}

// addShared adds what all of them have.
func (f *simulateFlags) addShared(c *cobra.Command, fidelity string) {
	other := "slurm"
	if fidelity == other {
		other = "exact"
	}
	s := c.Flags()
	s.StringVar(&f.policies, "policy", "", "policies, separated by commas")
	s.StringVar(&f.fidelity, "fidelity", fidelity, fidelity+", or "+other)
	s.Int64Var(&f.seed, "seed", 1, "of all chance")
	s.StringVar(&f.perJob, "per-job", "", "also write what became of every job to this file (CSV): policy and seed where there\n"+
		"are several, job, user, account, gpus, arrive_s, start_s, end_s, wait_s, jct_s, rho, stops")
	cobra.CheckErr(c.RegisterFlagCompletionFunc("policy", completePolicies))
}

// addTrace adds what says which jobs are simulated, and on what.
func (f *simulateFlags) addTrace(c *cobra.Command) {
	s := c.Flags()
	s.StringVar(&f.source.Trace, "trace", "", "file with the jobs")
	s.StringVar(&f.source.Options.Format, "format", "auto", "of the trace: auto, "+strings.Join(trace.FormatNames(), ", "))
	s.StringVar(&f.source.Tables, "tables", "", "file with throughput tables, for training jobs")
	s.Float64Var(&f.source.Options.GPUsPerProc, "gpus-per-proc", 1, "format swf: GPUs that a processor stands for")
	s.BoolVar(&f.source.Options.SkipBad, "skip-bad", false, "leave out rows that make no sense and jobs that fit nowhere, and count them")
	s.BoolVar(&f.source.SilenceJobs, "silent", false, "jobs report nothing of their training: policies see plain batch jobs")
	s.StringVar(&f.cluster, "cluster", "", "the cluster: 32, or 16x4:a100,8x8:h100")
	s.StringVar(&f.clock, "clock", "auto", "how time passes in fidelity exact: "+strings.Join(exact.ClockNames(), ", ")+"; auto: shockwave for\ntraces with throughput tables, else intervals")
	s.DurationVar(&f.round, "round", 0, "length of a round of the clock, or of an interval (default: the clock's own)")
}

// addMany adds what commands have that simulate many times.
func (f *simulateFlags) addMany(c *cobra.Command, seeds string) {
	s := c.Flags()
	s.IntVar(&f.seeds, "seeds", 1, "how many times, "+seeds)
	s.IntVar(&f.parallel, "parallel", runtime.GOMAXPROCS(0), "simulations at a time")
	s.StringVar(&f.html, "html", "", "also write a page with drawings to this file")
}

// completePolicies offers names behind the last comma.
func completePolicies(_ *cobra.Command, _ []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before := text[:strings.LastIndex(text, ",")+1]
	all := []cobra.Completion{cobra.CompletionWithDesc(before+policyset.SlurmName, policyset.SlurmAlone().System.Title)}
	for _, e := range catalogue.Systems() {
		all = append(all, cobra.CompletionWithDesc(before+e.Name, e.Title))
	}
	return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// fromTrace reads the flags and the files they name. Nothing is written before
// all of it is known to make sense.
func (f *simulateFlags) fromTrace() (*study.Experiment, error) {
	e, err := f.experiment(f.source.Trace)
	if err != nil {
		return nil, err
	}
	s, err := study.Load(f.source)
	if err != nil {
		return nil, err
	}
	return e, f.add(e, s)
}

// experiment reads the flags, files excepted. It has no scenarios yet. jobs is
// what says which jobs are simulated.
func (f *simulateFlags) experiment(jobs string) (*study.Experiment, error) {
	for _, x := range [][2]string{{"--trace", jobs}, {"--cluster", f.cluster}, {"--policy", f.policies}} {
		if x[1] == "" {
			return nil, cli.BadUsage(fmt.Errorf("%s is missing; see --help", x[0]))
		}
	}
	if all, format := trace.FormatNames(), f.source.Options.Format; format != "auto" && !slices.Contains(all, format) {
		return nil, cli.BadUsage(fmt.Errorf("format %q is unknown, there are auto, %s", format, strings.Join(all, ", ")))
	}
	return f.options()
}

// options reads which policies are simulated on what, and how.
func (f *simulateFlags) options() (*study.Experiment, error) {
	e := &study.Experiment{Cluster: f.cluster, Options: study.Options{Seed: f.seed}}
	var err error
	if f.cluster != "" {
		if f.source.Nodes, err = cluster.ParseSpec(f.cluster); err != nil {
			return nil, cli.BadUsage(err)
		}
	}
	switch f.fidelity {
	case "exact":
	case "slurm":
		e.ThroughSlurm = true
	default:
		return nil, cli.BadUsage(fmt.Errorf("fidelity %q is unknown, there are exact and slurm", f.fidelity))
	}
	if e.Policies, err = policyset.Parse(f.policies, !e.ThroughSlurm); err != nil {
		return nil, cli.BadUsage(err)
	}
	return e, nil
}

// checkMany checks the flags of addMany.
func (f *simulateFlags) checkMany() error {
	if f.seeds < 1 || f.parallel < 1 {
		return cli.BadUsage(errors.New("--seeds and --parallel want at least 1"))
	}
	return nil
}

// add gives the experiment its scenarios, and the clock that fits them. Unless
// GOGC says how much, simulations may use more memory for less time.
func (f *simulateFlags) add(e *study.Experiment, scenarios ...*study.Scenario) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	e.Scenarios = scenarios
	if err := e.SetClock(f.clock, f.round, scenarios[0]); err != nil {
		return cli.BadUsage(err)
	}
	return nil
}
