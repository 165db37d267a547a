package operate

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
)

// run tells what the request would do, asks whether that is meant, and has it done.
func (f *actionFlags) run(c *cobra.Command, o *cli.Options, r api.ActionRequest) error {
	if strings.TrimSpace(f.why) == "" {
		return cli.NewUsageError(errors.New("--why is missing: it is recorded, for whoever asks later"))
	}
	var err error
	if r.Until, err = parseUntil(f.until, time.Now()); err != nil {
		return cli.NewUsageError(err)
	}
	actor, err := f.open(c.Context(), o)
	if err != nil {
		return err
	}
	defer actor.Close()
	err = f.act(c, o, actor, r)
	if api.CodeOf(err) == api.CodeNotFound {
		printable.Fprintf(c.ErrOrStderr(), "%v\n", err)
		return cli.ErrFinding
	}
	return source.NewActorError(actor, err)
}

// maxTells is how often it is told what an action does, and asked, before the last conflict is the answer: Slurm and the
// record go on meanwhile, and what was told holds only while it is still so.
const maxTells = 5

func (f *actionFlags) act(c *cobra.Command, o *cli.Options, actor source.Actor, r api.ActionRequest) error {
	for tells := 1; ; tells++ {
		told, err := actor.Act(c.Context(), r)
		if err != nil {
			return err
		}
		if !o.JSON {
			output.WriteParagraph(c.OutOrStdout(), "", told.Effect)
		}
		switch isMeant, err := cli.AskWhetherMeant(c, f.isMeant, actor.Describe()); {
		case err != nil:
			return err
		case !isMeant:
			printable.Fprintf(c.ErrOrStderr(), "Nothing was done.\n")
			return cli.ErrFinding
		}
		done, err := actor.Act(c.Context(), told.ActionRequest)
		switch {
		case err == nil:
			return writeDone(c, o, done)
		case api.CodeOf(err) != api.CodeConflict || tells == maxTells:
			return err
		}
		printable.Fprintf(c.ErrOrStderr(), "Nothing was done yet: it is no longer as told.\n")
	}
}

// writeDone says what was done.
func writeDone(c *cobra.Command, o *cli.Options, done *api.Action) error {
	if o.JSON {
		return output.WriteJSON(c.OutOrStdout(), done)
	}
	printable.Fprintf(c.OutOrStdout(), "Done, as action %d of %s: %s.\n", done.ID, done.By, sinceWhenText(done))
	return nil
}

// sinceWhenText says when what was done takes effect.
func sinceWhenText(a *api.Action) string {
	if a.Kind == api.ActionStop && a.Origin != api.OriginLocal {
		return "the daemon that was asked sends nothing from now on, another that leads from its next cycle on"
	}
	return "the leading daemon goes by it from its next cycle on"
}
