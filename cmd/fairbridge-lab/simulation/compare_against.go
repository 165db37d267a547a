package simulation

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/trial"
	"fairbridge/replica/paired"
	"fairbridge/replica/study"
)

// printRatios prints a block: the baseline's own figures, and below them each policy's ratios
// to them.
func printRatios(w io.Writer, b *study.PairedBlock) {
	printable.Fprintln(w, trial.DescribeExperiment(b.Experiment))
	trial.PrintInformation(w, b.Experiment)
	for g := range paired.GroupCount {
		printable.Fprintf(w, "\n")
		printRatioGroup(w, b, g)
	}
	printLosers(w, b)
	printable.Fprintf(w, "\n")
}

// printRatioGroup prints the figures that belong together.
func printRatioGroup(w io.Writer, b *study.PairedBlock, g paired.Group) {
	head, base := []any{"POLICY"}, []any{b.Baseline.PolicyLabel}
	values := b.Set.ValueSpreads(&b.Baseline)
	for i, f := range b.Set.Figures {
		if f.Group == g {
			head, base = append(head, f.ColumnHead), append(base, f.FormatValues(values[i]))
		}
	}
	t := trial.NewNumberTable(w, head...)
	t.AddRow(base...)
	for k := range b.Comparisons {
		if isUnended(b, k) {
			continue
		}
		row := []any{b.Comparisons[k].PolicyLabel}
		for i, f := range b.Set.Figures {
			if f.Group == g {
				row = append(row, f.FormatSpread(b.Comparisons[k].Spreads[i]))
			}
		}
		t.AddRow(row...)
	}
	t.Print()
}

// printLosers says of each policy who is worse off, and what failed.
func printLosers(w io.Writer, b *study.PairedBlock) {
	printable.Fprintf(w, "\nWorse off than under %s by more than 5 %%:\n", b.Baseline.PolicyLabel)
	var unended []string
	for i := range b.Comparisons {
		c := &b.Comparisons[i]
		switch err := b.Errs[i]; {
		case isUnended(b, i):
			unended = append(unended, c.PolicyLabel)
			continue
		case err != nil && !errors.Is(err, study.ErrInterrupted):
			output.WriteParagraph(w, "  "+c.PolicyLabel+": ", fmt.Sprintf("failed: %v", err))
		}
		if len(c.Pairs) > 0 {
			output.WriteParagraph(w, "  "+c.PolicyLabel+": ", describeLosers(b, c))
		}
	}
	if len(unended) > 0 {
		output.WriteParagraph(w, "", "Interrupted before the first seed had ended: "+strings.Join(unended, ", "))
	}
}

// describeLosers says who is worse off under a policy, and of how many seeds that is.
func describeLosers(b *study.PairedBlock, c *paired.Comparison) string {
	text := cmp.Or(b.Set.DescribeLosers(c), "none")
	if n := len(b.Scenarios); len(c.Pairs) < n {
		text += fmt.Sprintf(" (%d of %d seeds)", len(c.Pairs), n)
	}
	return text
}

// isUnended reports whether nothing can be said of a policy because the runs were interrupted.
func isUnended(b *study.PairedBlock, i int) bool {
	return len(b.Comparisons[i].Pairs) == 0 && (b.Errs[i] == nil || errors.Is(b.Errs[i], study.ErrInterrupted))
}

// ratiosLegend explains the tables.
func ratiosLegend(baseline string) string {
	return `The row of ` + baseline + ` is in seconds and plain numbers. Below it stand ratios to it on the same jobs, less is
better: median, least–greatest, and on how many seeds the policy is better:worse. MKSP>LB to
WRITES are the figures themselves. WAIT: all time without GPUs from arrival to end;
COMPLETION: from arrival to end, in the mean; SLOWDOWN: that over run time (of 10 s at least),
of all, by GPUs (GANGS: of several), of the account that comes off worst, which chance alone
puts above 1, and of the worst BELOW its SHARE of the GPU time; MKSP>LB, COMPL>LB: makespan and
mean completion above what no schedule can fall below; IDLE: GPU time idle while jobs wait that
would fit; LACKED: GPU time due to accounts by weight that they did not get; LOST: GPU-hours;
WRITES: to Slurm.`
}

