package ask

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
	"fairbridge/policy"
)

// printQueue prints the jobs, or why there are none, and below them of when they are.
func printQueue(w io.Writer, a *api.Queue, q *api.QueueQuery, f *queueFlags, hasColours bool, now time.Time) {
	if len(a.Jobs) > 0 {
		printQueueTable(w, a.Jobs, f, hasColours, now)
	}
	if f.hasNoHeader {
		return
	}
	if len(a.Jobs) == 0 {
		output.WriteParagraph(w, "", emptyQueueText(a, narrows(q), f.readsRecord, now))
	}
	printQueueNotes(w, a, f.readsRecord, now)
}

func printQueueTable(w io.Writer, jobs []api.QueueJob, f *queueFlags, hasColours bool, now time.Time) {
	list := newQueueList(jobs, f.columns, output.TerminalWidth(w), now)
	t := output.NewTable(w, headCells(list.Head)...)
	t.HasColours = hasColours
	if f.hasNoHeader {
		t.ResetHeaders()
	}
	for _, r := range list.Rows {
		t.AddRow(r.Cells...)
	}
	t.Print()
}

// rankClause begins the part of a reason that says how the job came by its rank.
const rankClause = "; its rank:"

// shortReasons is any width but that of a pipe.
const shortReasons = 1

// shownJob is the job as a table of a width shows it: on a terminal without how it came by its rank, which explain
// tells; a pipe, of width 0, gets all.
func shownJob(j *api.QueueJob, width int) *api.QueueJob {
	before, _, hasRank := strings.Cut(j.Why, rankClause)
	if width == 0 || !hasRank {
		return j
	}
	short := *j
	short.Why = before
	return &short
}

// emptyQueueText says why no job is printed.
func emptyQueueText(a *api.Queue, isNarrowed, isLocal bool, now time.Time) string {
	var last api.PartitionState
	for _, p := range a.Partitions {
		if p.AsOf.After(last.AsOf) {
			last = p
		}
	}
	switch {
	case last.AsOf.IsZero():
		text := "No cycle is stored yet: " + whyNoCycle(isLocal, &a.Daemon) + "."
		if isLocal {
			text += " fairbridge plan decides without it."
		}
		return text
	case isNarrowed || a.Hidden > 0:
		return "No job in the queue is one that was asked for and that you may see."
	}
	text := fmt.Sprintf("The last cycle, %s ago, saw no GPU jobs.", output.FormatAge(now, last.AsOf))
	if last.Stale {
		text += " No cycle since: " + whyNoCycle(isLocal, &a.Daemon)
	}
	return text
}

// printQueueNotes says of when the queue is, what is not shown, why nothing of it was sent to
// Slurm, and warns when it is old.
func printQueueNotes(w io.Writer, a *api.Queue, isLocal bool, now time.Time) {
	if left := a.Total - len(a.Jobs); left > 0 && len(a.Jobs) > 0 {
		printable.Fprintf(w, "\n%s more, without --limit.\n", policy.FormatCount(left, "job"))
	}
	if a.Hidden > 0 {
		printable.Fprintf(w, "\n")
		output.WriteParagraph(w, "", policy.FormatCount(a.Hidden, "job")+" of others not shown: your site keeps them private.")
	}
	for _, p := range a.Partitions {
		if p.AsOf.IsZero() || len(a.Jobs) == 0 && len(p.NotPushed) == 0 {
			continue
		}
		text := fmt.Sprintf("Partition %s as of %s, %s ago.", p.Name, output.FormatTime(p.AsOf, now), output.FormatAge(now, p.AsOf))
		if p.Stale {
			text += " No cycle since: " + whyNoCycle(isLocal, &a.Daemon)
		}
		printable.Fprintf(w, "\n")
		output.WriteParagraph(w, "", text)
		for _, why := range withoutDoubts(&a.Daemon, p.NotPushed) {
			output.WriteParagraph(w, "", "Nothing of it was sent to Slurm: "+why)
		}
	}
	if l := a.Daemon.Leader; l != nil && !l.Leads && a.Daemon.RecordError == "" {
		printable.Fprintf(w, "\n")
		output.WriteParagraph(w, "", LeaderText(&a.Daemon, now))
	}
	PrintDoubts(w, isLocal, &a.Daemon, now)
}

// watchQueue prints the queue again and again until it is interrupted, which is no error. On a
// terminal each time is drawn over the one before, elsewhere each is a block under its time, as
// squeue --iterate prints. Where fairbridge cannot be reached for a while it says so and goes on.
func watchQueue(ctx context.Context, out io.Writer, s source.Source, f *queueFlags, q api.QueueQuery, hasColours bool) error {
	screen := output.NewScreen(out)
	w := out
	if screen != nil {
		w = printable.NewWriter(screen)
	}
	for tries := 0; ; tries++ {
		now := time.Now()
		a, err := readQueue(ctx, s, q, f)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil && (tries == 0 || !cli.IsUnreachableError(source.NewCommandError(s, err))) {
			return err
		}
		printable.Fprintf(w, "%s, every %s\n", now.Format(time.DateTime), f.interval)
		if err != nil {
			output.WriteParagraph(w, "", fmt.Sprintf("Not answered now: %v", err))
		} else {
			printQueue(w, a, &q, f, hasColours, now)
		}
		if screen != nil {
			screen.Draw()
		} else {
			printable.Fprintf(w, "\n")
		}
		if !waitFor(ctx, f.interval) {
			return nil
		}
	}
}

// waitFor reports whether the time passed before the context ended.
func waitFor(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
