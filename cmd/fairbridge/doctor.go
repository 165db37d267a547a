package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/doctor"
	"fairbridge/cmd/internal/output"
)

func newDoctor(o *cli.Options) *cobra.Command {
	return o.WithJSON(&cobra.Command{
		Use:   "doctor",
		Short: "Look at Slurm, Postgres, probes and clocks; say what is wrong and how to mend it",
		Long: `Look at everything fairbridge stands on. Every finding comes with its fix.
Exit status 3 when something does not work.`,
		Example: `  fairbridge doctor
  sudo -u fairbridge fairbridge doctor --json`,
		Args: cli.Args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := o.Load()
			if err != nil {
				return err
			}
			r := doctor.Examine(c.Context(), f)
			if o.JSON {
				err = output.JSON(c.OutOrStdout(), r)
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

var levelMarks = map[doctor.Level]string{doctor.OK: "✓", doctor.Warn: "!", doctor.Fail: "✗", doctor.Skip: "–"}

func printReport(w io.Writer, r doctor.Report) {
	for _, f := range r {
		output.Paragraph(w, fmt.Sprintf("%s %-13s ", levelMarks[f.Level], f.About), f.Text)
		if f.Fix != "" {
			output.Paragraph(w, fmt.Sprintf("  %-13s → ", ""), f.Fix)
		}
	}
	fmt.Fprintf(w, "\n%s\n", r.Verdict())
}
