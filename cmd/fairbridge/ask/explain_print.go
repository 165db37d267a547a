package ask

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/fairbridge/startestimate"
	"fairbridge/cmd/internal/output"
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
