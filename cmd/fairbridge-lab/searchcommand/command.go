// Package searchcommand is the command search: settings of a policy tried on jobs of a trace or
// of the site's own past.
package searchcommand

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/fairbridge-lab/jobsource"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/lab/fluid"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/replica/study"
	"fairbridge/replica/workload"
)

// NewCommand makes the command with its commands.
func NewCommand(o *cli.Options) *cobra.Command {
	c := cli.NewGroupCommand(&cobra.Command{
		Use:     "search",
		Short:   "Search settings of a policy for your own jobs",
		Example: `  fairbridge-lab search pcs --since 30d`,
	})
	c.AddCommand(newPCSCommand(o))
	return c
}

// pcsFlags are those of search pcs.
type pcsFlags struct {
	jobsource.Flags
	seed                               int64
	windowJobs, windows, parallelTries int
	mostJCT                            float64
	isComplete                         bool // lists all settings, not the front alone
}

func newPCSCommand(o *cli.Options) *cobra.Command {
	f := &pcsFlags{Flags: jobsource.Flags{Options: o}}
	c := &cobra.Command{
		Use:   "pcs {--trace FILE --cluster SPEC | --since TIME}",
		Short: "Search how policy pcs trades completion time for ends that can be predicted",
		Long: `Policy pcs serves jobs of like service in a queue of their own, each with a sure part
of the GPUs (OSDI 2024). Few queues and equal parts make ends that can be foretold; many,
with most for short jobs, make jobs complete sooner. Which settings pay depends on the
jobs: this tries a grid of them on windows of a trace, or of this cluster's own past, and
prints those that no other beats both in mean completion time and in the mean error of
predictions, and as lines for the configuration the one with the least 99 % error of
those that are fast enough.

Simulated by the clock pcs, in which GPUs can be divided like a fluid and services are
known on arrival. It takes seconds to minutes, and changes nothing.`,
		Example: `  fairbridge-lab search pcs --since 30d
  fairbridge-lab search pcs --since 90d -p gpu --most-jct 1.2
  fairbridge-lab search pcs --trace jobs.csv --cluster 8x8:a100
  fairbridge-lab search pcs --trace jobs.csv --cluster 64 --all --json`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.addFlags(c)
	return o.AddJSONFlag(c)
}

func (f *pcsFlags) addFlags(c *cobra.Command) {
	s := c.Flags()
	f.AddFlags(c)
	s.Int64Var(&f.seed, "seed", 1, "of where windows begin")
	s.IntVar(&f.windowJobs, "jobs", 300, "jobs of a window, that arrived one after the other")
	s.IntVar(&f.windows, "windows", 5, "windows; figures are medians over them")
	s.IntVar(&f.parallelTries, "parallel", runtime.GOMAXPROCS(0), "simulations at a time")
	s.Float64Var(&f.mostJCT, "most-jct", 1.05, "how many times the mean completion time under SRSF (shortest remaining service first)\nthe chosen settings may have")
	s.BoolVar(&f.isComplete, "all", false, "print all settings that were tried")
	for _, r := range [][3]string{{"seed", "-1000000000000", "1000000000000"}, {"jobs", "2", "10000"}, {"windows", "1", "1000"}, {"parallel", "1", "1024"}, {"most-jct", "0.1", "1000"}} {
		cli.SetRange(c, r[0], r[1], r[2])
	}
}

func (f *pcsFlags) run(c *cobra.Command) error {
	jobs, err := f.Read(c.Context())
	if err != nil {
		return err
	}
	workloads, err := f.takeWindows(jobs.Scenario)
	if err != nil {
		return err
	}
	bar := output.NewProgressBar(c.ErrOrStderr(), 1)
	search := fluid.Search{
		GPUs: jobs.CountGPUs(), Workloads: workloads, Grid: fluid.DefaultGrid(), Parallel: f.parallelTries,
		ReportProgress: bar.NewUpdater(0, "settings of pcs"),
	}
	tried, err := search.Run(c.Context())
	bar.Clear()
	if err != nil {
		return fmt.Errorf("searching settings of pcs: %w", err)
	}
	a := newAnswer(tried, f.mostJCT)
	a.Jobs = fmt.Sprintf("%s of %s on %s", policy.FormatCount(len(workloads), "window"), policy.FormatCount(len(workloads[0]), "job"), policy.FormatCount(search.GPUs, "GPU"))
	if f.JSON {
		return output.WriteJSON(c.OutOrStdout(), a)
	}
	a.print(c.OutOrStdout(), f.isComplete)
	return nil
}

// takeWindows cuts the workloads that settings are tried on out of a scenario: all of it where
// that has no more jobs than a window.
func (f *pcsFlags) takeWindows(s *study.Scenario) ([][]workload.Job, error) {
	if len(s.Jobs) < 2 {
		return nil, errors.New("searching settings of pcs: there are fewer than two jobs: name a longer time, or another trace")
	}
	if len(s.Jobs) <= f.windowJobs {
		return [][]workload.Job{s.Jobs}, nil
	}
	var all [][]workload.Job
	for k := range int64(f.windows) {
		w, err := s.TakeWindow(f.windowJobs, f.seed+k)
		if err != nil {
			return nil, err
		}
		all = append(all, w.Jobs)
	}
	return all, nil
}

// answer is what a search found.
type answer struct {
	Jobs    string           `json:"jobs"` // in words
	MostJCT float64          `json:"most_jct"`
	Chosen  paper.Params     `json:"chosen"` // null: no settings are fast enough
	Front   []fluid.Settings `json:"front"`
	Tried   []fluid.Settings `json:"tried"`
}

// newAnswer chooses among settings that were tried, by JCTOverSRSF.
func newAnswer(tried []fluid.Settings, mostJCT float64) *answer {
	a := &answer{MostJCT: mostJCT, Front: fluid.Front(tried), Tried: tried}
	a.Chosen, _ = fluid.MostPredictable([][]fluid.Settings{tried}, mostJCT)
	return a
}

func (a *answer) print(w io.Writer, isComplete bool) {
	said := "those of %d settings than which no other has both a lower mean completion and a\nlower mean error, and those that are chosen"
	if isComplete {
		said = "all of %d settings"
	}
	printable.Fprintf(w, "On %s; "+said+":\n\n", a.Jobs, len(a.Tried))
	a.printSettings(w, isComplete)
	printable.Fprintf(w, "\nCompletion is the mean over that of SRSF (shortest remaining service first); errors are\nparts of the completion time that was predicted on arrival.\n\n")
	if a.Chosen == nil {
		printable.Fprintf(w, "No settings have at most %g times the mean completion of SRSF: allow more by --most-jct.\n", a.MostJCT)
		return
	}
	printable.Fprintf(w, "Of those with at most %g times the mean completion of SRSF these have the least 99 %%\nerror. In the configuration, of the partition:\n\n    policy: pcs\n    params: {%s}\n", a.MostJCT, formatParams(a.Chosen))
}

// printSettings prints the table: the front and the chosen, or all.
func (a *answer) printSettings(w io.Writer, isComplete bool) {
	t := output.NewTable(w, "COMPLETION", "MEAN ERROR", "99 % ERROR", "SETTINGS", "")
	for i, next := 0, 0; i < len(a.Tried); i++ {
		s, mark := &a.Tried[i], ""
		isOnFront := next < len(a.Front) && reflect.DeepEqual(s.Params, a.Front[next].Params)
		if isOnFront {
			next++
		}
		if reflect.DeepEqual(s.Params, a.Chosen) {
			mark = "chosen"
		}
		if isOnFront || isComplete || mark != "" {
			t.AddRow(fmt.Sprintf("%.3f", s.JCTOverSRSF), formatPercent(s.MeanError), formatPercent(s.P99Error), formatParams(s.Params), mark)
		}
	}
	t.Print()
}

func formatPercent(part float64) string { return fmt.Sprintf("%.1f %%", 100*part) }

// formatParams writes settings as the configuration has them.
func formatParams(p paper.Params) string {
	list := func(key string) string {
		var parts []string
		for _, v := range p[key].([]float64) {
			parts = append(parts, strconv.FormatFloat(v, 'g', -1, 64))
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprintf("load: [%s], shares: [%s], clip: %g", list("load"), list("shares"), p["clip"])
}
