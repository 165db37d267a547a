package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/bridge/slurm/slurmdb"
)

// importing are the flags of import.
type importing struct {
	*options
	since, until, sacct, zone string
	window, overlap           time.Duration
	again                     bool
}

func newImport(o *options) *cobra.Command {
	i := &importing{options: o}
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

For a file, print with:
  SLURM_TIME_FORMAT=%s sacct -aDXP -S 2026-01-01 \
    -o JobIDRaw,JobID,Cluster,State,Submit,Eligible,Start,End,Suspended \
    -o TimelimitRaw,User,Account,QOS,Partition,Reason,NodeList \
    -o AllocTRES,ReqTRES,JobName`,
		Example: `  fairbridge import --since 90d
  fairbridge import --since 2026-01-01 --until 2026-02-01 --window 6h
  fairbridge import --sacct jan.txt
  sacct … | fairbridge import --sacct - --json`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return i.run(c) },
	}
	c.Flags().StringVar(&i.since, "since", "", "where to begin: a date or time in UTC, or an age like 90d (default: the end of the last import)")
	c.Flags().StringVar(&i.until, "until", "", "where to end (default: now)")
	c.Flags().StringVar(&i.sacct, "sacct", "", "read what sacct printed from this file, - for standard input")
	c.Flags().StringVar(&i.zone, "time-zone", "Local", "zone of times in the file, unless they are seconds since 1970")
	c.Flags().DurationVar(&i.window, "window", accounting.DefaultWindow, "how much time is read and stored at once")
	c.Flags().DurationVar(&i.overlap, "overlap", accounting.DefaultOverlap, "how much of what was read before is read again")
	c.Flags().BoolVar(&i.again, "again", false, "with --since: also read again what was read before")
	return o.reader(c)
}

// importReport is the answer of import.
type importReport struct {
	Cluster string `json:"cluster"`
	accounting.Imported
	Shares int `json:"shares"` // accounts and users whose shares were read
}

func (i *importing) run(c *cobra.Command) error {
	now := time.Now()
	im, err := i.plan(now)
	if err != nil {
		return usageError{err}
	}
	f, err := i.load()
	if err != nil {
		return err
	}
	db, err := openDB(c.Context(), f)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Status(c.Context()); err != nil {
		return fmt.Errorf("the database: %w", err)
	}
	im.Cluster = f.Cluster
	var out importReport
	if i.sacct != "" {
		out, err = i.file(c, db, im)
	} else {
		client, dialErr := rest.Open(c.Context(), f.REST(), rest.Poll{FullEvery: f.Slurm.Refresh})
		if dialErr != nil {
			return dialErr
		}
		out, err = i.slurmdbd(c, db, client, im)
	}
	if err != nil {
		return i.failed(c, out, err)
	}
	return i.print(c, out)
}

// plan reads the flags.
func (i *importing) plan(now time.Time) (im accounting.Import, err error) {
	if i.sacct != "" && (i.since != "" || i.until != "" || i.again) {
		return im, errors.New("--sacct reads a whole file: say since when and until when to sacct (-S and -E)")
	}
	if i.again && i.since == "" {
		return im, errors.New("--again: say --since when")
	}
	im = accounting.Import{Again: i.again, Window: i.window, Overlap: i.overlap}
	for _, f := range []struct {
		name, text string
		to         *time.Time
	}{{"since", i.since, &im.Since}, {"until", i.until, &im.Until}} {
		if f.text == "" {
			continue
		}
		if *f.to, err = moment(f.text, now); err != nil {
			return im, fmt.Errorf("--%s: %w", f.name, err)
		}
	}
	if i.window < time.Second || i.overlap < 0 {
		return im, errors.New("--window must be a second at least, and --overlap not negative")
	}
	if im.Until.IsZero() || im.Until.After(now) {
		im.Until = now
	}
	return im, nil
}

// slurmdbd reads records, window by window, and the shares.
func (i *importing) slurmdbd(c *cobra.Command, db *accounting.DB, client *rest.Client, im accounting.Import) (importReport, error) {
	bar := newMeter(c.ErrOrStderr(), 1)
	defer bar.close()
	draw := bar.part(0, "of the time")
	im.Progress = func(done, of time.Duration) { draw(int(done/time.Second), int(of/time.Second)) }
	return importFrom(c.Context(), db, client, im)
}

// importFrom reads shares and records from slurmdbd into the database. The
// cluster goes by Slurm's own name for it, as in the daemon.
func importFrom(ctx context.Context, db *accounting.DB, client *rest.Client, im accounting.Import) (importReport, error) {
	out := importReport{Cluster: im.Cluster}
	view, err := client.Observe(ctx)
	if err != nil {
		return out, err
	}
	if view.Cluster != "" {
		out.Cluster, im.Cluster = view.Cluster, view.Cluster
	}
	reader := slurmdb.New(client, im.Cluster)
	shares, err := reader.Shares(ctx)
	if err != nil {
		return out, fmt.Errorf("is slurmdbd there, and may our user read all of it (AdminLevel Operator)? %w", err)
	}
	if err := db.SetShares(ctx, im.Cluster, shares); err != nil {
		return out, err
	}
	out.Shares = len(shares)
	im.Types = typesOf(view.Nodes)
	out.Imported, err = db.Import(ctx, reader, im)
	return out, err
}

// typesOf returns the type of the GPUs of each node that has only one.
func typesOf(nodes []slurm.Node) map[string]string {
	types := map[string]string{}
	for _, n := range nodes {
		if all := n.Devices(); len(all) == 1 {
			types[n.Name] = all[0].Type
		}
	}
	return types
}
