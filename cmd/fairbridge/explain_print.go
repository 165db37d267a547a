package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"fairbridge/accounting/journal"
	"fairbridge/bridge"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/fairbridge/startestimate"
	"fairbridge/cmd/internal/output"
	"fairbridge/policy"
)

func printExplanation(w io.Writer, e *explanation, now time.Time) {
	last := e.Runs[len(e.Runs)-1]
	printable.Fprintf(w, "Job %s %q of %s (account %s), partition %s, %s, %s\n",
		e.Address, last.Name, last.User, last.Account, last.Partition, e.gpusText(), last.State)
	if len(e.Decisions) > 0 && e.Decisions[0].IsCurrent {
		d := e.Decisions[0]
		printable.Fprintf(w, "\n")
		output.WriteParagraph(w, "  ", fmt.Sprintf("%s, rank %d: %s", d.Verb, d.Rank, d.Why))
	}
	if e.IsStale {
		output.WriteParagraph(w, "  ", fmt.Sprintf("That was decided %s ago. No cycle since: is the daemon running?", output.FormatAge(now, e.LastCycleAt)))
	}
	for _, why := range e.Daemon.doubtTexts(now) {
		output.WriteParagraph(w, "  ", why)
	}
	for _, why := range e.Daemon.withoutDoubts(e.NotPushed) {
		output.WriteParagraph(w, "  ", "Not sent to Slurm in that cycle: "+why)
	}
	if len(e.SmallerRequests) > 0 {
		output.WriteParagraph(w, "  ", fmt.Sprintf("A smaller request would have started at %s: %s.", output.FormatTime(e.LastCycleAt, now), strings.Join(e.SmallerRequests, ", or ")))
	}
	if e.Estimate != nil && e.isPending() {
		output.WriteParagraph(w, "  ", startestimate.EstimateText(e.Estimate, now)+" "+startestimate.ScoreText(e.EstimateScore))
	}
	printLiveJob(w, e, now)
	if e.Directive != "" {
		output.WriteParagraph(w, "  ", "its comment could not be read in full: "+e.Directive)
	}
	printRuns(w, e.Runs, now)
	printHistory(w, e.Decisions, now)
	printIntents(w, e.Address, e.Intents, now)
}

// isPending reports whether the job waits, as far as is known.
func (e *explanation) isPending() bool {
	if e.Live != nil {
		return e.Live.State == "PENDING"
	}
	return e.Runs[len(e.Runs)-1].Start.IsZero()
}

// gpusText says how many GPUs the job has or asks for, and for how many tasks.
func (e *explanation) gpusText() string {
	text := policy.FormatCount(e.GPUs, "GPU")
	if e.Tasks > 0 {
		text += fmt.Sprintf(" (%s of %d)", policy.FormatCount(e.Tasks, "task"), e.GPUs/e.Tasks)
	}
	return text
}

func printLiveJob(w io.Writer, e *explanation, now time.Time) {
	j := e.Live
	if j == nil {
		output.WriteParagraph(w, "  ", e.LiveError)
		return
	}
	printable.Fprintf(w, "  Slurm: %s", cmp.Or(strings.TrimPrefix(j.Reason, "None"), j.State))
	if j.State == "PENDING" {
		printable.Fprintf(w, ", priority %d", j.Priority)
	}
	if j.State == "PENDING" && !j.Start.IsZero() {
		printable.Fprintf(w, ", its own start estimate %s", output.FormatTime(j.Start, now))
	}
	printable.Fprintf(w, "\n")
}

func printRuns(w io.Writer, runs []journal.JobRun, now time.Time) {
	printable.Fprintf(w, "\nRuns\n")
	t := output.NewTable(w, "RESTART", "STATE", "SUBMITTED", "STARTED", "ENDED", "NODES", "SERVICE")
	for _, r := range runs {
		t.AddRow(r.Restarts, r.State, output.FormatTime(r.Submit, now), output.FormatTime(r.Start, now), output.FormatTime(r.End, now), printable.Truncate(r.Nodes, 30), r.Service)
	}
	t.Print()
}

// maxDecisionsPrinted is how many decisions and changes explain prints; --json has more.
const maxDecisionsPrinted = 12

func printHistory(w io.Writer, decisions []journal.StoredDecision, now time.Time) {
	printable.Fprintf(w, "\nDecisions, newest first\n")
	t := output.NewTable(w, "AT", "VERB", "RANK", "WHY")
	printed := 0
	for _, d := range decisions {
		if d.IsCurrent || printed == maxDecisionsPrinted {
			continue
		}
		printed++
		t.AddRow(output.FormatTime(d.At, now), d.Verb, d.Rank, d.Why)
	}
	if printed == 0 {
		printable.Fprintf(w, "None is stored: it came and went between two cycles, or ran before fairbridge watched.\n")
		return
	}
	t.Print()
}

func printIntents(w io.Writer, address string, intents []bridge.Intent, now time.Time) {
	if len(intents) == 0 {
		printable.Fprintf(w, "\nNothing was changed in Slurm for it.\n")
		return
	}
	printable.Fprintf(w, "\nChanges in Slurm, newest first\n")
	t := output.NewTable(w, "AT", "CHANGE", "STATE", "WHY")
	for i := range intents[:min(len(intents), maxDecisionsPrinted)] {
		in := &intents[i]
		state := string(in.State)
		if in.Error != "" {
			state += " (" + in.Error + ")"
		}
		t.AddRow(output.FormatTime(in.Made, now), output.FormatEdit(in.Edit, address, now), state, in.Edit.Why)
	}
	t.Print()
}
