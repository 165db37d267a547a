package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting"
	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// explained is the answer of `fairbridge explain --json`.
type explained struct {
	*accounting.Story
	Live      *shown `json:"live,omitempty"`      // as Slurm shows it now
	Unread    string `json:"unread,omitempty"`    // why Slurm could not be asked
	Directive string `json:"directive,omitempty"` // what in the job's comment could not be read
}

// shown is a job as Slurm shows it now.
type shown struct {
	State    string    `json:"state"`
	Reason   string    `json:"reason"`
	Priority int64     `json:"priority"`
	Held     bool      `json:"held"`
	Eligible time.Time `json:"eligible,omitzero"`
	Start    time.Time `json:"start,omitzero"` // of a pending job: Slurm's estimate
	Nodes    string    `json:"nodes,omitempty"`
	Required string    `json:"required,omitempty"`
	Excluded string    `json:"excluded,omitempty"`
}

func shownAs(j *slurm.Job) *shown {
	return &shown{
		State: j.State, Reason: j.Reason, Priority: j.Priority, Held: j.Held, Eligible: j.Eligible, Start: j.Start,
		Nodes: j.Nodes, Required: j.Required, Excluded: j.Excluded,
	}
}

func newExplain(o *options) *cobra.Command {
	return o.reader(&cobra.Command{
		Use:   "explain JOB",
		Short: "Why a job waits, runs or was requeued",
		Long: `Tell a job's story: what the policy decided and why, what was changed in Slurm
for it, and where its runs went. Exit status 3 when the job was never seen.`,
		Example: `  fairbridge explain 4711
  fairbridge explain 4711 --json`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			id, err := strconv.ParseInt(a[0], 10, 64)
			if err != nil || id <= 0 {
				return usageError{fmt.Errorf("%q is not a job id such as 4711 (for an array task, its own id: squeue -O JobID)", a[0])}
			}
			s, err := o.open(c.Context(), slog.New(slog.DiscardHandler))
			if err != nil {
				return err
			}
			defer s.close()
			e, err := s.explain(c.Context(), id)
			if errors.Is(err, accounting.ErrUnknownJob) {
				fmt.Fprintf(c.ErrOrStderr(), "job %d: %v\n", id, accounting.ErrUnknownJob)
				return errFinding
			}
			if err != nil {
				return err
			}
			if o.json {
				return printJSON(c.OutOrStdout(), e)
			}
			printStory(c.OutOrStdout(), e, time.Now())
			return nil
		},
	})
}

// explain reads the story from the database, and the present state from Slurm
// where that answers.
func (s *stack) explain(ctx context.Context, id int64) (*explained, error) {
	story, err := s.db.JobStory(ctx, s.file.Cluster, policy.JobID(id))
	if err != nil {
		return nil, err
	}
	e := &explained{Story: story}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	j, err := s.cluster.Reread(ctx, id)
	var gone *slurm.Error
	switch {
	case err == nil:
		e.Live = shownAs(&j)
		if _, err := bridge.ParseDirective(j.Comment, j.Extra); err != nil {
			e.Directive = err.Error()
		}
	case errors.As(err, &gone) && gone.Class == slurm.Gone:
		e.Unread = "Slurm has forgotten it: it ended a while ago"
	default:
		e.Unread = "Slurm could not be asked: " + err.Error()
	}
	return e, nil
}

func printStory(w io.Writer, e *explained, now time.Time) {
	last := e.Runs[len(e.Runs)-1]
	fmt.Fprintf(w, "Job %d %q of %s (account %s), partition %s, %d GPUs, %s\n",
		e.Job, last.Name, last.User, last.Account, last.Partition, last.GPUs, last.State)
	if len(e.Decisions) > 0 && e.Decisions[0].Now {
		d := e.Decisions[0]
		fmt.Fprintln(w)
		paragraph(w, "  ", fmt.Sprintf("%s, rank %d: %s", d.Verb, d.Rank, d.Why))
	}
	printLive(w, e, now)
	if e.Directive != "" {
		paragraph(w, "  ", "its comment could not be read in full: "+e.Directive)
	}
	printRuns(w, e.Runs, now)
	printHistory(w, e.Decisions, now)
	printIntents(w, e.Intents, now)
}

func printLive(w io.Writer, e *explained, now time.Time) {
	j := e.Live
	if j == nil {
		fmt.Fprintf(w, "  Slurm: %s\n", e.Unread)
		return
	}
	fmt.Fprintf(w, "  Slurm: %s, priority %d", cmp.Or(j.Reason, j.State), j.Priority)
	if j.State == "PENDING" && !j.Start.IsZero() {
		fmt.Fprintf(w, ", its own start estimate %s", clock(j.Start, now))
	}
	fmt.Fprintln(w)
}

func printRuns(w io.Writer, runs []accounting.JobRun, now time.Time) {
	fmt.Fprintln(w, "\nRuns")
	t := newTable(w, "RESTART", "STATE", "SUBMITTED", "STARTED", "ENDED", "NODES", "SERVICE")
	for _, r := range runs {
		t.add(r.Restarts, r.State, clock(r.Submit, now), clock(r.Start, now), clock(r.End, now), short(r.Nodes, 30), r.Service)
	}
	t.print()
}

// maxTold is how many decisions and changes explain prints; --json has more.
const maxTold = 12

func printHistory(w io.Writer, decisions []accounting.StoredDecision, now time.Time) {
	fmt.Fprintln(w, "\nDecisions, newest first")
	t := newTable(w, "AT", "VERB", "RANK", "WHY")
	told := 0
	for _, d := range decisions {
		if d.Now || told == maxTold {
			continue
		}
		told++
		t.add(clock(d.At, now), d.Verb, d.Rank, d.Why)
	}
	t.print()
}

func printIntents(w io.Writer, intents []ledger.Intent, now time.Time) {
	if len(intents) == 0 {
		fmt.Fprintln(w, "\nNothing was changed in Slurm for it.")
		return
	}
	fmt.Fprintln(w, "\nChanges in Slurm, newest first")
	t := newTable(w, "AT", "CHANGE", "STATE", "WHY")
	for i := range intents[:min(len(intents), maxTold)] {
		in := &intents[i]
		state := string(in.State)
		if in.Error != "" {
			state += " (" + in.Error + ")"
		}
		t.add(clock(in.Made, now), edited(in.Edit, now), state, in.Edit.Why)
	}
	t.print()
}
