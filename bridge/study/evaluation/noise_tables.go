package evaluation

import (
	"bytes"
	"fmt"
	"slices"

	"fairbridge/bridge/study"
	"fairbridge/bridge/study/evaluation/targets"
)

// toldFigures are what stands in a row beside mean completion.
var toldFigures = []*targets.Figure{targets.LongestWaits, targets.NodeGangs, targets.WorstBelowShare, targets.WorseSeeds}

// toldCell is the table of one setting, with a row for each policy and each thing it is told.
type toldCell struct {
	study.Setting
	bound, chance    toldRow
	rows             []toldRow
	leastRatioBySeed map[int64]float64 // of mean completion, of all rows
}

// toldRow is one policy that is told one thing.
type toldRow struct {
	policy, told string
	completion   targets.Value
	others       []targets.Value // of toldFigures; nil: it has none
}

// noiseWriter writes a table for each setting.
type noiseWriter struct{ cells []*toldCell }

func newNoiseWriter() sectionWriter { return &noiseWriter{} }

// add implements sectionWriter.
func (n *noiseWriter) add(w *comparedWorkload, b *study.PairedBlock) {
	c := n.cellOf(b)
	if c.chance.policy == "" {
		c.chance = newToldRow(b, chanceLabel, "–")
		c.bound = toldRow{policy: "lower bound", told: "–", completion: targets.LeastCompletion.Measure(b, "")}
	}
	for i := range b.Comparisons {
		of := &b.Comparisons[i]
		if of.PolicyLabel == chanceLabel || !hasEveryDay(b, len(of.Pairs)) {
			continue
		}
		c.rows = append(c.rows, newToldRow(b, of.PolicyLabel, w.told.String()))
		k := b.Set.FigureIndex("mean_completion_s")
		for _, p := range of.Pairs {
			if least, ok := c.leastRatioBySeed[p.Seed]; !ok || p.Ratios[k] < least {
				c.leastRatioBySeed[p.Seed] = p.Ratios[k]
			}
		}
	}
}

// hasEveryDay reports whether a row has as many days as there are of Slurm alone. One of other days says
// nothing beside the rest: days differ by more than policies do.
func hasEveryDay(b *study.PairedBlock, dayCount int) bool {
	return dayCount > 0 && dayCount == len(b.Baseline.Pairs)
}

// cellOf returns the cell of a setting, a new one where there is none.
func (n *noiseWriter) cellOf(b *study.PairedBlock) *toldCell {
	i := slices.IndexFunc(n.cells, func(c *toldCell) bool {
		return c.OfferedLoad == b.OfferedLoad && *c.StoppableShare == *b.StoppableShare
	})
	if i >= 0 {
		return n.cells[i]
	}
	c := &toldCell{Setting: b.Setting, leastRatioBySeed: map[int64]float64{}}
	n.cells = append(n.cells, c)
	return c
}

func newToldRow(b *study.PairedBlock, label, told string) toldRow {
	r := toldRow{policy: label, told: told, completion: targets.MeanCompletion.Measure(b, label)}
	for _, f := range toldFigures {
		r.others = append(r.others, f.Measure(b, label))
	}
	return r
}

// write implements sectionWriter.
func (n *noiseWriter) write(page *bytes.Buffer) {
	for _, c := range n.cells {
		c.write(page)
	}
}

// write writes the table of a setting: bounds first, then the policies one after the other.
func (c *toldCell) write(page *bytes.Buffer) {
	fmt.Fprintf(page, "\n### With wrong predictions: %s\n\n%s\n\n", c.Setting, c.describeTarget())
	head := []string{"Policy", "Told", "Seeds", "Mean completion", "quartiles; geometric mean"}
	for _, f := range toldFigures {
		head = append(head, f.Title)
	}
	writeHeader(page, head...)
	least := make([]float64, 0, len(c.leastRatioBySeed))
	for _, ratio := range c.leastRatioBySeed {
		least = append(least, ratio)
	}
	rows := []toldRow{c.bound, {policy: "the best below, day by day", told: "–", completion: targets.MeanCompletion.ValueOf(least)}, c.chance}
	for _, isJudged := range []bool{true, false} {
		for _, r := range c.rows {
			if (r.policy == judgedPolicy) == isJudged {
				rows = append(rows, r)
			}
		}
	}
	for _, r := range rows {
		r.write(page)
	}
}

// describeTarget says what is wanted there.
func (c *toldCell) describeTarget() string {
	most, ok := targets.MostWanted(targets.Days, targets.MeanCompletion, c.OfferedLoad, *c.StoppableShare)
	if !ok {
		return "Nothing is wanted of mean completion here."
	}
	return fmt.Sprintf("Wanted of mean completion under `%s`: %s.", judgedPolicy, targets.MeanCompletion.FormatWanted(most))
}

// write writes the row.
func (r *toldRow) write(page *bytes.Buffer) {
	cells := []string{r.policy, r.told, fmt.Sprint(r.completion.SeedCount), r.completion.String(), r.completion.FormatSpread()}
	for i := range toldFigures {
		text := ""
		if r.others != nil {
			text = r.others[i].String()
		}
		cells = append(cells, text)
	}
	writeRow(page, cells...)
}
