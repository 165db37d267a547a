package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/cmd/internal/doctor"
	"fairbridge/cmd/internal/system"
	"fairbridge/cmd/settings"
)

func newDoctor(o *options) *cobra.Command {
	return o.reader(&cobra.Command{
		Use:   "doctor",
		Short: "Look at Slurm, Postgres, probes and clocks; say what is wrong and how to mend it",
		Long: `Look at everything fairbridge stands on. Every finding comes with its fix.
Exit status 3 when something does not work.`,
		Example: `  fairbridge doctor
  sudo -u fairbridge fairbridge doctor --json`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := o.load()
			if err != nil {
				return err
			}
			r := examine(c.Context(), f)
			if o.json {
				err = printJSON(c.OutOrStdout(), r)
			} else {
				printReport(c.OutOrStdout(), r)
			}
			if err == nil && r.Bad() {
				return errFinding
			}
			return err
		},
	})
}

func examine(ctx context.Context, f *settings.File) doctor.Report {
	r := doctor.Report{{About: "configuration", Level: doctor.OK, Text: "partitions " + f.Modes()}}
	open := func(ctx context.Context) (*rest.Client, error) { return rest.Open(ctx, f.REST(), rest.Poll{}) }
	v := r.Slurm(ctx, open, f.Cluster, time.Now)
	if v != nil {
		r.Partitions(v, f.Names())
		if p, err := system.Probes(f, nil); err != nil {
			r = append(r, doctor.Finding{About: "probes", Level: doctor.Fail, Text: err.Error(), Fix: "see probes in the configuration"})
		} else {
			r.Probes(ctx, f.Probes.URL, v, p)
		}
	}
	r.Conf(ctx, f.Slurm.Scontrol, f.Order, f.Cluster, v)
	if f.Preempts() {
		r.Scancel(ctx, f.Slurm.Scancel, f.Slurm.Scontrol)
	}
	r.Restd("/proc")
	examineDB(ctx, f, v, &r)
	r.Folders(os.Geteuid(), folders(f)...)
	r.StopFolder(f.StopFile)
	return r
}

// folders are the places the daemon writes to.
func folders(f *settings.File) []doctor.Folder {
	list := []doctor.Folder{{Key: "probes.spool", Path: f.SpoolDir()}}
	if f.Journal != "" {
		list = append(list, doctor.Folder{Key: "journal", Path: filepath.Dir(f.Journal)})
	}
	return list
}

func examineDB(ctx context.Context, f *settings.File, v *slurm.View, r *doctor.Report) {
	db, err := openDB(ctx, f)
	if err != nil {
		*r = append(*r, doctor.Finding{About: "database", Level: doctor.Fail, Text: err.Error(), Fix: "set database.dsn_file or " + f.Database.DSNEnv})
		return
	}
	defer db.Close()
	r.Database(ctx, db)
	r.Usage(ctx, db, f.Cluster, time.Now())
	r.Expiry(ctx, db, f.Cluster, f.Pins())
	r.HandBacks(ctx, db, f.Cluster, v)
}

var marks = map[doctor.Level]string{doctor.OK: "✓", doctor.Warn: "!", doctor.Fail: "✗", doctor.Skip: "–"}

func printReport(w io.Writer, r doctor.Report) {
	for _, f := range r {
		paragraph(w, fmt.Sprintf("%s %-13s ", marks[f.Level], f.About), f.Text)
		if f.Fix != "" {
			paragraph(w, fmt.Sprintf("  %-13s → ", ""), f.Fix)
		}
	}
	fmt.Fprintf(w, "\n%s\n", r.Verdict())
}
