package study

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fairbridge/accounting/chart"
	"fairbridge/replica/cluster"
	"fairbridge/replica/measure"
	"fairbridge/replica/paired"
)

// Setting is what differs from one experiment of a sweep to the next. The zero Setting says
// nothing.
type Setting struct {
	OfferedLoad    float64  // that jobs were drawn with; 0: the kind's own, or that of the trace
	StoppableShare *float64 // of jobs that may be stopped; nil: as the workload says
}

// String says it in words: "load 1.5, half of the jobs may be stopped"; "" where there is
// nothing to say.
func (s Setting) String() string {
	var parts []string
	if s.OfferedLoad > 0 {
		parts = append(parts, fmt.Sprintf("load %g", s.OfferedLoad))
	}
	if s.StoppableShare != nil {
		switch share := *s.StoppableShare; share {
		case 0:
			parts = append(parts, "no job may be stopped")
		case 0.5:
			parts = append(parts, "half of the jobs may be stopped")
		case 1:
			parts = append(parts, "all jobs may be stopped")
		default:
			parts = append(parts, fmt.Sprintf("%g %% of the jobs may be stopped", 100*share))
		}
	}
	return strings.Join(parts, ", ")
}

// Block is one experiment of a sweep, and what came of it.
type Block struct {
	Setting
	*Experiment
	Results []Result // nil: not begun
}

// Run runs the experiment; see Experiment.Run. What came of it until the context ended is kept.
func (b *Block) Run(ctx context.Context, parallel int, progress func(run int, label string, done, of int)) error {
	var err error
	b.Results, err = b.Experiment.Run(ctx, parallel, progress)
	return err
}

// PairedBlock is a block beside its baseline.
type PairedBlock struct {
	*Block
	Set         *paired.Set
	Baseline    paired.Comparison
	Comparisons []paired.Comparison // of the other policies, in their order
	Errs        []error             // by comparison: why seeds are missing; nil: none are
}

// PairWith compares each policy with the baseline, seed by seed, on the seeds both are through
// with.
func (b *Block) PairWith(baseline string) (*PairedBlock, error) {
	base := slices.IndexFunc(b.Results, func(r Result) bool { return r.Label == baseline })
	if base < 0 {
		return nil, fmt.Errorf("comparing with policy %s: it was not run", baseline)
	}
	p := &PairedBlock{Block: b, Set: paired.NewSet(cluster.MaxGPUsPerNode(b.Scenarios[0].Nodes), b.accountWeightsBySeed())}
	of := b.Results[base].Ended
	p.Baseline = p.Set.Compare(baseline, of, of)
	for i := range b.Results {
		if r := &b.Results[i]; i != base {
			p.Comparisons = append(p.Comparisons, p.Set.Compare(r.Label, r.Ended, of))
			p.Errs = append(p.Errs, firstError(r.Err, b.Results[base].Err))
		}
	}
	return p, nil
}

// accountWeightsBySeed are the accounts' weights on each scenario.
func (e *Experiment) accountWeightsBySeed() map[int64]map[string]float64 {
	all := map[int64]map[string]float64{}
	for i, s := range e.Scenarios {
		weights := map[string]float64{}
		for _, a := range s.Accounts {
			weights[a.Name] = s.AccountWeight(a.Name)
		}
		all[e.optionsOf(i).Seed] = weights
	}
	return all
}

// DropJobs forgets what became of each job, where only what was summed up of it is wanted:
// a long sweep has many.
func (b *Block) DropJobs() {
	for i := range b.Results {
		r := &b.Results[i]
		for _, runs := range [][]*measure.Run{r.Runs, r.Ended} {
			for _, run := range runs {
				run.JobOutcomes, run.Samples = nil, nil
			}
		}
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// NewRatioPage is the blocks of a sweep as a page, without its last line: of each a table of
// all figures, and each ratio drawn, a dot a seed. The sentences come below its title.
func NewRatioPage(blocks []*PairedBlock, about ...string) chart.ReportPage {
	p := chart.ReportPage{Title: fmt.Sprintf("Policies against %s on the same jobs", blocks[0].Baseline.PolicyLabel), About: about}
	for i, b := range blocks {
		p.Sections = append(p.Sections, b.newSection(fmt.Sprintf("b%d", i)))
		for k, f := range b.Set.Figures {
			if f.IsRatio {
				p.Sections = append(p.Sections, b.newFigureSection(fmt.Sprintf("b%d-f%d", i, k), k))
			}
		}
	}
	return p
}

// titled is a title, behind it the block's setting.
func (b *PairedBlock) titled(title string) string {
	if text := b.Setting.String(); text != "" {
		return title + " – " + text
	}
	return title
}

// newSection is the block's table.
func (b *PairedBlock) newSection(id string) chart.Section {
	s := chart.Section{
		ID: id, Title: b.titled("All figures"), ColumnHeads: []string{"Policy", "Seeds"},
		About: fmt.Sprintf("The first row is %s itself. Below it stand the ratios to it on the same jobs (median, least–greatest, seeds better:worse), and in the last columns the figures themselves.", b.Baseline.PolicyLabel),
	}
	base := []string{b.Baseline.PolicyLabel, fmt.Sprint(len(b.Baseline.Pairs))}
	for i, spread := range b.Set.ValueSpreads(&b.Baseline) {
		f := b.Set.Figures[i]
		s.ColumnHeads, base = append(s.ColumnHeads, f.Title), append(base, f.FormatValues(spread))
	}
	s.ColumnHeads = append(s.ColumnHeads, "Worse off by more than 5 %")
	s.Rows = append(s.Rows, append(base, ""))
	for i := range b.Comparisons {
		c := &b.Comparisons[i]
		row := []string{c.PolicyLabel, fmt.Sprint(len(c.Pairs))}
		for k, f := range b.Set.Figures {
			row = append(row, f.FormatSpread(c.Spreads[k]))
		}
		s.Rows = append(s.Rows, append(row, b.Set.DescribeLosers(c)))
		if err := b.Errs[i]; err != nil {
			s.About += fmt.Sprintf(" %s did not end on every seed: %v.", c.PolicyLabel, err)
		}
	}
	return s
}

// newFigureSection is one ratio, drawn.
func (b *PairedBlock) newFigureSection(id string, index int) chart.Section {
	f := b.Set.Figures[index]
	s := chart.Section{
		ID: id, Title: b.titled(f.Title), About: "A dot is a seed, the mark the median; left of 1 a policy is better than " + b.Baseline.PolicyLabel + ".",
		ColumnHeads: []string{"Policy", "Median", "Least", "Greatest", "Seeds better", "Seeds worse"},
		Drawing:     chart.Drawing{XLabel: "ratio to " + b.Baseline.PolicyLabel + ", logarithmic"},
	}
	for i := range b.Comparisons {
		c := &b.Comparisons[i]
		row := chart.DotRow{Label: c.PolicyLabel}
		for k := range c.Pairs {
			row.Values = append(row.Values, c.Pairs[k].Ratios[index])
		}
		x := c.Spreads[index]
		s.Drawing.Dots = append(s.Drawing.Dots, row)
		s.Rows = append(s.Rows, []string{c.PolicyLabel, paired.FormatRatio(x.Median), paired.FormatRatio(x.Least), paired.FormatRatio(x.Greatest), fmt.Sprint(x.BetterCount), fmt.Sprint(x.WorseCount)})
	}
	return s
}
