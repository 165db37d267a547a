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
			s.releases = true
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
func (s *stack) release(ctx context.Context, news io.Writer, dry bool, wait time.Duration) (*bridge.Released, error) {
	r, done, err := s.releaser(ctx, news, dry, wait)
	if err != nil {
		return nil, err
	}
	defer done()
	if dry {
		return r.Find(ctx)
	}
	out, err := r.Release(ctx)
	if err != nil {
		return out, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return out, r.Settled(ctx, 2*time.Second)
}

// releaser takes leadership, unless nothing is to be changed.
func (s *stack) releaser(ctx context.Context, w io.Writer, dry bool, wait time.Duration) (r *bridge.Releaser, done func(), err error) {
	r = &bridge.Releaser{Parts: s.loop.Parts, Name: s.file.Cluster}
	if dry {
		return r, func() {}, nil
	}
	me := s.loop.Holder + ":release"
	r.Epoch, err = s.lead(ctx, w, me, wait)
	if errors.Is(err, accounting.ErrUnreachable) {
		return s.releaseFromFile(w, r, err)
	}
	if err != nil {
		return nil, nil, err
	}
	return r, func() { _ = s.db.Resign(context.WithoutCancel(ctx), s.file.Cluster, me) }, nil
}

// releaseFromFile works from the local journal, while Postgres is down. The
// file lets one process write at a time, so a running daemon keeps us out.
func (s *stack) releaseFromFile(w io.Writer, r *bridge.Releaser, cause error) (*bridge.Releaser, func(), error) {
	if s.file.Journal == "" {
		return nil, nil, cause
	}
	j, err := localjournal.Open(s.file.Journal)
	if err != nil {
		return nil, nil, fmt.Errorf("%w; and the local journal does not help: %w", cause, err)
	}
	fmt.Fprintf(w, "Postgres cannot be reached: working from the local journal %s.\n", s.file.Journal)
	r.Journal = j
	return r, func() { _ = j.Close() }, nil
}

// lead waits until no other daemon leads.
func (s *stack) lead(ctx context.Context, w io.Writer, me string, wait time.Duration) (int64, error) {
	deadline := time.Now().Add(wait)
	for told := false; ; {
		epoch, holder, held, err := s.db.Lead(ctx, s.file.Cluster, me, 5*time.Minute)
		if err != nil || held {
			return epoch, err
		}
		if time.Now().After(deadline) {
			return 0, fmt.Errorf("%s still leads: stop it first (systemctl stop fairbridge)", holder)
		}
		if !told {
			fmt.Fprintf(w, "waiting for %s to step down…\n", holder)
			told = true
		}
		select {
		case <-ctx.Done():
			return 0, errors.New("interrupted; nothing was changed")
		case <-time.After(time.Second):
		}
	}
}

func printReleased(w io.Writer, out *bridge.Released, dry bool) {
	switch n := len(out.Edits); {
	case n == 0:
		fmt.Fprintln(w, "Nothing of ours stands in Slurm.")
	case dry:
		fmt.Fprintf(w, "%s would give back what is ours:\n", count(n, "edit"))
	default:
		fmt.Fprintf(w, "%s gave back what was ours:\n", count(n, "edit"))
	}
	for _, e := range out.Edits {
		fmt.Fprintf(w, "  %s\n", edited(e, time.Now()))
	}
	for i := range out.Intents {
		if in := &out.Intents[i]; in.Error != "" {
			fmt.Fprintf(w, "  not so: %v: %s: %s\n", in.Edit, in.State, in.Error)
		}
	}
	if n := len(out.Kept); n > 0 {
		paragraph(w, "", fmt.Sprintf("%s in running jobs, where Slurm lets nobody change them; they matter only if such a job is "+
			"requeued: release again then. The first: %v", stay(n), out.Kept[0]))
	}
	if out.Open > 0 {
		fmt.Fprintf(w, "What became of %s is not known yet: run release again in five minutes.\n", count(out.Open, "earlier change"))
	}
	if dry && len(out.Edits) > 0 {
		fmt.Fprintln(w, "Nothing was changed (--dry-run).")
	}
}

func stay(n int) string {
	if n == 1 {
		return "1 value stays"
	}
	return fmt.Sprintf("%d values stay", n)
}
