package startestimate

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"fairbridge/api"
	"fairbridge/bridge"
	"fairbridge/bridge/printable"
	"fairbridge/bridge/whatif"
	"fairbridge/cmd/internal/output"
	"fairbridge/policy"
)

// deadlineLayouts are how a deadline may be given: without a zone it is local.
var deadlineLayouts = []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02T15:04:05"}

// parseDeadline reads a deadline as a directive has it; "": none.
func parseDeadline(text string) (at time.Time, err error) {
	if text == "" {
		return at, nil
	}
	for _, layout := range deadlineLayouts {
		if at, err = time.ParseInLocation(layout, text, time.Local); err == nil {
			return at.UTC(), nil
		}
	}
	return at, fmt.Errorf("--deadline %s: want a time like 2026-12-01T09:00", printable.Truncate(text, 40))
}

// chanceText says a chance; the ends say only that it is no nearer to sure.
func chanceText(chance float64) string {
	switch {
	case chance <= .05:
		return "at most 5 %"
	case chance >= .95:
		return "at least 95 %"
	}
	return fmt.Sprintf("about %.0f %%", 100*chance)
}

// DeadlineText says how likely a job is done by its deadline, what would be likelier, and what it was told first.
func DeadlineText(d *api.Deadline, isPending bool, now time.Time) string {
	kind := "deadline"
	if d.IsSoft {
		kind = "soft deadline"
	}
	text := fmt.Sprintf("Its %s is %s.", kind, output.FormatTime(d.At, now))
	if d.Chance > 0 {
		text += fmt.Sprintf(" The chance to be done by then is %s; %s.", chanceText(d.Chance), likelyText(d.LikelyBy, now))
	}
	if isPending && d.Chance > 0 && d.Chance < api.LikelyChance {
		text += offersText(d.Offers, now)
	}
	if p := d.Promise; p != nil {
		text += fmt.Sprintf(" When it was first seen, %s ago, it was told %s.", output.FormatAge(now, p.MadeAt), chanceText(p.Chance))
		if !p.Deadline.Equal(d.At) {
			text += fmt.Sprintf(" Its deadline was %s then.", output.FormatTime(p.Deadline, now))
		}
	}
	return text
}

// likelyText says by when something would be likely done.
func likelyText(at, now time.Time) string {
	if at.IsZero() {
		return "its time limit may end it before it is likely (80 %) to be done"
	}
	return "by " + output.FormatTime(at, now) + " it would be likely (80 %)"
}

// offersText names what would be likelier in a job's stead, or how to ask for that where nothing was worked out.
func offersText(offers []api.DeadlineOffer, now time.Time) string {
	if len(offers) == 0 {
		return " Smaller or shorter requests and other partitions: fairbridge when --deadline."
	}
	var list []string
	for i := range offers {
		o := &offers[i]
		list = append(list, fmt.Sprintf("%s in partition %s (%s, likely by %s)", requestText(&o.Job), o.Job.Partition, chanceText(o.Chance), output.FormatTime(o.LikelyBy, now)))
	}
	return " Likelier, if submitted now in its stead: " + strings.Join(list, ", or ") + "."
}

// printDeadline prints how likely a request is done by a deadline, and what is likelier.
func printDeadline(w io.Writer, a *api.When, now time.Time) {
	d := a.Deadline
	if d == nil {
		return
	}
	output.WriteParagraph(w, "", fmt.Sprintf("The chance to be done by %s is %s; %s.", output.FormatTime(d.At, now), chanceText(d.Chance), likelyText(d.LikelyBy, now)))
	if len(d.Offers) == 0 {
		output.WriteParagraph(w, "", "No smaller or shorter request and no other partition that was tried is likelier: a later deadline is.")
		return
	}
	printable.Fprintf(w, "\nLikelier would be\n")
	t := output.NewTable(w, "REQUEST", "PARTITION", "CHANCE", "LIKELY BY")
	for i := range d.Offers {
		o := &d.Offers[i]
		t.AddRow(requestText(&o.Job), o.Job.Partition, chanceText(o.Chance), output.FormatTime(o.LikelyBy, now))
	}
	t.Print()
}

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