// ratioLine is what --json prints of a policy of a block.
type ratioLine struct {
	Policy  string `json:"policy"`
	Against string `json:"against"`
	Trace   string `json:"trace"`
	Jobs    int    `json:"jobs"` // of the first seed
	trial.Knowledge
	Noise       float64                `json:"noise"`
	OfferedLoad float64                `json:"load,omitempty"`
	OptedIn     *float64               `json:"opted_in,omitempty"`
	SeedsAsked  int                    `json:"seeds_asked"`
	SeedsEnded  int                    `json:"seeds"`
	Error       string                 `json:"error,omitempty"`
	Values      map[string]ratioSpread `json:"values"`
	Ratios      map[string]ratioSpread `json:"ratios"`
	Runs        []ratioRun             `json:"runs"`
}

// ratioSpread is a figure over the seeds; null where no seed has it.
type ratioSpread struct {
	Median   *float64 `json:"median"`
	Least    *float64 `json:"least"`
	Greatest *float64 `json:"greatest"`
	Seeds    int      `json:"seeds"`
	Better   *int     `json:"better,omitempty"`
	Worse    *int     `json:"worse,omitempty"`
}

// ratioRun is one seed.
type ratioRun struct {
	Seed     int64               `json:"seed"`
	Values   map[string]*float64 `json:"values"`
	Ratios   map[string]*float64 `json:"ratios"`
	Accounts map[string]*float64 `json:"account_slowdown_ratios"`
}

// writeRatioLines prints a line for each policy of a block, the baseline first.
func writeRatioLines(w io.Writer, b *study.PairedBlock) error {
	lines := []ratioLine{newRatioLine(b, &b.Baseline, nil)}
	for i := range b.Comparisons {
		lines = append(lines, newRatioLine(b, &b.Comparisons[i], b.Errs[i]))
	}
	return output.WriteJSONLines(w, lines)
}

func newRatioLine(b *study.PairedBlock, c *paired.Comparison, err error) ratioLine {
	l := ratioLine{
		Policy: c.PolicyLabel, Against: b.Baseline.PolicyLabel, Trace: b.Scenarios[0].Name, Jobs: len(b.Scenarios[0].Jobs), Knowledge: trial.NewKnowledge(b.Experiment), Noise: b.NoiseFactor,
		OfferedLoad: b.OfferedLoad, OptedIn: b.StoppableShare, SeedsAsked: len(b.Scenarios), SeedsEnded: len(c.Pairs),
		Values: map[string]ratioSpread{}, Ratios: map[string]ratioSpread{}, Runs: []ratioRun{},
	}
	if err != nil {
		l.Error = err.Error()
	}
	values := b.Set.ValueSpreads(c)
	for i, f := range b.Set.Figures {
		l.Values[f.Key] = newRatioSpread(values[i])
		if f.IsRatio {
			s := newRatioSpread(c.Spreads[i])
			s.Better, s.Worse = &c.Spreads[i].BetterCount, &c.Spreads[i].WorseCount
			l.Ratios[f.Key] = s
		}
	}
	for i := range c.Pairs {
		l.Runs = append(l.Runs, newRatioRun(b.Set, &c.Pairs[i]))
	}
	return l
}

func newRatioSpread(s paired.Spread) ratioSpread {
	return ratioSpread{Median: finiteOrNil(s.Median), Least: finiteOrNil(s.Least), Greatest: finiteOrNil(s.Greatest), Seeds: s.SeedCount}
}

func newRatioRun(set *paired.Set, p *paired.Pair) ratioRun {
	r := ratioRun{Seed: p.Seed, Values: map[string]*float64{}, Ratios: map[string]*float64{}, Accounts: map[string]*float64{}}
	for i, f := range set.Figures {
		r.Values[f.Key] = finiteOrNil(p.Values[i])
		if f.IsRatio {
			r.Ratios[f.Key] = finiteOrNil(p.Ratios[i])
		}
	}
	for name, v := range p.AccountRatios {
		r.Accounts[name] = finiteOrNil(v)
	}
	return r
}

// finiteOrNil is a number as JSON can hold it.
func finiteOrNil(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
