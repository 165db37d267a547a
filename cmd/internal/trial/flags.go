// Package trial is common to the commands that try policies on jobs: flags, tables of results, and files of them.
package trial

import (
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"fairbridge/accounting/chart"
	"fairbridge/bridge/datafile"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/replica/cluster"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
)

// SpecHelp explains how clusters and policies are written.
const SpecHelp = `SPEC is a number of GPUs (one a server, type v100), or NODESxGPUS[:TYPE] separated by
commas: 16x4:a100,8x8:h100; with the cores and gigabytes of a server
16x8:v100:24:500. Parameters of a policy follow a colon: gavel:round=360s,
tiresias:queues=3600;36000. "fairbridge policies" lists the policies.`

// Flags say which policies are tried, how often, and what is written of it.
type Flags struct {
	PolicyList  string
	ClusterSpec string
	Nodes       []policy.Node // of ClusterSpec
	Seed        int64

	SeedCount, ParallelRuns int
	PerJobFile, HTMLFile    string // files
}

// AddPolicies adds the flags that all such commands have.
func (f *Flags) AddPolicies(c *cobra.Command) {
	s := c.Flags()
	s.StringVar(&f.PolicyList, "policy", "", "policies, separated by commas")
	s.Int64Var(&f.Seed, "seed", 1, "of all chance")
	s.StringVar(
		&f.PerJobFile,
		"per-job",
		"",
		"also write what became of every job to this file (CSV): policy and seed where there\n"+
			"are several, job, user, account, gpus, arrive_s, start_s, end_s, wait_s, jct_s, rho, stops",
	)
	cli.SetRange(c, "seed", "-1000000000000", "1000000000000")
	cobra.CheckErr(c.RegisterFlagCompletionFunc("policy", CompletePolicyList))
}

// AddRepeat adds what commands have that simulate many times.
func (f *Flags) AddRepeat(c *cobra.Command, seeds string) {
	s := c.Flags()
	s.IntVar(&f.SeedCount, "seeds", 1, "how many times, "+seeds)
	s.IntVar(&f.ParallelRuns, "parallel", runtime.GOMAXPROCS(0), "simulations at a time")
	s.StringVar(&f.HTMLFile, "html", "", "also write a page with drawings to this file")
	cli.SetRange(c, "seeds", "1", "1000")
	cli.SetRange(c, "parallel", "1", "1024")
}

// CompleteWords offers the values that a flag knows to a shell.
func CompleteWords(c *cobra.Command, flag string, words ...string) {
	cobra.CheckErr(
		c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)),
	)
}

// CompletePolicyList offers names behind the last comma.
func CompletePolicyList(_ *cobra.Command, _ []string, text string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before := text[:strings.LastIndex(text, ",")+1]
	all := []cobra.Completion{cobra.CompletionWithDesc(before+policyset.SlurmName, policyset.SlurmAlone().System.Title)}
	for _, e := range catalogue.Systems() {
		all = append(all, cobra.CompletionWithDesc(before+e.Name, e.Title))
	}
	return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// NewExperiment reads which policies are tried on what.
func (f *Flags) NewExperiment(throughSlurm bool) (e *study.Experiment, err error) {
	e = &study.Experiment{
		ClusterSpec: f.ClusterSpec,
		RunOptions:  study.RunOptions{Seed: f.Seed, ThroughSlurm: throughSlurm},
	}
	if f.ClusterSpec != "" {
		if f.Nodes, err = cluster.ParseSpec(f.ClusterSpec); err != nil {
			return nil, cli.NewUsageError(err)
		}
	}
	if e.Policies, err = policyset.ParsePolicies(f.PolicyList, !throughSlurm); err != nil {
		return nil, cli.NewUsageError(err)
	}
	return e, nil
}

// Run runs the experiment, and shows on a terminal how far it is.
func Run(c *cobra.Command, e *study.Experiment, parallel int) ([]study.Result, error) {
	m := output.NewProgressBar(c.ErrOrStderr(), len(e.Policies)*len(e.Scenarios))
	defer m.Clear()
	return e.Run(
		c.Context(),
		parallel,
		func(run int, label string, done, of int) { m.NewUpdater(run, label)(done, of) },
	)
}

// PrintRemarks says what was left out.
func PrintRemarks(w io.Writer, s *study.Scenario) {
	for _, r := range s.Remarks {
		printable.Fprintln(w, "note:", r)
	}
}

// Files are the files in which results are written besides.
type Files struct{ HTMLPage, PerJob *datafile.AtomicFile }

// NewFiles makes sure that they can be written.
func NewFiles(f *Flags) (*Files, error) {
	page, err := datafile.CreateFile(f.HTMLFile)
	if err != nil {
		return nil, err
	}
	jobs, err := datafile.CreateFile(f.PerJobFile)
	if err != nil {
		page.Discard()
		return nil, err
	}
	return &Files{page, jobs}, nil
}

// Discard leaves them unwritten, unless they are written.
func (f *Files) Discard() {
	f.HTMLPage.Discard()
	f.PerJob.Discard()
}

// Write writes them; more sentences come below the title of the page.
func (f *Files) Write(e *study.Experiment, results []study.Result, more ...string) error {
	if err := f.HTMLPage.Write(func(w io.Writer) error {
		page := e.NewComparisonPage(results, DescribeExperiment(e))
		page.About, page.Footer = append(append(page.About, e.DescribeInformation(), e.DescribeNoise()), more...), cli.MadeByText()
		return chart.WriteComparisonPage(w, page)
	}); err != nil {
		return err
	}
	return f.PerJob.Write(func(w io.Writer) error { return study.WriteJobOutcomes(w, results) })
}
