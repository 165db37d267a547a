package canary

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"fairbridge/accounting/chart"
	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/replica/paired"
	"fairbridge/replica/shadow"
)

// Summarize says the verdict in a sentence or two.
func (r *Report) Summarize() string {
	switch r.Verdict {
	case NotYet:
		return fmt.Sprintf(
			"Not enough days yet: %d of at least %d days of the candidate; the earliest verdict is on %s.",
			r.CandidateDays,
			bridge.LeastCanaryDays,
			r.EarliestVerdict.Format(time.DateOnly),
		)
	case Never:
		return fmt.Sprintf(
			"It cannot be judged: with %s of the candidate so far, there will not be %d in %d weeks that have days of both until its last day, %s. Set canary.until later.",
			policy.FormatCount(
				r.CandidateDays,
				"day",
			),
			bridge.LeastCanaryDays,
			bridge.LeastCanaryWeeks,
			r.Until.Format(time.DateOnly),
		)
	}
	head := map[Verdict]string{
		Better:       "Better: on the candidate's days jobs fared better than on the incumbent's, each day set against Slurm alone",
		Worse:        "Worse: on the candidate's days jobs fared worse than on the incumbent's, each day set against Slurm alone",
		NoDifference: "No difference seen between the candidate's days and the incumbent's, each day set against Slurm alone",
	}[r.Verdict]
	var parts []string
	for i := range r.Figures {
		if f := &r.Figures[i]; f.Verdict == r.Verdict || r.Verdict != NoDifference && f.Verdict != NoDifference {
			parts = append(
				parts,
				fmt.Sprintf(
					"%s × %s (%s to %s, p = %s)",
					strings.ToLower(f.Title[:1])+f.Title[1:],
					paired.FormatRatio(f.Change),
					paired.FormatRatio(f.Least),
					paired.FormatRatio(f.Greatest),
					formatP(f.P),
				),
			)
		}
	}
	text := head + ": " + strings.Join(parts, "; ") + "."
	if !r.IsDrawn {
		text += " Its days were chosen, not drawn: what else is different on those weekdays counts as well, so that p is an indication only."
	}
	return text
}

// Heading says what the report is of.
func (r *Report) Heading() string {
	return fmt.Sprintf(
		"Partition %s: canary %s in place of %s from %s to %s; %s and %s count",
		r.Partition,
		r.Candidate,
		r.Incumbent,
		r.Since.Format(time.DateOnly),
		r.Until.Format(time.DateOnly),
		policy.FormatCount(
			r.CandidateDays,
			"day",
		)+" of the candidate",
		policy.FormatCount(r.IncumbentDays, "day")+" of the incumbent",
	)
}

// DescribeTest says how the days were compared.
func (r *Report) DescribeTest() string {
	if len(r.Figures) == 0 {
		return ""
	}
	text := fmt.Sprintf(
		"Jobs belong to the day on which they were submitted. Each day was simulated %s under Slurm alone, from the jobs that were there at its midnight on. p is the part of all ways to draw as many days of each week in which the change would have been at least as large; it counts once for each of the %s, so a claim takes %.2g.",
		policy.FormatCount(
			r.SeedCount,
			"time",
		),
		policy.FormatCount(len(r.Figures), "figure"),
		bridge.CanarySignificance/float64(len(r.Figures)),
	)
	lost := map[bool]int{}
	for i := range r.Days {
		lost[r.Days[i].IsCandidate] += r.Days[i].LostJobCount
	}
	if lost[true]+lost[false] > 0 {
		text += fmt.Sprintf(
			" In no figure are jobs that wait still, more than a week after their day: %d of the candidate's days, %d of the incumbent's.",
			lost[true],
			lost[false],
		)
	}
	return text
}

func formatP(p float64) string {
	if p < 0.0001 {
		return "<.0001"
	}
	return strings.TrimPrefix(strconv.FormatFloat(p, 'f', max(2, int(math.Ceil(1-math.Log10(p)))), 64), "0")
}

