package simulation

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"fairbridge/bridge/datafile"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/lab/generate"
	"fairbridge/lab/trace"
	"fairbridge/replica/workload"
)

func newTraceConvertCommand(o *cli.Options) *cobra.Command {
	t := &traceFlags{Options: o}
	return t.addWriteFlags(t.addReadFlags(&cobra.Command{
		Use:   "convert FILE --to OUT",
		Short: "Write a trace in our own format: JSON, a job a line",
		Example: `  fairbridge-lab trace convert cluster_log.csv --to helios.jsonl.gz
  fairbridge-lab trace convert jan.txt --skip-bad --to - | head`,
		Args: cli.CheckArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			if t.outputFile == "" {
				return cli.NewUsageError(errors.New("where to? say --to OUT, or --to - for standard output"))
			}
			if err := t.checkWritable(t.outputFile); err != nil {
				return err
			}
			tr, err := t.openTrace(a[0])
			if err != nil {
				return err
			}
			tr.Notes = append(tr.Notes, tr.ListUnwritten()...)
			printSkipped(c, tr)
			return t.saveTrace(c, tr)
		},
	}))
}

func newTraceGenerateCommand(o *cli.Options) *cobra.Command {
	t := &traceFlags{Options: o}
	var w generate.WorkloadOptions
	var seed int64
	c := t.addWriteFlags(&cobra.Command{
		Use:   "generate KIND --to OUT",
		Short: "Make up a workload; the same seed gives the same jobs",
		Long:  "Makes up a workload. Kinds, and the flags each understands:\n" + kindsText(),
		Example: `  fairbridge-lab trace generate day --days 7 --gpus 256 --load 0.9 --to week.jsonl.gz
  fairbridge-lab trace generate gavel --jobs 500 --to gavel.jsonl --tables speeds.json`,
		Args: cli.CheckArgs(cobra.ExactArgs(1)), ValidArgs: generate.ListKindNames(),
		RunE: func(c *cobra.Command, a []string) error {
			if err := t.checkKindFlags(c, a[0]); err != nil {
				return cli.NewUsageError(err)
			}
			if err := cmp.Or(t.checkWritable(t.outputFile), t.checkWritable(t.tablesFile)); err != nil {
				return err
			}
			tr, err := newGeneratedTrace(a[0], w, seed)
			if err != nil {
				return err
			}
			if err := t.saveTables(c); err != nil {
				return err
			}
			return t.saveTrace(c, tr)
		},
	})
	f := c.Flags()
	f.Int64Var(&seed, "seed", 1, "which of them")
	f.IntVar(&w.JobCount, "jobs", 0, "how many jobs")
	f.Float64Var(&w.DayCount, "days", 0, "how many days")
	f.IntVar(&w.ClusterGPUs, "gpus", 0, "GPUs of the cluster it is for")
	f.Float64Var(&w.OfferedLoad, "load", 0, "GPU time asked for, as a part of what the GPUs have")
	f.IntVar(&w.AccountCount, "accounts", 0, "how many accounts")
	f.StringVar(&w.ProfileName, "profile", "", "cluster to resemble: helios, venus, earth, saturn or uranus")
	f.StringVar(&t.tablesFile, "tables", "", "file to write the speeds of training jobs to, as simulate --tables wants them")
	return boundWorkloadFlags(c)
}

func boundWorkloadFlags(c *cobra.Command) *cobra.Command {
	for _, r := range [][3]string{
		{"seed", "-1000000000000", "1000000000000"}, {"jobs", "1", "10000000"}, {"days", "0.01", "3660"},
		{"gpus", "1", "1048576"}, {"load", "0.001", "100"}, {"accounts", "1", "10000"},
	} {
		cli.SetRange(c, r[0], r[1], r[2])
	}
	return c
}

// newGeneratedTrace draws a trace of the kind.
func newGeneratedTrace(kind string, w generate.WorkloadOptions, seed int64) (*trace.Trace, error) {
	m, err := generate.DrawWorkload(kind, w, seed)
	if err != nil {
		return nil, cli.NewUsageError(err)
	}
	return &trace.Trace{Name: fmt.Sprintf("%s-%d", kind, seed), Start: m.Start, Jobs: m.Jobs, Accounts: m.Accounts}, nil
}

// checkWritable says that a file may be written, so that all are or none.
func (t *traceFlags) checkWritable(path string) error {
	if path == "" || path == "-" {
		return nil
	}
	return explainExistingFile(datafile.CheckWritable(path, t.mayReplaceFiles))
}

// saveTables writes the made-up throughput tables of training jobs.
func (t *traceFlags) saveTables(c *cobra.Command) error {
	if t.tablesFile == "" {
		return nil
	}
	if err := explainExistingFile(workload.SaveSpeedTables(t.tablesFile, generate.NewSpeedTables(), t.mayReplaceFiles)); err != nil {
		return err
	}
	if t.outputFile != "-" {
		printable.Fprintf(c.OutOrStdout(), "%s: throughput tables\n", t.tablesFile)
	}
	return nil
}

// checkKindFlags finds flags that make no sense, or none for the kind.
func (t *traceFlags) checkKindFlags(c *cobra.Command, kind string) error {
	if t.outputFile == "" {
		return errors.New("where to? say --to OUT, or --to - for standard output")
	}
	i := slices.IndexFunc(generate.ListKinds(), func(k generate.WorkloadKind) bool { return k.Name == kind })
	if i < 0 {
		return nil // Make says which there are
	}
	k := generate.ListKinds()[i]
	for _, name := range []string{"jobs", "days", "gpus", "load", "accounts", "profile"} {
		f := c.Flag(name)
		switch {
		case !f.Changed:
		case !slices.Contains(k.UsedOptions, name):
			return fmt.Errorf("%s takes no --%s, only --seed, --%s", kind, name, strings.Join(k.UsedOptions, ", --"))
		}
	}
	if t.tablesFile != "" && !k.HasTraining {
		return fmt.Errorf("jobs of %s have no throughput tables; leave out --tables", kind)
	}
	return nil
}

func kindsText() string {
	var b strings.Builder
	for _, k := range generate.ListKinds() {
		fmt.Fprintf(&b, "\n  %-10s %s\n             --seed, --%s", k.Name, k.Description, strings.Join(k.UsedOptions, ", --"))
		if k.HasTraining {
			b.WriteString(", --tables")
		}
	}
	return b.String()
}
