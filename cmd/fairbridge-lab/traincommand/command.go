// Package traincommand is the command train: policies that learn are taught in the simulator, all in the same
// way, by what lab/learner has of each.
package traincommand

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fairbridge/cmd/internal/cli"
	"fairbridge/lab/learner"
	"fairbridge/lab/trace"
	"fairbridge/lab/train"
	"fairbridge/lab/train/harmonyrl"
	"fairbridge/lab/train/mlfrl"
	"fairbridge/lab/train/symphonynet"
)

// learners are the policies that learn.
func learners() []*learner.Learner {
	return []*learner.Learner{train.Learner(), mlfrl.Learner(), symphonynet.Learner(), harmonyrl.Learner()}
}

// NewCommand makes the command with a command for each policy.
func NewCommand(o *cli.Options) *cobra.Command {
	c := cli.NewGroupCommand(&cobra.Command{
		Use:   "train",
		Short: "Teach a policy that learns, in the simulator",
		Example: `  fairbridge-lab train dl2 --to weights.json
  fairbridge-lab train dl2 --weights weights.json --trials 20
  fairbridge-lab train mlf-rl --to weights.json
  fairbridge-lab train symphony-net --to weights.json
  fairbridge-lab train harmony-rl --to weights.json`,
	})
	for _, l := range learners() {
		c.AddCommand(newLearnerCommand(o, l))
	}
	return c
}

// flags are those of train NAME.
type flags struct {
	*cli.Options
	*learner.Learner
	outputFile, weightsFile, checkpointFile string
	replace, skipBad                        bool
	seed                                    int64
	seedCount, trialCount                   int
	against                                 string
	tracePath, format, clusterSpec          string
	whole                                   map[string]*int64
	real                                    map[string]*float64
}

func newLearnerCommand(o *cli.Options, l *learner.Learner) *cobra.Command {
	f := &flags{Options: o, Learner: l, whole: map[string]*int64{}, real: map[string]*float64{}}
	c := &cobra.Command{
		Use:   l.Policy + " {--to FILE | --weights FILE}",
		Short: fmt.Sprintf("Train policy %s on drawn workloads or a trace, and try what it learnt", l.Policy),
		Long: l.About + `

It learns from drawn workloads, or from windows of a trace (--trace, --cluster). The same
flags give the same weights, also where it was cut off: after every step a checkpoint is
kept, from which the same command goes on. With --seeds it is trained several times,
and those weights are kept that do best beside the last policy of --against on workloads
set apart for that. Then the weights are tried on others again, beside their teacher and
those policies, on the same jobs: the table says by how much, and who loses.

The weights that the program decides by are built in; a file that is written here replaces
policy/paper/` + strings.ReplaceAll(l.Policy, "-", "") + `/weights.json there. Reasons name the weights that
decide by their hash.`,
		Example: fmt.Sprintf(`  fairbridge-lab train %[1]s --to weights.json
  fairbridge-lab train %[1]s --to weights.json --seeds 3 --gpus 64 --jobs 120
  fairbridge-lab train %[1]s --to weights.json --trace old.csv --cluster 8x8 \
      --jobs 100
  fairbridge-lab train %[1]s --weights weights.json --against multifactor,easy \
      --json`, l.Policy),
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.addFlags(c)
	return o.AddJSONFlag(c)
}

func (f *flags) addFlags(c *cobra.Command) {
	s := c.Flags()
	s.StringVar(&f.outputFile, "to", "", "file to write the weights to")
	s.BoolVar(&f.replace, "replace", false, "replace the file if it is there")
	s.StringVar(&f.checkpointFile, "checkpoint", "", "file to keep a checkpoint in, and to go on from (default: that of --to with .checkpoint)")
	s.StringVar(&f.weightsFile, "weights", "", "train nothing, and try the weights of this file")
	s.Int64Var(&f.seed, "seed", 1, "of all chance")
	s.IntVar(&f.seedCount, "seeds", 1, "train so often, with seeds that follow --seed, and keep the best")
	s.IntVar(&f.trialCount, "trials", 5, "workloads the weights are tried on")
	s.StringVar(&f.against, "against", "multifactor", "policies the weights are compared with besides their teacher")
	s.StringVar(&f.tracePath, "trace", "", "file with jobs to learn from (default: drawn ones)")
	s.StringVar(&f.format, "format", "auto", "of the trace: auto, "+strings.Join(trace.FormatNames(), ", "))
	s.StringVar(&f.clusterSpec, "cluster", "", "of the trace: 32, or 16x4:a100,8x8:h100")
	s.BoolVar(&f.skipBad, "skip-bad", false, "leave out rows of the trace that make no sense and jobs that fit nowhere")
	for _, r := range [][3]string{{"seed", "0", "1000000000000"}, {"seeds", "1", "100"}, {"trials", "0", "500"}} {
		cli.SetRange(c, r[0], r[1], r[2])
	}
	for _, n := range f.Numbers {
		if n.IsWhole {
			f.whole[n.Name] = s.Int64(n.Name, int64(n.Default), n.Help)
		} else {
			f.real[n.Name] = s.Float64(n.Name, n.Default, n.Help)
		}
		cli.SetRange(c, n.Name, fmt.Sprint(n.Least), fmt.Sprint(int64(n.Most)))
	}
	cobra.CheckErr(c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(append([]string{"auto"}, trace.FormatNames()...), cobra.ShellCompDirectiveNoFileComp)))
}

// check looks at flags that need each other.
func (f *flags) check() error {
	switch {
	case f.outputFile == "" && f.weightsFile == "":
		return cli.NewUsageError(errors.New("where to? say --to FILE, or --weights FILE to try those that there are"))
	case f.outputFile != "" && f.weightsFile != "":
		return cli.NewUsageError(errors.New("--weights trains nothing: leave --to out"))
	case f.tracePath == "" && f.clusterSpec != "":
		return cli.NewUsageError(errors.New("--cluster is of --trace: drawn workloads have --gpus"))
	case f.tracePath != "" && f.clusterSpec == "":
		return cli.NewUsageError(errors.New("--cluster is missing: how many GPUs has the cluster of the trace?"))
	case f.format != "auto" && !slices.Contains(trace.FormatNames(), f.format):
		return cli.NewUsageError(fmt.Errorf("format %q is unknown, there are auto, %s", f.format, strings.Join(trace.FormatNames(), ", ")))
	}
	f.checkpointFile = cmp.Or(f.checkpointFile, f.outputFile+".checkpoint")
	return nil
}

// values are the numbers that were given.
func (f *flags) values() learner.Values {
	v := learner.Values{}
	for name, n := range f.whole {
		v[name] = float64(*n)
	}
	for name, x := range f.real {
		v[name] = *x
	}
	return v
}
