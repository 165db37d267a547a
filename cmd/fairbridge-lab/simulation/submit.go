package simulation

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/lab/keptruns"
	"fairbridge/replica/study"
)

// submitFlags say where runs are kept, and by whom they are made.
type submitFlags struct {
	runsFolder   string // keeps runs that ended; "": none does
	isSubmitted  bool   // an array of Slurm jobs makes the runs
	elementCount int    // of the array
	sbatchFlags  string
	part         arrayPart // of the runs that this process makes
	missingCount int       // runs that an array did not make
	made         *jobArray // that array
}

// addSubmitFlags adds them to a command.
func (f *submitFlags) addSubmitFlags(c *cobra.Command) {
	s := c.Flags()
	s.StringVar(&f.runsFolder, "runs", "", "keep runs that ended in this folder and read back those that are there, so that an\ninterrupted comparison goes on where it was")
	s.BoolVar(&f.isSubmitted, "submit", false, "let a Slurm job array make the runs and print the same table when it has ended;\nneeds --runs with a folder, and this program, that the nodes see too")
	s.IntVar(&f.elementCount, "elements", 64, "with --submit: elements of the array, of one core each")
	s.StringVar(&f.sbatchFlags, "sbatch", "", "with --submit: more flags for sbatch, such as '-p cpu -t 4:00:00 --mem=2G'")
	s.Var(&f.part, "part", "make only the runs of this part, like 3/64 (0/64 is the first), and print no table;\nneeds --runs. What the elements of --submit do")
	cli.SetRange(c, "elements", "1", "10000")
}

// check looks at flags that need each other.
func (f *submitFlags) check(s *pflag.FlagSet) error {
	switch {
	case (f.isSubmitted || f.part.count > 0) && f.runsFolder == "":
		return cli.NewUsageError(errors.New("--submit and --part need a folder for the runs: --runs DIR, on a file system that the nodes share"))
	case f.isSubmitted && f.part.count > 0:
		return cli.NewUsageError(errors.New("--submit makes the parts itself: leave out --part"))
	case !f.isSubmitted && (f.sbatchFlags != "" || s.Changed("elements")):
		return cli.NewUsageError(errors.New("--sbatch and --elements say how --submit submits: add --submit"))
	}
	return nil
}

// openRuns opens the folder of runs.
func (f *submitFlags) openRuns() (*keptruns.Folder, error) {
	program, err := keptruns.HashProgram()
	if err != nil {
		return nil, err
	}
	return keptruns.Open(f.runsFolder, program, false)
}

// useKeptRuns lets the experiments read back what is kept, after an array has made what is
// missing if so asked. isDone: this process was to make a part only, and has.
func (f *compareFlags) useKeptRuns(c *cobra.Command, blocks []*study.Block) (isDone bool, err error) {
	runs, err := f.openRuns()
	if err != nil {
		return false, err
	}
	if f.part.count > 0 {
		return true, f.makePart(c, blocks, runs)
	}
	if f.isSubmitted {
		if err := f.submitRuns(c, blocks, runs); err != nil {
			return false, err
		}
	}
	for _, b := range blocks {
		b.Runs, b.MakesNone = runs, f.isSubmitted
	}
	return false, nil
}

// arrayPart is one of so many parts of the runs. The zero part is all of them.
type arrayPart struct{ index, count int }

// String implements pflag.Value.
func (p *arrayPart) String() string {
	if p.count == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", p.index, p.count)
}

// Type implements pflag.Value.
func (p *arrayPart) Type() string { return "K/N" }

// Set implements pflag.Value.
func (p *arrayPart) Set(text string) error {
	index, count, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(count)
	if !ok || err1 != nil || err2 != nil || n < 1 || i < 0 || i >= n {
		return fmt.Errorf("%q is not a part like 3/64, from 0/64 to 63/64", text)
	}
	*p = arrayPart{i, n}
	return nil
}

// wantedRun is a run of a sweep.
type wantedRun struct {
	experiment           *study.Experiment
	scenarioIndex, index int // index: of the policy
}

// listRuns returns all runs of a sweep: seed by seed, so that the parts of it that are made
// first are whole comparisons.
func listRuns(blocks []*study.Block) []wantedRun {
	var all []wantedRun
	for seed := range blocks[0].Scenarios {
		for _, b := range blocks {
			for i := range b.Policies {
				all = append(all, wantedRun{b.Experiment, seed, i})
			}
		}
	}
	return all
}

