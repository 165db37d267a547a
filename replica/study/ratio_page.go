package study

import (
	"fmt"

	"fairbridge/accounting/chart"
	"fairbridge/replica/paired"
)

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
