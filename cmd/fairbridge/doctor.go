package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/doctor"
	"fairbridge/cmd/internal/output"
)

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
