package operate

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
)

func newListCommand(o *cli.Options, open opener) *cobra.Command {
	var standing bool
	var limit int
	c := &cobra.Command{
		Use:   "list",
		Short: "What operators did, and what of it stands",
		Long: `Print what operators did, the newest first: who, when, why, until when, and who ended it.
STANDS has those whose effect lasts.`,
		Example: `  fairbridge operate list
  fairbridge operate list --standing --json`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			actor, err := open(c.Context(), o)
			if err != nil {
				return err
			}
			defer actor.Close()
			all, err := actor.Actions(c.Context(), limit, "")
			if err != nil {
				return source.NewActorError(actor, err)
			}
			if standing {
				all.Actions = onlyStanding(all.Actions)
			}
			if o.JSON {
				return output.WriteJSON(c.OutOrStdout(), all)
			}
			printActions(c.OutOrStdout(), all.Actions, time.Now())
			return nil
		},
	}
	c.Flags().BoolVar(&standing, "standing", false, "only those whose effect lasts")
	c.Flags().IntVar(&limit, "limit", 100, "the last so many")
	cli.SetRange(c, "limit", "1", fmt.Sprint(api.MaxLimit))
	return o.AddURLFlag(o.AddJSONFlag(c))
}

func onlyStanding(all []api.Action) []api.Action {
	out := []api.Action{}
	for i := range all {
		if all[i].Stands {
			out = append(out, all[i])
		}
	}
	return out
}

func printActions(w io.Writer, all []api.Action, now time.Time) {
	if len(all) == 0 {
		printable.Fprintf(w, "No operator did anything.\n")
		return
	}
	t := output.NewTable(w, "ID", "AT", "BY", "ACTION", "ENDED", "WHY")
	for i := range all {
		a := &all[i]
		t.AddRow(fmt.Sprint(a.ID), output.FormatTime(a.At, now), fmt.Sprintf("%s (%s)", a.By, a.Origin), actionText(a), endText(a, now), a.Why)
	}
	t.Print()
}

// actionText says what was done.
func actionText(a *api.Action) string {
	switch a.Kind {
	case api.ActionMode:
		return fmt.Sprintf("mode %s %s", a.Partition, a.Mode)
	case api.ActionReleaseJob:
		return "release " + a.Job
	case api.ActionUndo:
		return fmt.Sprintf("undo %d, job %s", a.Change, a.Job)
	case api.ActionResume:
		if a.Job != "" {
			return "resume " + a.Job
		}
	}
	return string(a.Kind)
}

// endText says whether it stands, and how it ended or will.
func endText(a *api.Action, now time.Time) string {
	switch {
	case a.Stands && a.Until.IsZero():
		return "stands"
	case a.Stands:
		return "stands until " + output.FormatTime(a.Until, now)
	case a.Ended.Equal(a.At):
		return "–"
	case !a.Ended.IsZero():
		return fmt.Sprintf("%s by %s", output.FormatTime(a.Ended, now), a.EndedBy)
	}
	return output.FormatTime(a.Until, now) + ", by itself"
}
