package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting/runs"
	"fairbridge/accounting/stores"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/doctor"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/system"
	"fairbridge/cmd/settings"
	"fairbridge/policy"
)

// importOptions are the flags of import.
type importOptions struct {
	*cli.Options
	since, until, sacctFile, timeZone string
	windowLength, overlap             time.Duration
	readsAgain                        bool
}

func newImportCommand(o *cli.Options) *cobra.Command {
	i := &importOptions{Options: o}
	c := &cobra.Command{
		Use:   "import",
		Short: "Read past jobs and shares from Slurm's accounting",
		Long: `Make the record of past runs equal to Slurm's accounting, to the second and GPU.
Records come from slurmdbd through slurmrestd, with the shares of accounts and
users, or from a file that sacct printed. What was seen of running jobs and
slurmdbd does not tell stays, such as the GPUs on each node.

Records are read and stored a window at a time, with pauses so that slurmdbd
works for us half the time at most. An interrupted import goes on where it was;
importing anything again changes nothing. The daemon itself reads what is new
every few minutes, so that this is needed for older history only.

A record that makes no sense, such as of a job that ends before it starts, is
passed over and named; all others are stored.

For a file, print with:
  SLURM_TIME_FORMAT=%s sacct -aDXP -S 2026-01-01 \
    -o JobIDRaw,JobID,Cluster,State,Submit,Eligible,Start,End,Suspended \
    -o TimelimitRaw,User,Account,QOS,Partition,Reason,NodeList \
    -o AllocTRES,ReqTRES,JobName`,
		Example: `  fairbridge import --since 90d
  fairbridge import --since 2026-01-01 --until 2026-02-01 --window 6h
  fairbridge import --sacct jan.txt
  sacct … | fairbridge import --sacct - --json`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return i.importRecords(c) },
	}
	c.Flags().StringVar(&i.since, "since", "", "where to begin: a date or time in UTC, or an age like 90d (default: the end of the last import)")
	c.Flags().StringVar(&i.until, "until", "", "where to end (default: now)")
	c.Flags().StringVar(&i.sacctFile, "sacct", "", "read what sacct printed from this file, - for standard input")
	c.Flags().StringVar(&i.timeZone, "time-zone", "Local", "zone of times in the file, unless they are seconds since 1970")
	c.Flags().DurationVar(&i.windowLength, "window", runs.DefaultWindow, "how much time is read and stored at once")
	c.Flags().DurationVar(&i.overlap, "overlap", runs.DefaultOverlap, "how much of what was read before is read again")
	c.Flags().BoolVar(&i.readsAgain, "again", false, "with --since: also read again what was read before")
	cli.SetRange(c, "window", "1s", "8784h")
	cli.SetRange(c, "overlap", "0s", "8784h")
	return o.AddJSONFlag(c)
}

func (i *importOptions) importRecords(c *cobra.Command) error {
	now := time.Now()
	im, err := i.readFlags(now)
	if err != nil {
		return cli.NewUsageError(err)
	}
	f, err := i.LoadSettings()
	if err != nil {
		return err
	}
	db, err := cli.OpenDB(c.Context(), f)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Status(c.Context()); err != nil {
		return fmt.Errorf("the database: %w", err)
	}
	im.Cluster = f.Cluster
	var out system.ImportReport
	if i.sacctFile != "" {
		out, err = i.importFromFile(c, db, im)
	} else {
		out, err = i.importFromSlurmdbd(c, f, db, im)
	}
	if err != nil {
		return i.explainFailure(c, out, err)
	}
	return i.printReport(c, out)
}

// readFlags reads the flags.
func (i *importOptions) readFlags(now time.Time) (im runs.Import, err error) {
	if i.sacctFile != "" && (i.since != "" || i.until != "" || i.readsAgain) {
		return im, errors.New("--sacct reads a whole file: say since when and until when to sacct (-S and -E)")
	}
	if i.readsAgain && i.since == "" {
		return im, errors.New("--again: say --since when")
	}
	im = runs.Import{ReadsAgain: i.readsAgain, WindowLength: i.windowLength, Overlap: i.overlap}
	for _, f := range []struct {
		name, text string
		to         *time.Time
	}{{"since", i.since, &im.Since}, {"until", i.until, &im.Until}} {
		if f.text == "" {
			continue
		}
		if *f.to, err = cli.ParseTime(f.text, now); err != nil {
			return im, fmt.Errorf("--%s: %w", f.name, err)
		}
	}
	if im.Until.IsZero() || im.Until.After(now) {
		im.Until = now
	}
	return im, nil
}

// importFromSlurmdbd reads records, window by window, and the shares.
func (i *importOptions) importFromSlurmdbd(c *cobra.Command, f *settings.File, db *stores.Stores, im runs.Import) (system.ImportReport, error) {
	bar := output.NewProgressBar(c.ErrOrStderr(), 1)
	defer bar.Clear()
	draw := bar.NewUpdater(0, "of the time")
	im.OnProgress = func(done, of time.Duration) { draw(int(done/time.Second), int(of/time.Second)) }
	return system.ImportSlurmdbd(c.Context(), f, db, im)
}

