package ask

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting/journal"
	"fairbridge/api"
	"fairbridge/bridge"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/fairbridge/startestimate"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
	"fairbridge/policy"
)

// PrintExplanation prints a job's story. The first lines answer why it waits, for what, and
// until when; its history follows.
func PrintExplanation(w io.Writer, e *api.Job, isLocal bool, now time.Time) {
	last := e.Runs[len(e.Runs)-1]
	printable.Fprintf(w, "Job %s %q of %s (account %s), partition %s, %s, %s\n",
		e.Address, last.Name, last.User, last.Account, last.Partition, jobGPUsText(e), last.State)
	if len(e.Decisions) > 0 && e.Decisions[0].IsCurrent {
		d := e.Decisions[0]
		printable.Fprintf(w, "\n")
		output.WriteParagraph(w, "  ", fmt.Sprintf("%s, rank %d: %s", d.Verb, d.Rank, d.Why))
	}
	if e.IsStale {
		output.WriteParagraph(w, "  ", fmt.Sprintf("That was decided %s ago. No cycle since: %s", output.FormatAge(now, e.LastCycleAt), whyNoCycle(isLocal, &e.Daemon)))
	}
	if text := aheadText(e); text != "" {
		output.WriteParagraph(w, "  ", text)
	}
	if e.Estimate != nil && isPending(e) {
		output.WriteParagraph(w, "  ", startestimate.EstimateText(e.Estimate, now)+" "+startestimate.ScoreText(e.EstimateScore))
	}
	if e.Deadline != nil {
		output.WriteParagraph(w, "  ", startestimate.DeadlineText(e.Deadline, isPending(e), now))
	}
	if text := startestimate.EarlierText(e.Earlier, now); text != "" {
		output.WriteParagraph(w, "  ", text)
	}
	if len(e.SmallerRequests) > 0 {
		output.WriteParagraph(w, "  ", fmt.Sprintf("A smaller request would have started at %s: %s.", output.FormatTime(e.LastCycleAt, now), strings.Join(e.SmallerRequests, ", or ")))
	}
	printWithheld(w, e, isLocal, now)
	printLiveJob(w, e, now)
	if e.Directive != "" {
		output.WriteParagraph(w, "  ", "not all of its comment counts: "+e.Directive)
	}
	if text := recallText(e, now); text != "" {
		output.WriteParagraph(w, "  ", text)
	}
	if text := restartText(e.Size); text != "" {
		output.WriteParagraph(w, "  ", text)
	}
	printRuns(w, e.Runs, now)
	printHistory(w, e, now)
	printIntents(w, e, now)
}

// printWithheld says why what was decided was not sent to Slurm.
func printWithheld(w io.Writer, e *api.Job, isLocal bool, now time.Time) {
	for _, why := range doubtTexts(isLocal, &e.Daemon, now) {
		output.WriteParagraph(w, "  ", why)
	}
	for _, why := range withoutDoubts(&e.Daemon, e.NotPushed) {
		output.WriteParagraph(w, "  ", "Not sent to Slurm in that cycle: "+why)
	}
	if e.Daemon.RecordError != "" {
		output.WriteParagraph(w, "  ", "The database could not be asked, so that this is from the daemon's memory: "+e.Daemon.RecordError)
	}
}

// restartText says what a change of its size costs an elastic job; "" for others.
func restartText(size *api.JobSize) string {
	if size == nil || size.MaxGPUs == 0 || size.RestartSeconds <= 0 {
		return ""
	}
	return fmt.Sprintf("It may run on %d to %s. A restart costs it %v (%s); while it runs, its size changes only after 20 times that.",
		size.MinGPUs, policy.FormatCount(size.MaxGPUs, "GPU"), policy.DurationFromSeconds(size.RestartSeconds).Round(time.Second), size.RestartSource)
}

// aheadText names the jobs that wait ahead of it, as far as they may be seen; "": none does.
func aheadText(e *api.Job) string {
	if e.AheadCount == 0 {
		return ""
	}
	var named []string
	gpus := 0
	for _, a := range e.Ahead {
		named = append(named, fmt.Sprintf("%s (%s, %s)", a.Address, a.User, policy.FormatCount(a.GPUs, "GPU")))
		gpus += a.GPUs
	}
	text := policy.FormatCount(e.AheadCount, "job") + " wait ahead of it"
	if e.AheadCount == 1 {
		text = "1 job waits ahead of it"
	}
	if len(named) > 0 {
		text += ": " + strings.Join(named, ", ")
	}
	var rest []string
	if more := e.AheadCount - e.HiddenAhead - len(e.Ahead); more > 0 {
		rest = append(rest, fmt.Sprintf("%d more before them", more))
	}
	if e.HiddenAhead > 0 {
		rest = append(rest, fmt.Sprintf("%d you may not see", e.HiddenAhead))
	}
	if len(rest) > 0 && len(named) > 0 {
		text += ", and " + strings.Join(rest, " and ")
	} else if len(rest) > 0 {
		text += " that you may not see"
	}
	return text + "."
}

