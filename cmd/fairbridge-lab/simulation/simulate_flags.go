package simulation

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/trial"
	"fairbridge/lab/experiment"
	"fairbridge/lab/trace"
	"fairbridge/policy"
	"fairbridge/replica/goodput"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
)

// simulateHelp explains what simulate and compare have in common.
const simulateHelp = trial.SpecHelp + `

Fidelity exact carries plans out at once, as the simulators of the papers do, with
the parameters the papers ran with. Fidelity slurm takes them through the daemon's own
loop to a simulated Slurm, with the parameters of the daemon; there, the policy slurm
is Slurm by itself.`

// simulateFlags are the flags of the commands that simulate.
type simulateFlags struct {
	trial.Flags
	scenarioSource       experiment.ScenarioSource
	isSilent, knowsTruth bool
	fidelity             string
	clockName            string
	roundLength          time.Duration
	restartCost          string              // a duration; "auto" or "": the clock's own
	information          goodput.Information // "auto": see study.RunOptions
	sizeFlags            sizeFlags
	weightFlags          weightFlags
}

// addSharedFlags adds what all of them have.
func (f *simulateFlags) addSharedFlags(c *cobra.Command, fidelity string) {
	other := "slurm"
	if fidelity == other {
		other = "exact"
	}
	f.AddPolicies(c)
	c.Flags().StringVar(&f.fidelity, "fidelity", fidelity, fidelity+", or "+other)
	trial.CompleteWords(c, "fidelity", "exact", "slurm")
}

// addTraceFlags adds what says which jobs are simulated, and on what.
func (f *simulateFlags) addTraceFlags(c *cobra.Command) {
	s := c.Flags()
	s.StringVar(&f.scenarioSource.TracePath, "trace", "", "file with the jobs")
	s.StringVar(&f.scenarioSource.TraceOptions.Format, "format", "auto", "of the trace: auto, "+strings.Join(trace.FormatNames(), ", "))
	s.StringVar(&f.scenarioSource.TablesPath, "tables", "", "file or folder with throughput tables, for training jobs")
	s.StringVar(&f.scenarioSource.TraceOptions.ProfilesPath, "profiles", "", "format pollux: folder with the profiles, one folder in it for each application")
	s.Float64Var(&f.scenarioSource.TraceOptions.GPUsPerProc, "gpus-per-proc", 1, "format swf: GPUs that a processor stands for")
	s.BoolVar(&f.scenarioSource.TraceOptions.SkipBad, "skip-bad", false, "leave out rows that make no sense and jobs that fit nowhere, and count them")
	f.addReportFlags(c)
	f.sizeFlags.addMode(c)
	f.weightFlags.add(c)
	s.StringVar(&f.ClusterSpec, "cluster", "", "the cluster: 32, or 16x4:a100,8x8:h100")
	s.StringVar(&f.clockName, "clock", "auto", "how time passes in fidelity exact: "+strings.Join(experiment.ClockNames(), ", ")+"; auto: shockwave for\ntraces with throughput tables, elasticflow where they are a folder, pollux with --profiles, else intervals")
	s.StringVar((*string)(&f.information), "information", "auto", "what jobs with profiles tell: measured (what they measured where they ran; they adapt\ntheir batch size), profiled (likewise, and one GPU of every type before they begin), compared\n(as in Sia's simulator, where it is known how types compare), oracle (their true speed\non every size; they keep it); auto: as the paper of the policy has it")
	s.DurationVar(&f.roundLength, "round", 0, "length of a round of the clock, or of an interval; 0s: the clock's own")
	s.StringVar(&f.restartCost, "restart-cost", "auto", "what a restart or another size costs each job that does not say: 0s, 90s; auto: the\nclock's own")
	cli.SetRange(c, "gpus-per-proc", "0.001", "1000")
	cli.SetRange(c, "round", "1s", "168h")
	trial.CompleteWords(c, "clock", append([]string{"auto"}, experiment.ClockNames()...)...)
	trial.CompleteWords(c, "information", informationWords()...)
	trial.CompleteWords(c, "format", append([]string{"auto"}, trace.FormatNames()...)...)
}

// informationWords are the values of --information.
func informationWords() []string {
	words := []string{"auto"}
	for _, l := range goodput.InformationLevels() {
		words = append(words, string(l))
	}
	return words
}

// checkInformation checks --information.
func (f *simulateFlags) checkInformation() error {
	if words := informationWords(); f.information != "" && !slices.Contains(words, string(f.information)) {
		return cli.NewUsageError(fmt.Errorf("--information %q is unknown, there are %s", f.information, strings.Join(words, ", ")))
	}
	return nil
}

// addReportFlags adds what says which jobs report to the policies.
func (f *simulateFlags) addReportFlags(c *cobra.Command) {
	c.Flags().StringVar((*string)(&f.scenarioSource.Reports), "reports", string(study.DefaultReports), "which jobs report their progress, so that policies know how long they run: auto\n(training jobs; not those of a cluster's history), all, none")
	c.Flags().BoolVar(&f.knowsTruth, "oracle", false, "let policies and backfill know how long every job really runs, as no live one does;\nelse they know time limits, and learn run times from the jobs that ended before")
	c.Flags().BoolVar(&f.isSilent, "silent", false, "the same as --reports none: policies see plain batch jobs")
	trial.CompleteWords(c, "reports", study.JobReportsNames()...)
}

