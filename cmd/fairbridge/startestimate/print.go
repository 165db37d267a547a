package startestimate

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"fairbridge/api"
	"fairbridge/bridge"
	"fairbridge/bridge/printable"
	"fairbridge/bridge/whatif"
	"fairbridge/cmd/internal/output"
	"fairbridge/policy"
)

func printWhen(w io.Writer, a *api.When, now time.Time) {
	output.WriteParagraph(w, "", fmt.Sprintf("%s in partition %s, of user %s and account %s, as if submitted at %s:",
		requestText(&a.Job), a.Partition, cmp.Or(a.Job.User, "(not known)"), cmp.Or(a.Job.Account, "(not known)"), output.FormatTime(a.AsOf, now)))
	printable.Fprintf(w, "\n")
	t := output.NewTable(w, "", "EARLY", "MIDDLE", "LATE")
	start := []any{"start", output.FormatTime(a.Start.Early, now), output.FormatTime(a.Start.Middle, now), output.FormatTime(a.Start.Late, now)}
	end := []any{"end", output.FormatTime(a.End.Early, now), output.FormatTime(a.End.Middle, now), output.FormatTime(a.End.Late, now)}
	t.AddRow(start...)
	t.AddRow(end...)
	t.Print()
	printable.Fprintf(w, "\n")
	output.WriteParagraph(w, "", "One in ten such jobs is thought to come before EARLY, half of them before MIDDLE, one in ten after LATE.")
	if a.IsBeyondHorizon {
		output.WriteParagraph(w, "", "It is not seen to start within two weeks: the times above are later than these.")
	}
	if a.ScoreError != "" {
		output.WriteParagraph(w, "", "How good such estimates are here is not known now: "+a.ScoreError+".")
	} else {
		output.WriteParagraph(w, "", ScoreText(a.Score))
	}
	if !a.Mode.Allows(bridge.ModeRank) {
		output.WriteParagraph(w, "", fmt.Sprintf("In mode %s Slurm orders the jobs, not policy %s: this is when it would start if the policy did.", a.Mode, a.Policy))
	}
	if a.Unknown != "" {
		output.WriteParagraph(w, "", "But "+a.Unknown+".")
	}
	if a.LimitError != "" {
		output.WriteParagraph(w, "", "The limits of the partition were not checked: "+a.LimitError)
	}
	printDeadline(w, a, now)
	printSooner(w, a, now)
}

func printSooner(w io.Writer, a *api.When, now time.Time) {
	if len(a.Sooner) == 0 {
		output.WriteParagraph(w, "", "Neither half the GPUs, one node fewer nor a shorter time limit would start it much sooner.")
		return
	}
	printable.Fprintf(w, "\nSooner would start\n")
	t := output.NewTable(w, "REQUEST", "EARLY", "MIDDLE", "LATE", "SOONER BY")
	for i := range a.Sooner {
		r := &a.Sooner[i]
		t.AddRow(requestText(&r.Job), output.FormatTime(r.Start.Early, now), output.FormatTime(r.Start.Middle, now), output.FormatTime(r.Start.Late, now), soonerText(a, r))
	}
	t.Print()
}

// soonerText says by how much a request starts before the one that was asked about.
func soonerText(a *api.When, r *whatif.JobStart) string {
	text := policy.FormatDuration(a.Start.Middle.Sub(r.Start.Middle).Round(time.Minute))
	if a.IsBeyondHorizon {
		text = "more than " + text
	}
	return text
}

// requestText says what a job asks for: "8 a100 on one node for 4h".
func requestText(j *policy.Job) string {
	return j.Ask.Describe() + " for " + policy.FormatDuration(j.Limit)
}
