package startestimate

import (
	"fmt"
	"io"
	"strings"
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