// checkReports reads the flags of addReportFlags.
func (f *simulateFlags) checkReports() error {
	r := &f.scenarioSource.Reports
	if f.isSilent {
		if *r != study.DefaultReports && *r != study.NoneReports {
			return cli.NewUsageError(fmt.Errorf("--silent is --reports none: leave out --reports %s", *r))
		}
		*r = study.NoneReports
	}
	if names := study.JobReportsNames(); !slices.Contains(names, string(*r)) {
		return cli.NewUsageError(fmt.Errorf("--reports %q is unknown, there are %s", *r, strings.Join(names, ", ")))
	}
	return nil
}

// newTraceExperiment reads the flags and the files they name. Nothing is written before
// all of it is known to make sense.
func (f *simulateFlags) newTraceExperiment() (*study.Experiment, error) {
	e, err := f.newCheckedExperiment(f.scenarioSource.TracePath)
	if err != nil {
		return nil, err
	}
	s, err := experiment.LoadScenario(f.scenarioSource)
	if err != nil {
		return nil, err
	}
	return e, f.addScenarios(e, s)
}

// newCheckedExperiment reads the flags, files excepted. It has no scenarios yet. jobs is
// what says which jobs are simulated.
func (f *simulateFlags) newCheckedExperiment(jobs string) (*study.Experiment, error) {
	for _, x := range [][2]string{{"--trace", jobs}, {"--cluster", f.ClusterSpec}, {"--policy", f.PolicyList}} {
		if x[1] == "" {
			return nil, cli.NewUsageError(fmt.Errorf("%s is missing; see --help", x[0]))
		}
	}
	if all, format := trace.FormatNames(), f.scenarioSource.TraceOptions.Format; format != "auto" && !slices.Contains(all, format) {
		return nil, cli.NewUsageError(fmt.Errorf("format %q is unknown, there are auto, %s", format, strings.Join(all, ", ")))
	}
	if err := f.checkReports(); err != nil {
		return nil, err
	}
	return f.newExperiment()
}

// newExperiment reads which policies are simulated on what, and how.
func (f *simulateFlags) newExperiment() (*study.Experiment, error) {
	switch f.fidelity {
	case "exact":
	case "slurm":
		if f.clockName != "auto" && f.clockName != "" {
			return nil, cli.NewUsageError(fmt.Errorf("--clock %s is of fidelity exact: through Slurm time passes as it does live; leave it out", f.clockName))
		}
	default:
		return nil, cli.NewUsageError(fmt.Errorf("fidelity %q is unknown, there are exact and slurm", f.fidelity))
	}
	e, err := f.NewExperiment(f.fidelity == "slurm")
	if err != nil {
		return nil, err
	}
	if f.scenarioSource.Nodes, e.KnowsTruth = f.Nodes, f.knowsTruth; f.knowsTruth {
		policyset.UseEstimates(e.Policies)
	}
	if err := f.sizeFlags.setMode(e); err != nil {
		return nil, err
	}
	if e.BillingWeights, err = f.weightFlags.weights(); err != nil {
		return nil, err
	}
	return e, f.checkInformation()
}

// manyJobs is the number of jobs from which on what is kept of them is most of the memory.
const manyJobs = 20_000

// addScenarios gives the experiment its scenarios, and the clock that fits them. Unless
// GOGC says how much, simulations of fewer than manyJobs may use more memory for less time.
func (f *simulateFlags) addScenarios(e *study.Experiment, scenarios ...*study.Scenario) error {
	if os.Getenv("GOGC") == "" && len(scenarios[0].Jobs) < manyJobs {
		debug.SetGCPercent(400)
	}
	e.Scenarios = scenarios
	if err := experiment.SetClock(&e.RunOptions, f.clockName, f.roundLength, scenarios[0]); err != nil {
		return cli.NewUsageError(err)
	}
	if f.information != "auto" {
		experiment.SetInformation(&e.RunOptions, f.information)
	}
	if f.restartCost == "auto" || f.restartCost == "" {
		return nil
	}
	cost, err := time.ParseDuration(f.restartCost)
	if err != nil || cost < 0 || cost > 7*24*time.Hour {
		return cli.NewUsageError(fmt.Errorf("--restart-cost %q: want auto, or a duration from 0s to 168h", f.restartCost))
	}
	experiment.SetRestartCost(&e.RunOptions, cost)
	return nil
}

// weightFlags say what GPUs of each type are charged in the use that policies see. The zero weightFlags charge every
// type alike.
type weightFlags struct{ text string }

// add adds --billing-weights.
func (f *weightFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.text, "billing-weights", "", "GPU-hours that an hour of a GPU of a type is charged in what accounts used, such as\na100=1,t4=0.25; other types 1, as with gpus.billing_weight in the configuration")
}

// weights reads the flag; nil: it is not given.
func (f *weightFlags) weights() (policy.BillingWeights, error) {
	if f.text == "" {
		return nil, nil
	}
	out := policy.BillingWeights{}
	for part := range strings.SplitSeq(f.text, ",") {
		typ, number, _ := strings.Cut(part, "=")
		weight, err := strconv.ParseFloat(number, 64)
		if _, twice := out[typ]; twice || typ == "" || err != nil || !(weight >= 0 && weight <= policy.MaxBillingWeight) {
			return nil, cli.NewUsageError(fmt.Errorf("--billing-weights %q: want each type once with a number from 0 to %d, such as a100=1,t4=0.25", part, policy.MaxBillingWeight))
		}
		out[typ] = weight
	}
	return out, nil
}
