package evaluation

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"fairbridge/bridge"
	"fairbridge/lab/elasticgain"
	"fairbridge/replica/paired"
	"fairbridge/replica/study"
)

// SizesOptions say how sizes are measured beside Slurm alone.
type SizesOptions struct {
	Parallel int  // runs at a time
	IsQuick  bool // one short run of each, to try it
	// ReportProgress is told how far it is.
	ReportProgress func(what string)
}

// sizesTitle is the heading of the section that WriteSizes writes.
const sizesTitle = "## Sizes beside Slurm alone\n"

//go:embed sizes.md
var sizesText string

// sizesPolicies are the policies that decide sizes there.
var sizesPolicies = []string{"fairbridge", "afs", "pollux", "elasticflow"}

// WriteSizes makes the runs and writes the section of the page that says what declared ranges are
// worth through the whole loop; the rest of the page stays.
func WriteSizes(ctx context.Context, path string, o SizesOptions) error {
	page, err := readPage(path)
	if err != nil {
		return err
	}
	of := elasticgain.Options{
		Draw: drawSizesDay(.25), Seeds: 5, ElasticShares: []float64{.1, .3, 1}, StoppableShares: []float64{0, .5},
		Policies: sizesPolicies, Parallel: o.Parallel,
	}
	if o.IsQuick {
		of.Draw, of.Seeds, of.ElasticShares, of.StoppableShares = drawSizesDay(.02), 1, []float64{1}, []float64{1}
	}
	section := bytes.NewBufferString(sizesTitle)
	fmt.Fprintf(section, sizesText, seedCountText(of.Seeds))
	of.OnCell = func(c *elasticgain.Cell) {
		from := section.Len()
		fmt.Fprintf(section, "\n### %g %% declare a range, %s may be stopped\n\n", 100*c.ElasticShare, shareName(c.StoppableShare))
		writeSizesCell(section, c)
		o.ReportProgress(section.String()[from:])
	}
	if err := elasticgain.Measure(ctx, of); err != nil {
		return err
	}
	return saveSection(path, page, sizesTitle, section.String())
}

// drawSizesDay lets each seed draw a part of a day at load 1.5.
func drawSizesDay(dayCount float64) func(seed int64) (*study.Scenario, error) {
	draw := drawDays(dayCount)
	return func(seed int64) (*study.Scenario, error) { return draw(1.5, seed) }
}

// writeSizesCell writes the table of one cell, and who loses.
func writeSizesCell(section *bytes.Buffer, c *elasticgain.Cell) {
	writeHeader(section, "Policy", "Mode", "Mean completion, all", "Declared a range", "Declared none", "Mean slowdown, declared none", "Declared none, beside mode preempt", "Stops", "GPU-hours lost")
	var losers []string
	for i := range c.Variants {
		v := &c.Variants[i]
		all, rigid := c.AgainstSlurm(v, elasticgain.AllJobs), c.AgainstSlurm(v, elasticgain.RigidJobs)
		elastic, beside := c.AgainstSlurm(v, elasticgain.ElasticJobs), "–"
		if v.Mode == bridge.ModeElastic {
			x := c.AgainstPreempt(v, elasticgain.RigidJobs)
			beside = sizesFigure(c, &x, "mean_completion_s")
			losers = append(losers, sizesLosers(c, v)...)
		}
		writeRow(section, v.PolicyName, string(v.Mode), sizesFigure(c, &all, "mean_completion_s"), sizesFigure(c, &elastic, "mean_completion_s"),
			sizesFigure(c, &rigid, "mean_completion_s"), sizesFigure(c, &rigid, "mean_slowdown"), beside, sizesFigure(c, &all, "stops"), sizesFigure(c, &all, "lost_gpu_hours"))
	}
	fmt.Fprintf(section, "\nWorse off by more than 5 %%: %s.\n", strings.Join(losers, ". "))
}

// sizesFigure is a figure's spread in a cell; – where no seed has such jobs.
func sizesFigure(c *elasticgain.Cell, x *paired.Comparison, key string) string {
	set := c.Figures()
	k := set.FigureIndex(key)
	if x.Spreads[k].SeedCount == 0 {
		return "–"
	}
	return set.Figures[k].FormatSpread(x.Spreads[k])
}

// sizesLosers says who is worse off than under Slurm alone, and who that declared nothing is worse
// off by the ranges of others.
func sizesLosers(c *elasticgain.Cell, v *elasticgain.Variant) []string {
	all, beside := c.AgainstSlurm(v, elasticgain.AllJobs), c.AgainstPreempt(v, elasticgain.RigidJobs)
	texts := []string{c.Figures().DescribeLosers(&all), c.Figures().DescribeLosers(&beside)}
	if !slices.ContainsFunc(texts, func(t string) bool { return t != "" }) {
		return []string{fmt.Sprintf("`%s`: none", v.PolicyName)}
	}
	for i := range texts {
		if texts[i] == "" {
			texts[i] = "none"
		}
	}
	return []string{fmt.Sprintf("`%s`, against Slurm alone: %s; of those that declared none, against mode preempt: %s", v.PolicyName, texts[0], texts[1])}
}
