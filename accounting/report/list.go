package report

import (
	"slices"
	"strings"

	"fairbridge/sql"
)

// Report is a question with its query.
type Report struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Explanation string `json:"about"` // what is to be known to read it
	Plot        Plot   `json:"-"`
	queryText   string
}

// Plot says how the rows are drawn.
type Plot struct {
	Kind        PlotKind
	LabelColumn string   // column that names what a row is about; of Lines: the series, "" for one
	Columns     []string // columns drawn; of Lines with a Label: one
	Unit        string   // of the values
}

// PlotKind is a kind of drawing.
type PlotKind int

// The kinds.
const (
	NoPlot   PlotKind = iota
	BarPlot           // one bar a row and column
	LinePlot          // over the column day
)

// Units whose values are drawn otherwise than they are stored: seconds in what suits them, parts in percent.
const (
	unitSeconds       = "seconds"
	unitPartOfCluster = "% of the cluster"
	unitPartInTime    = "% within 10 minutes"
	unitPartOfJobs    = "% of the jobs"
)

var reports = []Report{
	{Name: "usage", Plot: Plot{BarPlot, "account", []string{"gpu_hours"}, "GPU-hours"}},
	{Name: "usage-daily", Plot: Plot{LinePlot, "account", []string{"gpu_hours"}, "GPU-hours"}},
	{Name: "users", Plot: Plot{BarPlot, "user", []string{"gpu_hours"}, "GPU-hours"}},
	{Name: "efficiency", Plot: Plot{BarPlot, "account", []string{"gpu_hours", "measured_gpu_hours", "busy_gpu_hours", "idle_gpu_hours", "held_without_process_gpu_hours"}, "GPU-hours"}},
	{Name: "efficiency-users", Plot: Plot{BarPlot, "user", []string{"wasted_gpu_hours"}, "GPU-hours not used"}},
	{Name: "wasteful-jobs", Plot: Plot{BarPlot, "address", []string{"wasted_gpu_hours"}, "GPU-hours not used"}},
	{Name: "waits", Plot: Plot{BarPlot, "account", []string{"median_seconds", "mean_seconds", "p95_seconds"}, unitSeconds}},
	{Name: "fairness", Plot: Plot{BarPlot, "account", []string{"mean_rho", "mean_slowdown"}, "times (no unit)"}},
	{Name: "shares", Plot: Plot{BarPlot, "account", []string{"entitled_share", "used_share"}, unitPartOfCluster}},
	{Name: "deficits-daily", Plot: Plot{LinePlot, "account", []string{"deficit_gpu_hours"}, "GPU-hours lacking"}},
	{Name: "jain", Plot: Plot{LinePlot, "", []string{"jain", "jain_of_wanted"}, "Jain's index (no unit)"}},
	{Name: "idle-now", Plot: Plot{BarPlot, "address", []string{"idle_gpus"}, "idle GPUs"}},
	{Name: "idle-reminders", Plot: Plot{BarPlot, "user", []string{"idle_gpu_hours_after"}, "GPU-hours"}},
	{Name: "idle-stops", Plot: Plot{BarPlot, "user", []string{"idle_gpu_hours_before"}, "GPU-hours"}},
	{Name: "idle", Plot: Plot{LinePlot, "gpu_type", []string{"idle_gpus"}, "idle GPUs"}},
	{Name: "fragmentation", Plot: Plot{LinePlot, "gpu_type", []string{"unusable_gpus"}, "free GPUs of no use to waiting jobs"}},
	{Name: "stops", Plot: Plot{BarPlot, "account", []string{"lost_gpu_hours", "lost_to_fairbridge_gpu_hours"}, "GPU-hours, at most"}},
	{Name: "changes"},
	{Name: "decisions", Plot: Plot{LinePlot, "verb", []string{"changes"}, "changes of mind"}},
	{Name: "limits", Plot: Plot{BarPlot, "user", []string{"excess_hours"}, "hours asked for and not used"}},
	{Name: "estimates", Plot: Plot{BarPlot, "seemed_ahead", []string{"within_10_min_share"}, unitPartInTime}},
	{Name: "deadlines", Plot: Plot{BarPlot, "told", []string{"told_share", "met_share"}, unitPartOfJobs}},
	{Name: "deadline-misses", Plot: Plot{BarPlot, "account", []string{"late", "timed_out", "failed"}, "jobs"}},
}

func init() {
	for i := range reports {
		r := &reports[i]
		r.queryText = sql.ReportText(r.Name)
		var about []string
		for line := range strings.Lines(r.queryText) {
			words, comment := strings.CutPrefix(line, "--")
			if !comment {
				break
			}
			about = append(about, strings.TrimSpace(words))
		}
		r.Title, r.Explanation = about[0], strings.Join(about[1:], " ")
	}
}

// AllReports returns every report, in order of reading.
func AllReports() []Report { return slices.Clone(reports) }

// FindReport returns the report of a name.
func FindReport(name string) (Report, bool) {
	i := slices.IndexFunc(reports, func(r Report) bool { return r.Name == name })
	if i < 0 {
		return Report{}, false
	}
	return reports[i], true
}
