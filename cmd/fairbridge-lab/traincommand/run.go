package traincommand

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fairbridge/bridge/datafile"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/lab/experiment"
	"fairbridge/lab/learner"
	"fairbridge/lab/trace"
	"fairbridge/replica/cluster"
	"fairbridge/replica/measure"
	"fairbridge/replica/study"
)

// firstChoosingSeed is the first workload on which weights of several seeds are compared; those that they are tried on in the
// end come before.
const firstChoosingSeed = 501

func (f *flags) run(c *cobra.Command) error {
	if err := f.check(); err != nil {
		return err
	}
	source, err := f.newSource()
	if err != nil {
		return err
	}
	weights, err := f.readOrTrain(c, source)
	if err != nil {
		return err
	}
	e, err := f.Evaluate(c.Context(), weights, source, f.against, 1, f.trialCount)
	if err != nil {
		return err
	}
	if f.JSON {
		return output.WriteJSON(c.OutOrStdout(), e)
	}
	if f.outputFile != "" {
		printable.Fprintf(c.OutOrStdout(), "wrote %s\n", f.outputFile)
	}
	printEvaluation(c.OutOrStdout(), e)
	return nil
}

// newSource is where workloads are from.
func (f *flags) newSource() (learner.Source, error) {
	if f.tracePath == "" {
		return f.DrawnSource(f.values()), nil
	}
	nodes, err := cluster.ParseSpec(f.clusterSpec)
	if err != nil {
		return nil, cli.NewUsageError(err)
	}
	s, err := experiment.LoadScenario(experiment.ScenarioSource{TracePath: f.tracePath, TraceOptions: trace.ReadOptions{Format: f.format, SkipBad: f.skipBad}, Nodes: nodes, Reports: study.AllReport})
	if err != nil {
		return nil, err
	}
	source, err := f.NewTraceSource(s, f.values())
	if err != nil {
		return nil, cli.NewUsageError(err)
	}
	return source, nil
}

// readOrTrain returns the weights that are to be tried.
func (f *flags) readOrTrain(c *cobra.Command, source learner.Source) ([]byte, error) {
	if f.weightsFile != "" {
		raw, err := os.ReadFile(f.weightsFile)
		if err != nil {
			return nil, fmt.Errorf("reading weights: %w", err)
		}
		return raw, nil
	}
	if err := datafile.CheckWritable(f.outputFile, f.replace); err != nil {
		return nil, err
	}
	weights, err := f.trainAll(c, source)
	if err != nil {
		return nil, err
	}
	if err := datafile.SaveFile(f.outputFile, f.replace, func(w io.Writer) error { _, err := w.Write(weights); return err }); err != nil {
		return nil, err
	}
	for i := range f.seedCount {
		if err := os.Remove(f.checkpointOf(i)); err != nil && !os.IsNotExist(err) {
			return nil, fmt.Errorf("removing the checkpoint: %w", err)
		}
	}
	return weights, nil
}

// trainAll trains with each seed, and returns the best weights.
func (f *flags) trainAll(c *cobra.Command, source learner.Source) (best []byte, err error) {
	least := 0.0
	for i := range f.seedCount {
		weights, err := f.trainOne(c, source, i)
		if err != nil {
			return nil, err
		}
		if f.seedCount == 1 {
			return weights, nil
		}
		e, err := f.Evaluate(c.Context(), weights, source, f.against, firstChoosingSeed, 5)
		if err != nil {
			return nil, err
		}
		with := e.Comparisons[len(e.Comparisons)-1]
		printable.Fprintf(c.ErrOrStderr(), "seed %d: weights %s have %.3f of the mean completion of %s\n", f.seed+int64(i), e.Hash, with.Median, with.With)
		if best == nil || with.Median < least {
			best, least = weights, with.Median
		}
	}
	return best, nil
}

func (f *flags) trainOne(c *cobra.Command, source learner.Source, i int) ([]byte, error) {
	path, from := f.checkpointOf(i), new(learner.Checkpoint)
	found, err := datafile.LoadJSON(path, "checkpoint", from)
	if err != nil {
		return nil, err
	}
	if !found {
		from = nil
	} else {
		printable.Fprintf(c.ErrOrStderr(), "going on after step %d of %s\n", from.Steps, path)
	}
	return f.Train(c.Context(), learner.Settings{Seed: f.seed + int64(i), Values: f.values(), Source: source}, from, learner.Progress{
		Report: func(text string) { printable.Fprintf(c.ErrOrStderr(), "%s\n", text) },
		Keep: func(k *learner.Checkpoint) error {
			return datafile.SaveFile(path, true, func(w io.Writer) error { return output.WriteJSON(w, k) })
		},
	})
}

// checkpointOf is the file of one of several seeds.
func (f *flags) checkpointOf(i int) string {
	if f.seedCount == 1 {
		return f.checkpointFile
	}
	return fmt.Sprintf("%s-%d", f.checkpointFile, f.seed+int64(i))
}

func printEvaluation(w io.Writer, e *learner.Evaluation) {
	if e.Seeds == 0 {
		return
	}
	printable.Fprintf(w, "Weights %s of policy %s on %d workloads that they did not learn from (%s).\nMean completion over that of others on the same jobs, below 1 they do better:\n\n", e.Hash, e.Policy, e.Seeds, e.Source)
	titles := []any{"BESIDE", "MEDIAN", "LEAST", "MOST", "WORSE ON SEEDS", "JOBS THAT LOSE"}
	if e.Comparisons[0].Met != nil {
		titles = append(titles, "DEADLINES MET MORE")
	}
	t := output.NewTable(w, titles...)
	for _, c := range e.Comparisons {
		losing := make([]string, len(c.LosingSeeds))
		for i, s := range c.LosingSeeds {
			losing[i] = fmt.Sprint(s)
		}
		if len(losing) == 0 {
			losing = []string{"none"}
		}
		row := []any{c.With, fmt.Sprintf("%.3f", c.Median), fmt.Sprintf("%.3f", c.Least), fmt.Sprintf("%.3f", c.Most), strings.Join(losing, ", "), fmt.Sprintf("%.1f %%", 100*c.LosingJobs)}
		if c.Met != nil {
			row = append(row, fmt.Sprintf("%+.1f %%", 100*measure.Median(c.Met)))
		}
		t.AddRow(row...)
	}
	t.Print()
	if e.Errors != nil {
		printable.Fprintf(w, "\nThe %s: median %.3f (%.3f to %.3f).\n", e.ErrorTitle, measure.Median(e.Errors), slices.Min(e.Errors), slices.Max(e.Errors))
	}
	printable.Fprintf(w, "\nA job loses that takes a tenth and a minute longer.\n")
}