// isPending reports whether the job waits, as far as is known.
func isPending(e *api.Job) bool {
	if e.Live != nil {
		return e.Live.State == "PENDING"
	}
	return e.Runs[len(e.Runs)-1].Start.IsZero()
}

// jobGPUsText says how many GPUs the job has or asks for, and for how many tasks.
func jobGPUsText(e *api.Job) string {
	text := policy.FormatCount(e.GPUs, "GPU")
	if e.Tasks > 0 {
		text += fmt.Sprintf(" (%s of %d)", policy.FormatCount(e.Tasks, "task"), e.GPUs/e.Tasks)
	}
	return text
}

func printLiveJob(w io.Writer, e *api.Job, now time.Time) {
	j := e.Live
	if j == nil {
		if e.LiveError != "" {
			output.WriteParagraph(w, "  ", e.LiveError)
		}
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

// recallText says how long it took the job, which ran on what others left, to give its GPUs back the last time that
// another was to have them; "" where it never had to.
func recallText(e *api.Job, now time.Time) string {
	first := firstOfLastRecall(e.Intents)
	if first == nil {
		return ""
	}
	who := "another job"
	if to := first.Before.Stop.Beneficiary; to != 0 {
		who = fmt.Sprintf("job %d", to)
	}
	text := fmt.Sprintf("It runs on what others leave. At %s it was called back for %s, within %s: ",
		output.FormatTime(first.Made, now), who, policy.FormatDuration(first.Before.Stop.Recall))
	if end := endOfRun(e.Runs, first.Edit.Run.Restarts); end.After(first.Made) {
		return text + fmt.Sprintf("it had left after %s.", policy.FormatDuration(end.Sub(first.Made)))
	}
	return text + fmt.Sprintf("it has not left yet, %s later.", policy.FormatDuration(now.Sub(first.Made)))
}

// firstOfLastRecall returns the first change, the warning if there was one, by which the job was called back the last time;
// nil: it never was. Intents come newest first. One that was not sent calls nobody back.
func firstOfLastRecall(intents []bridge.Intent) (first *bridge.Intent) {
	for i := range intents {
		in := &intents[i]
		if stop := in.Before.Stop; stop == nil || stop.Recall <= 0 || in.Sent.IsZero() {
			continue
		}
		if first != nil && in.Edit.Run.Restarts != first.Edit.Run.Restarts {
			break
		}
		first = in
	}
	return first
}

// endOfRun returns when the run with so many restarts ended; zero: it has not, or is not known.
func endOfRun(runs []journal.JobRun, restarts int) time.Time {
	for i := range runs {
		if runs[i].Restarts == restarts {
			return runs[i].End
		}
	}
	return time.Time{}
}

const explainHelp = `Tell a job's story: what the policy decided and why, who is ahead of it, when it
should start, what was changed in Slurm for it, and where its runs went. A decision is
listed when it changed, not in each cycle that repeats it. Exit status 3 when the job was
never seen, or is not yours to see.

STATE of a change: PLANNED, SENT, then ACKED (Slurm said yes) or UNKNOWN (no answer);
OBSERVED when a poll shows it; EXPIRED when it ran out as meant, YIELDED when it gave
way to what somebody else set, FAILED when it was refused or never seen, VOID when it
was not sent after all.

`

func newExplainCommand(o *cli.Options, open opener) *cobra.Command {
	return &cobra.Command{
		Use:   "explain JOB",
		Short: "Why a job waits, runs or was requeued",
		Long:  explainHelp + source.Rule,
		Example: `  fairbridge explain 4711
  fairbridge explain 4711_3        a task of an array
  fairbridge explain 4711 --json`,
		Args: cli.CheckArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			return answerAboutJob(c, o, open, a[0], source.Source.Job, func(e *api.Job, s source.Source) {
				PrintExplanation(c.OutOrStdout(), e, source.ReadsRecord(s), time.Now())
			})
		},
	}
}