// Tables are the parts of the report, in order. Those without rows are left out.
func (r *Report) Tables() []shadow.Table {
	var shown []shadow.Table
	for _, t := range []shadow.Table{
		r.newFigureTable(), newGroupTable("accounts", "By account", "Mean bounded slowdowns.", r.Accounts), newGroupTable("sizes", "By size", "", r.Sizes),
		newGroupTable("account-sizes", "By account and size", "", r.AccountSizes),
		newGroupTable("losers", "Who fared worse on the candidate's days", "By more than 5 %, the least likely by chance first. Of many groups some look so by chance: of twenty, one has a p of .05.", r.Losers),
		r.newDayTable(), r.newLeftOutTable(),
	} {
		if len(t.Rows) > 0 {
			shown = append(shown, t)
		}
	}
	return shown
}

func (r *Report) newFigureTable() shadow.Table {
	t := shadow.Table{
		ID: "figures", Title: "What the verdict rests on",
		About: "CANDIDATE and INCUMBENT are what was over what Slurm alone would have done, geometric means over their days; below 1 is better. CHANGE is the one over the other within weeks, and lies between LEAST and GREATEST four times of five. ERROR is the simulation of what was done over what was.",
		ColumnHeads: []string{
			"Figure",
			"Candidate",
			"Incumbent",
			"Change",
			"Least",
			"Greatest",
			"p",
			"Error",
			"Verdict",
		},
	}
	for i := range r.Figures {
		f := &r.Figures[i]
		row := append([]string{f.Title}, f.cells()...)
		t.Rows = append(t.Rows, append(row, paired.FormatRatio(f.OwnError), string(f.Verdict)))
	}
	return t
}

// cells are the difference in columns.
func (d *Difference) cells() []string {
	return []string{
		paired.FormatRatio(d.Candidate),
		paired.FormatRatio(d.Incumbent),
		paired.FormatRatio(d.Change),
		paired.FormatRatio(d.Least),
		paired.FormatRatio(d.Greatest),
		formatP(d.P),
	}
}

func newGroupTable(id, title, about string, groups []Group) shadow.Table {
	t := shadow.Table{
		ID:    id,
		Title: title,
		About: about,
		ColumnHeads: []string{
			"Jobs of",
			"Jobs, candidate",
			"Jobs, incumbent",
			"Candidate",
			"Incumbent",
			"Change",
			"Least",
			"Greatest",
			"p",
		},
	}
	for i := range groups {
		g := &groups[i]
		t.Rows = append(
			t.Rows,
			append([]string{g.name(), strconv.Itoa(g.CandidateJobs), strconv.Itoa(g.IncumbentJobs)}, g.cells()...),
		)
	}
	return t
}

func (g *Group) name() string {
	if g.Account != "" && g.Size != "" {
		return g.Account + ", " + g.Size
	}
	return g.Account + g.Size
}

func (r *Report) newDayTable() shadow.Table {
	t := shadow.Table{
		ID:          "days",
		Title:       "The days",
		About:       "What was over what Slurm alone would have done.",
		ColumnHeads: []string{"Day", "Decided", "Jobs", "Completion", "Wait", "Gangs", "Worst account"},
	}
	for i := range r.Days {
		d := &r.Days[i]
		if !d.counts() || d.Ratios == nil {
			continue
		}
		row := []string{d.Date.Format("Mon 2006-01-02"), d.who(), strconv.Itoa(d.JobCount)}
		for _, f := range figures {
			row = append(row, paired.FormatRatio(math.Exp(logOrNaN(d.Ratios, f.key))))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (d *Day) who() string {
	if d.IsCandidate {
		return "candidate"
	}
	return "incumbent"
}

func (r *Report) newLeftOutTable() shadow.Table {
	t := shadow.Table{
		ID:          "left-out",
		Title:       "Days left out",
		ColumnHeads: []string{"Day", "Was to decide", "Why"},
		IsText:      true,
	}
	for i := range r.Days {
		if d := &r.Days[i]; !d.counts() {
			t.Rows = append(t.Rows, []string{d.Date.Format("Mon 2006-01-02"), d.who(), d.LeftOut})
		}
	}
	return t
}

// WritePage writes reports, one for each partition, as one HTML file. made says by what.
func WritePage(w io.Writer, clusterName string, reports []*Report, made string) error {
	page := chart.ReportPage{Title: "Canaries of cluster " + clusterName, Footer: made}
	for _, r := range reports {
		page.About = append(page.About, strings.TrimSpace(r.Heading()+". "+r.Summarize()+" "+r.DescribeTest()))
		for _, t := range r.Tables() {
			page.Sections = append(page.Sections, t.NewSection(r.Partition))
		}
	}
	return chart.WriteReportPage(w, page)
}
