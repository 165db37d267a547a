package traincommand

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"fairbridge/bridge/printable"
	"fairbridge/bridge/study/datafile"
	"fairbridge/bridge/study/train/mlfrl"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
)

// mlfrlFlags are those of train mlf-rl.
type mlfrlFlags struct {
	*cli.Options
	mlfrl.Settings
	outputFile string
	replace    bool
	trialSeeds int
}

func newMLFRLCommand(o *cli.Options) *cobra.Command {
	f := &mlfrlFlags{Options: o, Settings: mlfrl.DefaultSettings()}
	c := &cobra.Command{
		Use:   "mlf-rl --to FILE",
		Short: "Train the network of policy mlf-rl on drawn workloads",
		Long: `Train the network by which policy mlf-rl ranks jobs: first to rank them as its teacher,
MLF-H of policy mlfs, then by changes of its weights that pay, by how long jobs take
and which deadlines they meet. The same flags give the same weights. It takes minutes,
and then tries the weights on other workloads than those it learnt from.

The weights that the program decides by are policy/paper/mlfrl/weights.json where it is
built; those of this command replace them there.`,
		Example: `  fairbridge train mlf-rl --to weights.json
  fairbridge train mlf-rl --to weights.json --gpus 64 --jobs 200 --rounds 100 --seed 2
  fairbridge train mlf-rl --to weights.json --replace --json`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	s := c.Flags()
	s.StringVar(&f.outputFile, "to", "", "file to write the weights to")
	s.BoolVar(&f.replace, "replace", false, "replace the file if it is there")
	s.Int64Var(&f.Seed, "seed", f.Seed, "of all chance")
	s.IntVar(&f.Workload.JobCount, "jobs", f.Workload.JobCount, "jobs of a workload it learns from")
	s.IntVar(&f.Workload.GPUs, "gpus", f.Workload.GPUs, "GPUs they are drawn for")
	s.Float64Var(&f.Workload.Load, "load", f.Workload.Load, "work that arrives, as a part of what the GPUs can do")
	s.IntVar(&f.Rounds, "rounds", f.Rounds, "rounds of improvement; 0: only as the teacher does")
	s.IntVar(&f.Pairs, "pairs", f.Pairs, "changes of the weights, each with its opposite, tried in a round")
	s.IntVar(&f.RunsPerChange, "runs", f.RunsPerChange, "simulations of each change")
	s.IntVar(&f.ImitationRuns, "imitation-runs", f.ImitationRuns, "simulations of the teacher to learn from")
	s.IntVar(&f.trialSeeds, "trials", 5, "workloads the weights are tried on")
	for _, r := range [][3]string{{"seed", "0", "1000000000000"}, {"jobs", "2", "10000"}, {"gpus", "1", "4096"}, {"load", "0.01", "10"},
		{"rounds", "0", "100000"}, {"pairs", "1", "1000"}, {"runs", "1", "100"}, {"imitation-runs", "1", "1000"}, {"trials", "0", "1000"}} {
		cli.SetRange(c, r[0], r[1], r[2])
	}
	return o.AddJSONFlag(c)
}

func (f *mlfrlFlags) run(c *cobra.Command) error {
	if f.outputFile == "" {
		return cli.NewUsageError(errors.New("where to? say --to FILE"))
	}
	if err := datafile.CheckWritable(f.outputFile, f.replace); err != nil {
		return err
	}
	f.ReportProgress = func(text string) { printable.Fprintf(c.ErrOrStderr(), "%s\n", text) }
	weights, err := mlfrl.Train(c.Context(), f.Settings)
	if err != nil {
		return err
	}
	if err := datafile.SaveFile(f.outputFile, f.replace, func(w io.Writer) error { return mlfrl.WriteWeights(w, weights) }); err != nil {
		return err
	}
	trials, err := mlfrl.TryWeights(c.Context(), weights, f.Workload, f.trialSeeds)
	if err != nil {
		return err
	}
	if f.JSON {
		return output.WriteJSON(c.OutOrStdout(), trials)
	}
	return f.printTrials(c.OutOrStdout(), trials)
}

func (f *mlfrlFlags) printTrials(w io.Writer, trials []mlfrl.Trial) error {
	printable.Fprintf(w, "wrote %s\n", f.outputFile)
	if len(trials) == 0 {
		return nil
	}
	printable.Fprintf(w, "mean completion and deadlines met on workloads it did not learn from:\n\n")
	t := output.NewTable(w, "SEED", "TEACHER", "NETWORK", "OF TEACHER", "MET BY TEACHER", "BY NETWORK")
	for _, x := range trials {
		t.AddRow(x.Seed, int(x.Teacher.MeanSeconds), int(x.Network.MeanSeconds), fmt.Sprintf("%.3f", x.Network.MeanSeconds/x.Teacher.MeanSeconds),
			fmt.Sprintf("%.3f", x.Teacher.Met), fmt.Sprintf("%.3f", x.Network.Met))
	}
	t.Print()
	return nil
}
