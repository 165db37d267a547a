// Package traincommand is the command train: policies that learn are taught in the simulator.
package traincommand

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"fairbridge/bridge/printable"
	"fairbridge/bridge/study/datafile"
	"fairbridge/bridge/study/train"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
)

// NewCommand makes the command with its commands.
func NewCommand(o *cli.Options) *cobra.Command {
	c := cli.NewGroupCommand(&cobra.Command{
		Use:     "train",
		Short:   "Teach a policy that learns, in the simulator",
		Example: `  fairbridge train dl2 --to weights.json`,
	})
	c.AddCommand(newDL2Command(o))
	return c
}

// dl2Flags are those of train dl2.
type dl2Flags struct {
	*cli.Options
	train.Settings
	outputFile string
	replace    bool
	trialSeeds int
}

func newDL2Command(o *cli.Options) *cobra.Command {
	f := &dl2Flags{Options: o, Settings: train.DefaultSettings()}
	c := &cobra.Command{
		Use:   "dl2 --to FILE",
		Short: "Train the network of policy dl2 on drawn workloads",
		Long: `Train the network by which policy dl2 chooses the sizes of elastic jobs: first to do as
its teacher, the shortest first, then by actor and critic, by how many jobs are
present after each choice. The same flags give the same weights. It takes minutes, and
then tries the weights on other workloads than those it learnt from.

The weights that the program decides by are policy/paper/dl2/weights.json where it is
built; those of this command replace them there.`,
		Example: `  fairbridge train dl2 --to weights.json
  fairbridge train dl2 --to weights.json --gpus 64 --jobs 120 --rounds 100 --seed 2
  fairbridge train dl2 --to weights.json --replace --json`,
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
	s.IntVar(&f.Rounds, "rounds", f.Rounds, "rounds of reinforcement; 0: only as the teacher does")
	s.IntVar(&f.RunsPerRound, "runs", f.RunsPerRound, "simulations of each round")
	s.IntVar(&f.ImitationRuns, "imitation-runs", f.ImitationRuns, "simulations of the teacher to learn from")
	s.IntVar(&f.trialSeeds, "trials", 5, "workloads the weights are tried on")
	for _, r := range [][3]string{{"seed", "0", "1000000000000"}, {"jobs", "2", "10000"}, {"gpus", "1", "4096"}, {"load", "0.01", "10"},
		{"rounds", "0", "100000"}, {"runs", "2", "100"}, {"imitation-runs", "1", "1000"}, {"trials", "0", "1000"}} {
		cli.SetRange(c, r[0], r[1], r[2])
	}
	return o.AddJSONFlag(c)
}

func (f *dl2Flags) run(c *cobra.Command) error {
	if f.outputFile == "" {
		return cli.NewUsageError(errors.New("where to? say --to FILE"))
	}
	if err := datafile.CheckWritable(f.outputFile, f.replace); err != nil {
		return err
	}
	f.ReportProgress = func(text string) { printable.Fprintf(c.ErrOrStderr(), "%s\n", text) }
	weights, err := train.Train(c.Context(), f.Settings)
	if err != nil {
		return err
	}
	if err := datafile.SaveFile(f.outputFile, f.replace, func(w io.Writer) error { return train.WriteWeights(w, weights) }); err != nil {
		return err
	}
	trials, err := train.TryWeights(c.Context(), weights, f.Workload, f.trialSeeds)
	if err != nil {
		return err
	}
	if f.JSON {
		return output.WriteJSON(c.OutOrStdout(), trials)
	}
	return printTrials(c.OutOrStdout(), f.outputFile, trials)
}

func printTrials(w io.Writer, file string, trials []train.Trial) error {
	printable.Fprintf(w, "wrote %s\n", file)
	if len(trials) == 0 {
		return nil
	}
	printable.Fprintf(w, "mean completion on workloads it did not learn from:\n\n")
	t := output.NewTable(w, "SEED", "EQUAL SHARES", "TEACHER", "NETWORK", "OF EQUAL", "OF TEACHER")
	for _, x := range trials {
		t.AddRow(x.Seed, int(x.EqualSeconds), int(x.TeacherSeconds), int(x.NetworkSeconds), fmt.Sprintf("%.3f", x.NetworkSeconds/x.EqualSeconds), fmt.Sprintf("%.3f", x.NetworkSeconds/x.TeacherSeconds))
	}
	t.Print()
	return nil
}