// listMissingRuns returns the runs that are not kept.
func listMissingRuns(blocks []*study.Block, runs study.RunKeeper) ([]wantedRun, error) {
	var missing []wantedRun
	for _, w := range listRuns(blocks) {
		run, err := w.experiment.FindRun(runs, w.scenarioIndex, w.index)
		if err != nil {
			return nil, err
		}
		if run == nil {
			missing = append(missing, w)
		}
	}
	return missing, nil
}

// makePart makes the missing runs of one part, and keeps them.
func (f *compareFlags) makePart(c *cobra.Command, blocks []*study.Block, runs *keptruns.Folder) error {
	var errs []error
	made, failed := 0, 0
	for i, w := range listRuns(blocks) {
		if i%f.part.count != f.part.index {
			continue
		}
		switch _, err := w.experiment.RunOne(c.Context(), runs, w.scenarioIndex, w.index); {
		case c.Context().Err() != nil:
			return fmt.Errorf("interrupted: %d runs of part %s are kept: %w", made, &f.part, c.Context().Err())
		case err != nil:
			failed, errs = failed+1, append(errs, err)
		default:
			made++
		}
	}
	printable.Fprintf(c.OutOrStdout(), "part %s: %d runs are kept, %d failed\n", &f.part, made, failed)
	return errors.Join(errs...)
}

// arrayPollInterval is how often Slurm is asked whether the array has ended.
const arrayPollInterval = 10 * time.Second

// submitRuns lets an array of jobs make what is missing, and waits for its end.
func (f *compareFlags) submitRuns(c *cobra.Command, blocks []*study.Block, runs *keptruns.Folder) error {
	missing, err := listMissingRuns(blocks, runs)
	if err != nil || len(missing) == 0 {
		return err
	}
	a, err := f.newArray(c.Flags(), len(listRuns(blocks)))
	if err != nil {
		return err
	}
	if err := a.submit(c.Context()); err != nil {
		return err
	}
	printable.Fprintf(c.ErrOrStderr(), "job array %s makes the %d missing runs with %d elements; logs are in %s\n", a.id, len(missing), a.elementCount, a.folder)
	if err := a.wait(c.Context(), arrayPollInterval); err != nil {
		return fmt.Errorf("waiting for job array %s, which goes on; the same command again takes up what it makes: %w", a.id, err)
	}
	left, err := listMissingRuns(blocks, runs)
	f.missingCount, f.made = len(left), a
	return err
}

// describeMissing says that what was printed is not all, and where to look for why.
func (f *submitFlags) describeMissing() error {
	switch {
	case f.missingCount == 0:
		return nil
	case !f.made.hasLogs():
		return fmt.Errorf("%d runs are missing in the table: no element of job array %s could write its log into %s; name a folder with --runs that the nodes see under this path and may write to (sacct -j %s says how the elements ended)",
			f.missingCount, f.made.id, f.made.folder, f.made.id)
	}
	return fmt.Errorf("%d runs are missing in the table: %s say why%s; the same command again makes them", f.missingCount, f.made.logPattern(), f.made.describeFailure())
}

// ownFlags are not passed on to the elements of an array.
var ownFlags = []string{"submit", "elements", "sbatch", "runs", "parallel", "html", "per-job", "json"}

// newArray makes the command line of the elements from our own.
func (f *compareFlags) newArray(flags *pflag.FlagSet, runCount int) (*jobArray, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding the program's own file, which the nodes run: %w", err)
	}
	folder, err := filepath.Abs(f.runsFolder)
	if err != nil {
		return nil, fmt.Errorf("finding the folder %s: %w", f.runsFolder, err)
	}
	a := &jobArray{folder: folder, elementCount: min(f.elementCount, runCount), sbatchFlags: strings.Fields(f.sbatchFlags)}
	a.command = []string{program, "compare", "--runs=" + folder, "--parallel=1"}
	flags.Visit(func(x *pflag.Flag) {
		if !slices.Contains(ownFlags, x.Name) {
			a.command = append(a.command, "--"+x.Name+"="+x.Value.String())
		}
	})
	return a, nil
}
