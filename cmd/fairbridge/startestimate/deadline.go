package startestimate

import (
	"fmt"
	"io"
	"time"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/output"
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

// DeadlineText says how likely a job that waits is done by its deadline, what it was told first, and what came of that.
func DeadlineText(d *api.Deadline, isPending bool, now time.Time) string {
	kind := "deadline"
	if d.IsSoft {
		kind = "soft deadline"
	}
	text := fmt.Sprintf("Its %s is %s.", kind, output.FormatTime(d.At, now))
	if isPending && d.Chance > 0 {
		text += fmt.Sprintf(" The chance to be done by then is %s; by %s it would be likely (80 %%).", chanceText(d.Chance), output.FormatTime(d.LikelyBy, now))
		if d.Chance < api.LikelyChance {
			text += " Smaller or shorter requests and other partitions: fairbridge when --deadline."
		}
	}
	if p := d.Promise; p != nil {
		text += fmt.Sprintf(" When it was first seen, %s ago, it was told %s.", output.FormatAge(now, p.MadeAt), chanceText(p.Chance))
		if !p.Deadline.Equal(d.At) {
			text += fmt.Sprintf(" Its deadline was %s then.", output.FormatTime(p.Deadline, now))
		}
	}
	return text
}

// printDeadline prints how likely a request is done by a deadline, and what is likelier.
func printDeadline(w io.Writer, a *api.When, now time.Time) {
	d := a.Deadline
	if d == nil {
		return
	}
	output.WriteParagraph(w, "", fmt.Sprintf("The chance to be done by %s is %s; by %s it would be likely (80 %%).", output.FormatTime(d.At, now), chanceText(d.Chance), output.FormatTime(d.LikelyBy, now)))
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
