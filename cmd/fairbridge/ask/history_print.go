package ask

import (
	"io"
	"time"

	"fairbridge/accounting/journal"
	"fairbridge/api"
	"fairbridge/bridge"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/output"
)

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

// notAsked stands for what the database alone knows while it is away.
const notAsked = "Not known: the database could not be asked."

func printHistory(w io.Writer, e *api.Job, now time.Time) {
	printable.Fprintf(w, "\nDecisions, newest first\n")
	t := output.NewTable(w, "AT", "VERB", "RANK", "WHY")
	printed := 0
	for _, d := range e.Decisions {
		if d.IsCurrent || printed == maxDecisionsPrinted {
			continue
		}
		printed++
		t.AddRow(output.FormatTime(d.At, now), d.Verb, d.Rank, d.Why)
	}
	switch {
	case printed > 0:
		t.Print()
	case e.Daemon.RecordError != "":
		printable.Fprintln(w, notAsked)
	default:
		printable.Fprintf(w, "None is stored: it came and went between two cycles, or ran before fairbridge watched.\n")
	}
}

func printIntents(w io.Writer, e *api.Job, now time.Time) {
	intents := e.Intents
	switch {
	case len(intents) > 0:
	case e.Daemon.RecordError != "":
		printable.Fprintf(w, "\nChanges in Slurm\n%s\n", notAsked)
		return
	default:
		printable.Fprintf(w, "\nNothing was changed in Slurm for it.\n")
		return
	}
	printable.Fprintf(w, "\nChanges in Slurm, newest first\n")
	t := output.NewTable(w, "AT", "CHANGE", "STATE", "WHY")
	for i := range intents[:min(len(intents), maxDecisionsPrinted)] {
		in := &intents[i]
		t.AddRow(output.FormatTime(in.Made, now), changeText(in.Edit, e.Address, now), intentStateText(in), in.Edit.Why)
	}
	t.Print()
}

func intentStateText(in *bridge.Intent) string {
	if in.Error != "" {
		return string(in.State) + " (" + in.Error + ")"
	}
	return string(in.State)
}
