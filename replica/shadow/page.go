package shadow

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"fairbridge/accounting/chart"
	"fairbridge/policy"
	"fairbridge/replica/paired"
)

// Table is a part of the report as text.
type Table struct {
	ID, Title, About string
	ColumnHeads      []string
	Rows             [][]string
	IsText           bool // its columns are words, not numbers
}

// NewSection returns the table as a part of a page on several partitions.
func (t *Table) NewSection(partition string) chart.Section {
	return chart.Section{ID: partition + "-" + t.ID, Title: "Partition " + partition + ": " + strings.ToLower(t.Title[:1]) + t.Title[1:], About: t.About, ColumnHeads: t.ColumnHeads, Rows: t.Rows}
}

// Tables are the parts of the report, in order. Those without rows are left out.
func (r *Report) Tables() []Table {
	all := []Table{
		newGroupTable("all", "All jobs", "Waits are means: all the time from arrival to the end in which a job did no work. WAS is what happened, ERROR how far the simulation of what was done ("+r.DecidedThen+") is off it, ALONE and PLAN what is simulated of Slurm alone and with the plan. A change that is not larger than ± cannot be told. EARLIER and LATER count the jobs whose start moved by more than a minute, and more than by chance.", []Group{r.All}, func(*Group) string { return "all" }),
		newGroupTable("accounts", "By account", "", r.Accounts, func(g *Group) string { return g.Account }),
		newGroupTable("sizes", "By size", "", r.Sizes, func(g *Group) string { return g.Size }),
		newGroupTable("account-sizes", "By account and size", "", r.AccountSizes, func(g *Group) string { return g.Account + ", " + g.Size }),
		newGroupTable("losers", "Who would wait longer", "Classes of jobs (user, name, GPUs), the most time lost in all first. Most are too few for a claim.", r.Losers, func(g *Group) string { return g.Account + ": " + g.Class }),
		r.newRatioTable(), r.newCostTable(), r.newRemarkTable(),
	}
	var shown []Table
	for _, t := range all {
		if len(t.Rows) > 0 {
			shown = append(shown, t)
		}
	}
	return shown
}

func newGroupTable(id, title, about string, groups []Group, name func(*Group) string) Table {
	t := Table{ID: id, Title: title, About: about, ColumnHeads: []string{"Jobs of", "Jobs", "Was", "Error", "Alone", "Plan", "Change", "±", "Earlier", "Later", "Claim"}}
	for i := range groups {
		g := &groups[i]
		t.Rows = append(t.Rows, []string{
			name(g), strconv.Itoa(g.JobCount), formatSeconds(g.RealWait), formatSigned(g.OwnError), formatSeconds(g.AloneWait), formatSeconds(g.PlanWait),
			formatSigned(-g.Gain), formatSeconds(g.Band), strconv.Itoa(g.EarlierCount), strconv.Itoa(g.LaterCount), string(g.Claim),
		})
	}
	return t
}

func (r *Report) newRatioTable() Table {
	t := Table{
		ID: "ratios", Title: "The plan over Slurm alone", About: "Both simulated, seed by seed; below 1 is better.",
		ColumnHeads: []string{"Figure", "Median", "Least", "Greatest"},
	}
	for _, x := range r.Ratios {
		t.Rows = append(t.Rows, []string{x.Title, paired.FormatRatio(x.Median), paired.FormatRatio(x.Least), paired.FormatRatio(x.Greatest)})
	}
	return t
}

func (r *Report) newCostTable() Table {
	t := Table{ID: "costs", Title: "What the plan would have done to Slurm", About: "In all the time; the median of the seeds, the least and the greatest.", ColumnHeads: []string{"What", "Median", "Least", "Greatest"}}
	for _, x := range []struct {
		name string
		Range
		digits int
	}{{"Stops of running jobs", r.Stops, 0}, {"GPU-hours lost by them", r.Lost, 1}, {"Writes to Slurm", r.Writes, 0}} {
		row := []string{x.name}
		for _, v := range []float64{x.Median, x.Least, x.Greatest} {
			row = append(row, strconv.FormatFloat(v, 'f', x.digits, 64))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (r *Report) newRemarkTable() Table {
	t := Table{ID: "not-simulated", Title: "What is not simulated", About: "What the record does not know is in no figure: cores and memory, licences, limits of QOS and accounts, whether people would have submitted otherwise.", ColumnHeads: []string{"Left out or assumed"}, IsText: true}
	for _, s := range r.Remarks {
		t.Rows = append(t.Rows, []string{s})
	}
	return t
}

// Heading says what the report is of.
func (r *Report) Heading() string {
	return fmt.Sprintf("Partition %s, %s to %s: %s on %s", r.Partition, r.Since.UTC().Format("2006-01-02 15:04"), r.Until.UTC().Format("2006-01-02 15:04"), policy.FormatCount(r.All.JobCount, "job"), policy.FormatCount(r.ClusterGPUs, "GPU"))
}

// DescribePlan says what the plan is and how it was tried.
func (r *Report) DescribePlan() string {
	return fmt.Sprintf("The plan: policy %s, mode %s, as configured otherwise; %s with other phases of Slurm's periodic work and arrivals moved by up to half a minute; run times learnt from %s before, and on the way.",
		r.Policy, r.Mode, policy.FormatCount(r.SeedCount, "run"), policy.FormatCount(r.LearntJobs, "job"))
}

// WritePage writes reports, one for each partition, as one HTML file. made says by what.
func WritePage(w io.Writer, cluster string, reports []*Report, made string) error {
	page := chart.ReportPage{Title: "Shadow report of cluster " + cluster, Footer: made}
	for _, r := range reports {
		page.About = append(page.About, r.Heading()+". "+r.Summarize()+" "+r.DescribePlan())
		for _, t := range r.Tables() {
			s := t.NewSection(r.Partition)
			if t.ID == "accounts" {
				s.Drawing = drawWaits(r.Accounts)
			}
			page.Sections = append(page.Sections, s)
		}
	}
	return chart.WriteReportPage(w, page)
}

// drawWaits draws the mean waits of accounts.
func drawWaits(groups []Group) chart.Drawing {
	d := chart.Drawing{XLabel: "mean wait, minutes", BarKeys: []string{"was", "Slurm alone, simulated", "with the plan, simulated"}}
	for i := range groups {
		g := &groups[i]
		row := chart.BarRow{Label: g.Account}
		for _, v := range []float64{g.RealWait, g.AloneWait, g.PlanWait} {
			row.Values = append(row.Values, math.Round(v/time.Minute.Seconds()*10)/10)
		}
		d.Bars = append(d.Bars, row)
	}
	return d
}
