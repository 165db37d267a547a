package main

import (
	"fmt"
	"io"
	"time"

	"fairbridge/accounting/journal"
)

// manyDepartures is how many jobs are shown to people.
const manyDepartures = 10

// print says how the cycle compares.
func (a *again) print(w io.Writer) {
	params := ""
	if a.Params != "" {
		params = " (" + a.Params + ")"
	}
	fmt.Fprintf(w, "Cycle %d of partition %s, %s: %s by %s%s, mode %s.\n",
		a.Cycle, a.Partition, a.At.Local().Format(time.DateTime), count(a.Jobs, "job"), a.Policy, params, a.Mode)
	switch {
	case a.Same && a.Exactly:
		fmt.Fprintln(w, "Decided again, it gives the same plan, byte for byte.")
		return
	case a.Same:
		fmt.Fprintln(w, "Decided again, it gives the same decisions. An older release stored it, without what\nranks, reasons and memory could be compared with.")
		return
	case len(a.Differing) == 0:
		fmt.Fprintln(w, "Decided again, it gives the same decisions, but ranks, reasons or what the policy\nremembers differ.")
	default:
		fmt.Fprintf(w, "Decided again, it decides otherwise about %s:\n\n", count(len(a.Differing), "job"))
		a.table(w)
	}
	fmt.Fprintf(w, "\nPlan then %.12s, now %.12s. The policy has changed since, or it does not decide by its\nsnapshot alone.\n", a.Then, a.Now)
}

func (a *again) table(w io.Writer) {
	t := newTable(w, "JOB", "THEN", "NOW")
	for _, d := range a.Differing[:min(len(a.Differing), manyDepartures)] {
		t.add(d.Job, told(d.Then), told(d.Now))
	}
	t.print()
	if n := len(a.Differing) - manyDepartures; n > 0 {
		fmt.Fprintf(w, "and %d more; --json has all\n", n)
	}
	if a.Gate > 0 {
		fmt.Fprintf(w, "\nThe gate turned %s down then; those are not compared.\n", count(a.Gate, "decision"))
	}
}

// told puts a decision into words.
func told(r *journal.Recorded) string {
	if r == nil {
		return "not in the record"
	}
	s := string(r.Verb)
	if r.On != "" {
		s += " " + r.On
	} else if r.GPUs > 0 {
		s += " " + count(r.GPUs, "GPU")
	}
	if r.For != 0 {
		s += fmt.Sprintf(" for job %d", r.For)
	}
	return s
}
