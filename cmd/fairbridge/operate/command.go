// Package operate is the command operate: what operators do while the daemon runs. It is flags, the
// question whether it is meant, and printing; what is done is package actions.
package operate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/api"
	"fairbridge/bridge"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
)

// opener opens what does what is asked for.
type opener func(ctx context.Context, o *cli.Options) (source.Actor, error)

// NewCommand makes the command with its commands.
func NewCommand(o *cli.Options) *cobra.Command { return newCommand(o, source.OpenActor) }

func newCommand(o *cli.Options, open opener) *cobra.Command {
	c := cli.NewGroupCommand(&cobra.Command{
		Use:   "operate",
		Short: "For operators: stop, resume, lower a mode, release a job, undo a change",
		Long: `What operators do while the daemon runs. Each command says first in a sentence what it
would do, and does it once that is confirmed: on a terminal it asks, elsewhere it wants
--yes. What was done is recorded with its author (operate list), and ends by itself or by
somebody.

By the daemon it is for Slurm's operators and administrators, and whom api.operators
names; with the configuration for whoever can read that and its database.`,
		Example: `  fairbridge operate stop --why "slurmctld upgrade"
  fairbridge operate resume --why "upgraded"
  fairbridge operate release 4711 --why "owner asked"
  fairbridge operate list`,
	})
	c.AddCommand(newStopCommand(o, open), newResumeCommand(o, open), newModeCommand(o, open), newReleaseCommand(o, open), newUndoCommand(o, open), newListCommand(o, open))
	return c
}

// actionFlags are those of the commands that do something.
type actionFlags struct {
	why, until string
	isMeant    bool
	open       opener
}

// addTo gives the command its flags, and what it does with the request that fill makes of the arguments.
func (f *actionFlags) addTo(c *cobra.Command, o *cli.Options, lasts bool, fill func(r *api.ActionRequest, args []string) error) *cobra.Command {
	c.Flags().StringVar(&f.why, "why", "", "reason, for whoever asks later; must be given")
	c.Flags().BoolVar(&f.isMeant, "yes", false, "do it without asking")
	if lasts {
		c.Flags().StringVar(&f.until, "until", "", "when it ends by itself: so long from now (36h, 7d), or a time")
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		r := api.ActionRequest{Why: f.why}
		if err := fill(&r, args); err != nil {
			return cli.NewUsageError(err)
		}
		return f.run(c, o, r)
	}
	return o.AddURLFlag(o.AddJSONFlag(c))
}

func newStopCommand(o *cli.Options, open opener) *cobra.Command {
	f := &actionFlags{open: open}
	return f.addTo(&cobra.Command{
		Use:   "stop",
		Short: "Send nothing to Slurm any more, whichever daemon leads",
		Long: `Send nothing to Slurm any more, not even to give back, whichever daemon leads, until
operate resume or --until: within a second where the daemon itself is asked, else from the
leader's next cycle on. The STOP file (stop_file) does the same for one host without
the database; each is ended by itself alone.`,
		Example: `  fairbridge operate stop --why "slurmctld upgrade"
  fairbridge operate stop --why "deadline night" --until 12h --yes`,
		Args: cli.CheckArgs(cobra.NoArgs),
	}, o, true, func(r *api.ActionRequest, _ []string) error {
		r.Kind = api.ActionStop
		return nil
	})
}

func newResumeCommand(o *cli.Options, open opener) *cobra.Command {
	f := &actionFlags{open: open}
	return f.addTo(&cobra.Command{
		Use:   "resume [JOB]",
		Short: "End the stops, or that a job is left alone",
		Long: `End all stops of operators, or, with the address that operate release or undo left alone,
that. A STOP file is ended by removing it only; resume says so where it sees one.`,
		Example: `  fairbridge operate resume --why "upgraded"
  fairbridge operate resume 4711 --why "owner changed their mind"`,
		Args: cli.CheckArgs(cobra.MaximumNArgs(1)),
	}, o, false, func(r *api.ActionRequest, args []string) error {
		if r.Kind = api.ActionResume; len(args) > 0 {
			r.Job = args[0]
		}
		return nil
	})
}

func newModeCommand(o *cli.Options, open opener) *cobra.Command {
	f := &actionFlags{open: open}
	return f.addTo(&cobra.Command{
		Use:   "mode PARTITION MODE",
		Short: "Lower the mode of a partition, or let it be the configured one again",
		Long: `Lower the mode of a partition below the configured one: observe, rank or steer. What of
ours the lower mode does not allow is given back. The configured mode ends that; only
the configuration raises a mode.`,
		Example: `  fairbridge operate mode gpu rank --why "no requeues this week" --until 7d
  fairbridge operate mode gpu preempt --why "as configured again"`,
		Args: cli.CheckArgs(cobra.ExactArgs(2)),
	}, o, true, func(r *api.ActionRequest, args []string) error {
		r.Kind, r.Partition, r.Mode = api.ActionMode, args[0], bridge.Mode(args[1])
		return nil
	})
}

func newReleaseCommand(o *cli.Options, open opener) *cobra.Command {
	f := &actionFlags{open: open}
	return f.addTo(&cobra.Command{
		Use:   "release JOB",
		Short: "Give back everything of ours in a job, and leave it alone",
		Long: `Give back everything of ours in a job, by value, in the leader's next cycles, and leave it
alone: no order number, lease, node list, requeue or warning. An array's address means
all its waiting records. Without --until that lasts as long as a job is left alone that
somebody changed (gate.yield_for). Of all jobs at once: fairbridge release.`,
		Example: `  fairbridge operate release 4711 --why "owner asked"
  fairbridge operate release 4711_3 --why "ticket 12" --until 2h`,
		Args: cli.CheckArgs(cobra.ExactArgs(1)),
	}, o, true, func(r *api.ActionRequest, args []string) error {
		r.Kind, r.Job = api.ActionReleaseJob, args[0]
		return nil
	})
}

func newUndoCommand(o *cli.Options, open opener) *cobra.Command {
	f := &actionFlags{open: open}
	return f.addTo(&cobra.Command{
		Use:   "undo CHANGE",
		Short: "Give back one change of ours, and leave its job alone",
		Long: `Give back one change of ours, by its id (explain --json and changes have it), if its value
is still exactly ours, and leave its job alone as operate release does. Where it cannot
be undone the answer says why, and whose the value is now.`,
		Example: `  fairbridge operate undo 815 --why "should start tonight"`,
		Args:    cli.CheckArgs(cobra.ExactArgs(1)),
	}, o, true, func(r *api.ActionRequest, args []string) error {
		id, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil || id <= 0 {
			return fmt.Errorf("%q is not the id of a change: fairbridge changes has them", args[0])
		}
		r.Kind, r.Change = api.ActionUndo, id
		return nil
	})
}

// parseUntil reads a time to come: so long from now, or a time; "": zero.
func parseUntil(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 {
			return now.AddDate(0, 0, n).UTC(), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return now.Add(d).UTC(), nil
	}
	at, err := cli.ParseTime(text, now)
	if err != nil || !at.After(now) {
		return at, fmt.Errorf("--until: %q is not a time to come such as 36h, 7d or 2026-03-02T15:00 (UTC)", text)
	}
	return at.UTC(), nil
}

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
