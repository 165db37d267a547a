package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting"
	"fairbridge/bridge/slurm/slurmdb"
)

// file reads what sacct printed: all of it, before anything is stored.
func (i *importing) file(c *cobra.Command, db *accounting.DB, im accounting.Import) (importReport, error) {
	out := importReport{Cluster: im.Cluster}
	zone, err := time.LoadLocation(i.zone)
	if err != nil {
		return out, usageError{fmt.Errorf("--time-zone: %w", err)}
	}
	in, name := io.Reader(c.InOrStdin()), "standard input"
	if i.sacct != "-" {
		f, err := os.Open(i.sacct)
		if err != nil {
			return out, usageError{err}
		}
		defer f.Close()
		in, name = f, i.sacct
	}
	all, err := slurmdb.Sacct(in, name, "", zone)
	if err != nil {
		return out, fmt.Errorf("%w (nothing was imported)", err)
	}
	rows, others := ofCluster(all, im.Cluster)
	if len(rows) == 0 && len(others) > 0 {
		return out, fmt.Errorf("%s holds jobs of the cluster %s only, and the configuration's is %s", name, others[0], im.Cluster)
	}
	bar := newMeter(c.ErrOrStderr(), 1)
	defer bar.close()
	out.Settled, err = db.ImportRows(c.Context(), rows, im, bar.part(0, "of "+count(len(rows), "record")))
	return out, err
}

// ofCluster returns the rows of a cluster, and the names of others found.
func ofCluster(all []slurmdb.Job, cluster string) (rows []slurmdb.Job, others []string) {
	for _, r := range all {
		if r.Cluster == "" || r.Cluster == cluster {
			rows = append(rows, r)
		} else if len(others) == 0 {
			others = append(others, r.Cluster)
		}
	}
	return rows, others
}

// failed says how far an import came that did not come to its end.
func (i *importing) failed(c *cobra.Command, out importReport, err error) error {
	if errors.Is(err, accounting.ErrNoBeginning) {
		return usageError{errors.New("nothing was imported yet: say since when to read, like --since 90d")}
	}
	if out.Windows > 0 {
		fmt.Fprintf(c.ErrOrStderr(), "Imported through %s; the same command goes on from there.\n", out.Through.Local().Format(time.DateTime))
	}
	return err
}

func (i *importing) print(c *cobra.Command, out importReport) error {
	w := c.OutOrStdout()
	if i.json {
		return printJSON(w, out)
	}
	if !out.Since.IsZero() {
		fmt.Fprintf(w, "%s to %s: ", out.Since.Local().Format(time.DateTime), out.Through.Local().Format(time.DateTime))
	}
	fmt.Fprintf(w, "%s read, %s over; %d changed, of which %d are new.\n", count(out.Rows, "record"), count(out.Runs, "run"), out.Changed, out.New)
	if out.Replaced > 0 {
		fmt.Fprintf(w, "%s seen by polls turned out to be others and went.\n", count(out.Replaced, "run"))
	}
	if out.Shares > 0 {
		fmt.Fprintf(w, "%s of accounts and users read.\n", count(out.Shares, "share"))
	}
	return nil
}
