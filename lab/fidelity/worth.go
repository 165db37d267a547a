package fidelity

import (
	"bytes"
	"fmt"
	"slices"

	"fairbridge/replica/measure"
)

// Worth is what fairbridge did to the jobs of one stream on one release, for real and simulated.
// A ratio is a mean with fairbridge to the same mean of Slurm alone.
type Worth struct {
	With, Alone      *Comparison
	Wait, Completion Ratios
	ByAccount        []AccountWorth // as Users stand; only those with jobs
}

// AccountWorth is the mean completion time of an account's jobs, as a ratio.
type AccountWorth struct {
	Account string
	Ratios
}

// Ratios are one ratio as it was measured and as it was simulated.
type Ratios struct{ Real, Simulated float64 }

// unmoved is how far from 1 a ratio may be and still say neither better nor worse.
const unmoved = .02

// SameSign reports whether both say better, or both worse; a ratio within unmoved of 1 says neither
// and contradicts nothing.
func (r Ratios) SameSign() bool {
	isMoved := func(v float64) bool { return v < 1-unmoved || v > 1+unmoved }
	return !isMoved(r.Real) || !isMoved(r.Simulated) || (r.Real < 1) == (r.Simulated < 1)
}

// Worths pairs every comparison with fairbridge with that of Slurm alone on the same stream and
// release, where there is one.
func Worths(all []Comparison) []Worth {
	var out []Worth
	for i := range all {
		with := &all[i]
		k := slices.IndexFunc(all, func(c Comparison) bool {
			return c.Arm == ArmAlone && c.Stream.Name == with.Stream.Name && c.Release == with.Release
		})
		if with.Arm != ArmAlone && k >= 0 {
			out = append(out, newWorth(with, &all[k]))
		}
	}
	return out
}

func newWorth(with, alone *Comparison) Worth {
	w := Worth{With: with, Alone: alone}
	w.Wait = ratios(with, alone, func(r *measure.Run) float64 { return Summarize(r).MeanWait })
	w.Completion = ratios(with, alone, func(r *measure.Run) float64 { return meanCompletion(r, "") })
	for _, u := range Users {
		if meanCompletion(&alone.Real[0].Run, u.Account) > 0 {
			w.ByAccount = append(w.ByAccount, AccountWorth{u.Account, ratios(with, alone, func(r *measure.Run) float64 { return meanCompletion(r, u.Account) })})
		}
	}
	return w
}

// ratios are those of the means over runs of a figure.
func ratios(with, alone *Comparison, figure func(*measure.Run) float64) Ratios {
	a, b := Row{}, Row{}
	with.addRuns(&a, figure)
	alone.addRuns(&b, figure)
	return Ratios{Real: a.RealMean() / b.RealMean(), Simulated: a.SimulatedMean() / b.SimulatedMean()}
}

// meanCompletion is the mean time from submission to end, in seconds, of an account's jobs, ""
// for all; 0: it has none.
func meanCompletion(r *measure.Run, account string) float64 {
	sum, count := 0.0, 0
	for i := range r.JobOutcomes {
		if o := &r.JobOutcomes[i]; account == "" || o.Account == account {
			sum += o.Finish - o.Arrive
			count++
		}
	}
	return sum / float64(max(count, 1))
}

// writeWorth writes what fairbridge is worth, real and simulated, of all jobs and by account.
func writeWorth(b *bytes.Buffer, all []Comparison) {
	worths := Worths(all)
	b.WriteString("\n## What fairbridge is worth, real and simulated\n\nMeans with fairbridge to those of Slurm alone, on the same stream and release: real / simulated.\n\n" +
		"| stream, arm | real runs | mean wait | mean completion |\n|---|---|---|---|\n")
	for i := range worths {
		w := &worths[i]
		fmt.Fprintf(b, "| %s | %d and %d | %s | %s |\n", w.title(), len(w.With.Real), len(w.Alone.Real), w.Wait, w.Completion)
	}
	fmt.Fprintf(b, "\nMean completion of each account's jobs; in bold where one says better and the other worse, by more than %.0f %%:\n\n| stream, arm |", 100*unmoved)
	rule := "|---|"
	for _, u := range Users {
		fmt.Fprintf(b, " %s (%g) |", u.Account, u.Shares)
		rule += "---|"
	}
	b.WriteString("\n" + rule + "\n")
	for i := range worths {
		fmt.Fprintf(b, "| %s |", worths[i].title())
		for _, u := range Users {
			b.WriteString(" " + worths[i].formatAccount(u.Account) + " |")
		}
		b.WriteString("\n")
	}
}

func (w *Worth) title() string {
	return fmt.Sprintf("%s, %s, Slurm %s", w.With.Stream.Name, w.With.Arm, w.With.Release)
}

func (w *Worth) formatAccount(name string) string {
	i := slices.IndexFunc(w.ByAccount, func(a AccountWorth) bool { return a.Account == name })
	switch {
	case i < 0:
		return "–"
	case !w.ByAccount[i].SameSign():
		return "**" + w.ByAccount[i].String() + "**"
	}
	return w.ByAccount[i].String()
}

// String is real / simulated.
func (r Ratios) String() string { return fmt.Sprintf("%.2f / %.2f", r.Real, r.Simulated) }
