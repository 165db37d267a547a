package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting"
	"fairbridge/accounting/localjournal"
	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
)

func newRelease(o *options) *cobra.Command {
	var dry bool
	var wait time.Duration
	c := &cobra.Command{
		Use:   "release",
		Short: "Give back everything of ours that stands in Slurm",
		Long: `Give back everything of ours that stands in Slurm: leases end, order numbers
become neutral, node lists become the owners' again. Only values that are still
exactly what we wrote are touched, and no held job ever is. Stop the daemon first:
release waits until it leads itself. Works while a STOP file exists.`,
		Example: `  fairbridge release --dry-run
  systemctl stop fairbridge && fairbridge release`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := o.open(c.Context(), slog.New(slog.DiscardHandler))
			if err != nil {
				return err
			}
			defer s.close()
			s.releases, s.heedless = true, true
			out, err := s.release(c.Context(), c.ErrOrStderr(), dry, wait)
			if out == nil {
				return err
			}
			if o.json {
				return errors.Join(printJSON(c.OutOrStdout(), out), err)
			}
			printReleased(c.OutOrStdout(), out, dry)
			return err
		},
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "only show what would be given back")
	c.Flags().DurationVar(&wait, "wait", 3*time.Minute, "how long to wait for another daemon to step down")
	return o.reader(c)
}

// release gives back what is ours, or only finds it, and says on news why it
// takes its time. Beside an error there is what was done all the same.
func (s *stack) release(ctx context.Context, news io.Writer, dry bool, wait time.Duration) (*push.Released, error) {
	r := &push.Releaser{Ports: s.loop.Ports(), Leadership: s.loop.Leadership, Name: s.file.Cluster, Holder: s.loop.Holder + ":release", Tell: progress(news, time.Now)}
	if dry {
		return r.Find(ctx)
	}
	done, err := s.lead(ctx, news, r, wait)
	if errors.Is(err, accounting.ErrUnreachable) {
		done, err = s.fromFile(news, r, err)
	}
	if err != nil {
		return nil, err
	}
	defer done()
	return r.Release(ctx)
}

// fromFile works from the local journal, while Postgres is down. The file lets
// one process write at a time, so a running daemon keeps us out.
func (s *stack) fromFile(w io.Writer, r *push.Releaser, cause error) (done func(), err error) {
	if s.file.Journal == "" {
		return nil, cause
	}
	j, err := localjournal.Open(s.file.Journal)
	if err != nil {
		return nil, fmt.Errorf("%w; and the local journal does not help: %w", cause, err)
	}
	fmt.Fprintf(w, "Postgres cannot be reached: working from the local journal %s.\n", s.file.Journal)
	r.Journal = j
	return func() { _ = j.Close() }, nil
}

// lead waits until no other daemon leads.
func (s *stack) lead(ctx context.Context, w io.Writer, r *push.Releaser, wait time.Duration) (done func(), err error) {
	deadline := time.Now().Add(wait)
	for told := false; ; {
		holder, held, err := r.Lead(ctx)
		if err != nil || held {
			return func() { _ = r.Resign(ctx) }, err
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("%s still leads: stop it first (systemctl stop fairbridge)", holder)
		}
		if !told {
			fmt.Fprintf(w, "waiting for %s to step down…\n", holder)
			told = true
		}
		select {
		case <-ctx.Done():
			return nil, errors.New("interrupted; nothing was changed")
		case <-time.After(time.Second):
		}
	}
}

// newsEvery is how often long work says how far it is.
const newsEvery = 10 * time.Second

// progress says every now and then how far a release is and how long the rest
// takes at the pace so far.
func progress(w io.Writer, now func() time.Time) func(sent, left int) {
	var from, last time.Time
	return func(sent, left int) {
		if from.IsZero() {
			from, last = now(), now()
		}
		if now().Sub(last) < newsEvery {
			return
		}
		last = now()
		rest := last.Sub(from) / time.Duration(sent) * time.Duration(left)
		fmt.Fprintf(w, "%d given back, %d to go, about %s\n", sent, left, span(rest))
	}
}

func printReleased(w io.Writer, out *push.Released, dry bool) {
	done, not := came(out)
	switch n := len(out.Edits); {
	case n == 0 && len(out.Kept) == 0 && len(out.Holds) == 0 && out.Open == 0:
		fmt.Fprintln(w, "Nothing of ours stands in Slurm.")
	case n == 0:
		fmt.Fprintln(w, "Nothing of ours in Slurm can be given back now.")
	case dry:
		fmt.Fprintf(w, "%s would give back what is ours:\n", count(n, "edit"))
	default:
		fmt.Fprintf(w, "%s gave back what was ours:\n", count(len(done), "edit"))
	}
	for _, e := range done {
		fmt.Fprintf(w, "  %s\n", edited(e, time.Now()))
	}
	for _, in := range not {
		fmt.Fprintf(w, "  not so: %v: %s: %s\n", in.Edit, in.State, in.Error)
	}
	if n := len(out.Kept); n > 0 {
		paragraph(w, "", fmt.Sprintf("%s in jobs that run, where Slurm lets nobody change them, or that a person holds, which nothing "+
			"touches; they matter only if such a job waits again: release again then. The first: %v", stay(n), out.Kept[0]))
	}
	for _, d := range out.Holds {
		paragraph(w, "", leftHeld(d, time.Now()))
	}
	if out.Open > 0 {
		fmt.Fprintf(w, "What became of %s is not known yet: run release again in five minutes.\n", count(out.Open, "earlier change"))
	}
	if dry && len(out.Edits) > 0 {
		fmt.Fprintln(w, "Nothing was changed (--dry-run).")
	}
}

// came sorts the edits by whether they did what they were for; before they were
// sent, all of them will.
func came(out *push.Released) (done []slurm.Edit, not []bridge.Intent) {
	for i, e := range out.Edits {
		if i < len(out.Intents) && out.Intents[i].Error != "" {
			not = append(not, out.Intents[i])
		} else {
			done = append(done, e)
		}
	}
	return done, not
}

// leftHeld tells of a hand-back that was cut off.
func leftHeld(d ledger.UnfinishedHandBack, now time.Time) string {
	if d.Ours {
		return fmt.Sprintf("Job %v is held by us: a hand-back sent at %s was cut off. It is released with the next try, or by scontrol release %d.",
			d.Run, clock(d.Sent, now), d.Run.Job)
	}
	return fmt.Sprintf("Job %v is held, by an administrator or by a hand-back of ours that was cut off at %s: scontrol release %d, unless an administrator means it.",
		d.Run, clock(d.Sent, now), d.Run.Job)
}

func stay(n int) string {
	if n == 1 {
		return "1 value stays"
	}
	return fmt.Sprintf("%d values stay", n)
}