// importFromFile reads what sacct printed: all of it, before anything is stored.
func (i *importOptions) importFromFile(c *cobra.Command, db *stores.Stores, im runs.Import) (system.ImportReport, error) {
	out := system.ImportReport{Cluster: im.Cluster}
	zone, err := time.LoadLocation(i.timeZone)
	if err != nil {
		return out, cli.NewUsageError(fmt.Errorf("--time-zone: %w", err))
	}
	in, name := io.Reader(c.InOrStdin()), "standard input"
	if i.sacctFile != "-" {
		f, err := os.Open(i.sacctFile)
		if err != nil {
			return out, cli.NewUsageError(err)
		}
		defer f.Close()
		in, name = f, i.sacctFile
	}
	rows, bad, err := system.ReadSacct(in, name, im.Cluster, zone)
	if err != nil {
		return out, err
	}
	out.AddBad(bad)
	bar := output.NewProgressBar(c.ErrOrStderr(), 1)
	defer bar.Clear()
	out.StoreCounts, err = db.ImportRows(c.Context(), rows, im, bar.NewUpdater(0, "of "+policy.FormatCount(len(rows), "record")))
	return out, err
}

// explainFailure says how far an import came that did not come to its end.
func (i *importOptions) explainFailure(c *cobra.Command, out system.ImportReport, err error) error {
	if errors.Is(err, runs.ErrNoImportStart) {
		return cli.NewUsageError(errors.New("nothing was imported yet: say since when to read, like --since 90d"))
	}
	if out.WindowCount > 0 {
		printable.Fprintf(c.ErrOrStderr(), "Imported through %s; the same command goes on from there.\n", out.Through.Local().Format(time.DateTime))
	}
	return err
}

// maxShownBad is how many bad records are named to people.
const maxShownBad = 5

func (i *importOptions) printReport(c *cobra.Command, out system.ImportReport) error {
	w := c.OutOrStdout()
	if i.JSON {
		return output.WriteJSON(w, out)
	}
	if !out.Since.IsZero() {
		printable.Fprintf(w, "%s to %s: ", out.Since.Local().Format(time.DateTime), out.Through.Local().Format(time.DateTime))
	}
	printable.Fprintf(w, "%s read, %s over; %d changed, of which %d are new.\n", policy.FormatCount(out.RowCount, "record"), policy.FormatCount(out.RunCount, "run"), out.ChangedCount, out.NewCount)
	if n := len(out.Bad); n > 0 {
		printable.Fprintf(w, "%s that made no sense passed over:\n", policy.FormatCount(n, "record"))
		for _, text := range out.Bad[:min(n, maxShownBad)] {
			printable.Fprintf(w, "  %s\n", text)
		}
		if n > maxShownBad {
			printable.Fprintf(w, "  and %d more (--json names all)\n", n-maxShownBad)
		}
	}
	if out.ReplacedCount > 0 {
		printable.Fprintf(w, "%s seen by polls turned out to be others and went.\n", policy.FormatCount(out.ReplacedCount, "run"))
	}
	if out.SharesRead > 0 {
		printable.Fprintf(w, "%s of accounts and users read.\n", policy.FormatCount(out.SharesRead, "share"))
	}
	return nil
}

func newDoctorCommand(o *cli.Options) *cobra.Command {
	return o.AddJSONFlag(&cobra.Command{
		Use:   "doctor",
		Short: "Look at Slurm, Postgres, probes and clocks; say what is wrong and how to mend it",
		Long: `Look at everything fairbridge stands on. Every finding comes with its fix.
Exit status 3 when something does not work.`,
		Example: `  fairbridge doctor
  sudo -u fairbridge fairbridge doctor --json`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := o.LoadSettings()
			if err != nil {
				return err
			}
			r := doctor.Examine(c.Context(), f)
			if o.JSON {
				err = output.WriteJSON(c.OutOrStdout(), r)
			} else {
				printReport(c.OutOrStdout(), r)
			}
			if err == nil && r.HasFailure() {
				return cli.ErrFinding
			}
			return err
		},
	})
}

var markByLevel = map[doctor.Level]string{doctor.LevelOK: "✓", doctor.LevelWarn: "!", doctor.LevelFail: "✗", doctor.LevelSkip: "–"}

func printReport(w io.Writer, r doctor.Report) {
	for _, f := range r {
		output.WriteParagraph(w, fmt.Sprintf("%s %-13s ", markByLevel[f.Level], f.Subject), f.Text)
		if f.Fix != "" {
			output.WriteParagraph(w, fmt.Sprintf("  %-13s → ", ""), f.Fix)
		}
	}
	printable.Fprintf(w, "\n%s\n", r.Verdict())
}
