package sites

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"

	"fairbridge/replica/paired"
)

// column is a figure of the page's tables.
type column struct{ head, key string }

// overviewColumns are those of the table of all rows, startColumns tell what plans wanted of the jobs that started, and
// classColumns are slowdowns by size of job and by account.
var (
	overviewColumns = []column{
		{"mean wait", "mean_wait_s"}, {"slowdown", "mean_slowdown"}, {"95 % wait", "p95_wait_s"},
		{"95 % slowdown", "p95_slowdown"}, {"longest wait", "longest_wait_s"}, {"completion", "mean_completion_s"},
		{"> 8 GPUs, slowdown", "slowdown_gpus_from_9"}, {"idle while a job fits", "fillable_idle_share"}, {"planned", "starts_planned"},
		{"writes", "writes"},
	}
	startColumns = []column{
		{"planned", "starts_planned"}, {"waited for room", "starts_no_room"}, {"held back", "starts_held_back"},
		{"unseen", "starts_unseen"}, {"first in line", "starts_in_order"}, {"by backfill", "starts_backfilled"},
		{"past a gang", "starts_past_gang"}, {"delayed a gang", "starts_delaying"},
	}
	classColumns = []column{
		{"1 GPU", "slowdown_gpus_1"}, {"2–4", "slowdown_gpus_2_to_4"}, {"5–8", "slowdown_gpus_5_to_8"},
		{"> 8", "slowdown_gpus_from_9"}, {"worst account below its share", "worst_below_share_slowdown"},
		{"accounts that used < half their share", "slowdown_use_below_half"}, {"half to all", "slowdown_use_half_to_1"},
		{"up to twice", "slowdown_use_1_to_2"}, {"twice and more", "slowdown_use_from_2"},
	}
)

const pageHead = `# Real sites

Jobs of real sites under policies, through fairbridge's loop and the simulated Slurm, beside Slurm alone on the same
jobs. No owner lets a job be stopped, no job reports, limits are those that users asked for. Written by

` + "```sh" + `
go run ./cmd/evaluation -logs DIR -sites %s
` + "```" + `

The windows stand in [site-windows.tsv](site-windows.tsv): %d jobs each, at an offered load of %g to %g, evenly spread over
the log. They were chosen before any policy ran on them. A machine of more than %d processors is %d GPUs of several
processors each, in nodes of %d; a job's GPUs are rounded up. Where a log has fewer than %d such windows (%s), the times
between arrivals are scaled to load %g. A window begins with an empty machine; policies have learnt from up to 2,000 jobs
before it. Slurm has Fair Tree with equal shares. "Slurm alone" is the better, by mean wait, of two: backfill looks a
day ahead, or to the longest limit. Its other setting, and itself with arrivals up to %d s later, stand beside.

Ratios are to Slurm alone: geometric means over the windows of a site, then over the sites, ± standard error over
the sites. Below 1 is better. Slowdown is bounded (10 s). All figures by site: [site-figures.tsv](site-figures.tsv); who
loses: [site-losers.tsv](site-losers.tsv).
`

const startsHead = `
## How far plans reach Slurm

Of the first starts of jobs, by what the last plan before wanted of the job: *planned*, to start; *waited for room*, to
wait, so that no hold was placed; *held back*, to wait though there was room; *unseen*, nothing, as no cycle saw the job.
Of those not planned: of the *first in line* of the jobs that still waited, *by backfill* (the others by a main pass),
*past a gang* (while the plan's first job of a node or more waited ahead), and such as *delayed a gang*: that job would
have had its nodes earlier without this start, as the running jobs ended in truth.

`

// WritePage writes the page about the sites. The first policy is shown by site and by size of jobs too.
func WritePage(to io.Writer, all []*SiteResult, rows []Row) error {
	page, set := &strings.Builder{}, figureSet()
	var scaled, policies []string
	for _, row := range rows {
		if row.Policy != SlurmAlone && !row.KnowsTruth {
			policies = append(policies, row.Policy)
		}
	}
	for _, r := range all {
		if r.Windows[0].IsScaled {
			scaled = append(scaled, r.Name)
		}
	}
	fmt.Fprintf(page, pageHead, strings.Join(policies, ","), WindowJobs, LeastLoad, MostLoad,
		MaxGPUs, MaxGPUs, GPUsPerNode, WindowCount,
		cmp.Or(strings.Join(scaled, ", "), "none here"), ScaledLoad, jitterSeconds)
	fmt.Fprintf(page, "\n## All sites\n\n")
	writeHead(page, "row", overviewColumns)
	for _, row := range rows {
		writeCells(page, row.Label(), set, overSites(set, all, row), overviewColumns)
	}
	page.WriteString(startsHead)
	writeHead(page, "row", startColumns)
	for _, row := range rows {
		if row.Policy != SlurmAlone {
			writeCells(page, row.Label(), set, overSites(set, all, row), startColumns)
		}
	}
	first := Row{Policy: policies[0]}
	for _, table := range []struct {
		title   string
		columns []column
	}{{"by site", overviewColumns}, {"by size of job and by account, slowdown", classColumns}} {
		fmt.Fprintf(page, "\n## `%s` %s\n\n", first.Label(), table.title)
		writeHead(page, "site", table.columns)
		for _, r := range all {
			writeCells(page, r.Name, set, r.cellsOf(set, first), table.columns)
		}
		writeCells(page, "**all**", set, overSites(set, all, first), table.columns)
		chance := Row{Policy: SlurmAlone, IsJittered: true}
		writeCells(page, chance.Label(), set, overSites(set, all, chance), table.columns)
	}
	fmt.Fprintf(page, "\n## Who loses under `%s`\n\nBy more than 5 %%: windows (seeds, in the order of the list) by their "+
		"mean completion, sizes and accounts by their slowdown.\n\n", first.Label())
	for _, r := range all {
		fmt.Fprintf(page, "* %s: %s\n", r.Name, r.losersOf(set, first))
	}
	_, err := io.WriteString(to, page.String())
	return err
}

func writeHead(page *strings.Builder, first string, columns []column) {
	line := "|---"
	page.WriteString("| " + first)
	for _, c := range columns {
		page.WriteString(" | " + c.head)
		line += "|---"
	}
	page.WriteString(" |\n" + line + "|\n")
}

func writeCells(page *strings.Builder, label string, set *paired.Set, cells []cell, columns []column) {
	page.WriteString("| " + label)
	for _, c := range columns {
		i := set.FigureIndex(c.key)
		page.WriteString(" | " + cells[i].format(set.Figures[i]))
	}
	page.WriteString(" |\n")
}

// format prints a cell: ".84 ± .06" of ratios, "20 %" of shares; – where there is none.
func (c cell) format(f *paired.Figure) string {
	switch {
	case math.IsNaN(c.value):
		return "–"
	case !f.IsRatio:
		return f.FormatValues(paired.Spread{Median: c.value, Least: c.value, Greatest: c.value})
	case c.standardError == 0:
		return paired.FormatRatio(c.value)
	}
	return paired.FormatRatio(c.value) + " ± " + paired.FormatRatio(c.standardError)
}
