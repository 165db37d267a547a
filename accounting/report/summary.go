package report

import (
	"fmt"
	"math"
	"strings"

	"fairbridge/policy"
)

// summaries say in a sentence what the rows of a report come to; "": nothing.
var summaries = map[string]func(t *Table) string{
	"usage":         summarizeUsage,
	"efficiency":    summarizeEfficiency,
	"waits":         summarizeWaits,
	"shares":        summarizeShares,
	"idle-now":      summarizeIdleNow,
	"idle":          summarizeIdle,
	"stops":         summarizeStops,
	"wasteful-jobs": summarizeWastefulJobs,
	"limits":        summarizeLimits,
	"fairness":      summarizeFairness,
}

// summarize says the answer in a sentence; "": there is nothing to say.
func (a *Answer) summarize() string {
	if of := summaries[a.Name]; of != nil && a.Rows != nil && len(a.Rows.Rows) > 0 {
		return of(a.Rows)
	}
	return ""
}

// float is a cell as a number; 0 where it is not known.
func (t *Table) float(row []any, column string) float64 {
	i := t.ColumnIndex(column)
	if i < 0 {
		return 0
	}
	if v := floatOfCell(row[i]); !math.IsNaN(v) {
		return v
	}
	return 0
}

// sum adds up a column.
func (t *Table) sum(column string) (sum float64) {
	for _, row := range t.Rows {
		sum += t.float(row, column)
	}
	return sum
}

// greatest is the row with the most in a column; of none that has more than 0 it is nil.
func (t *Table) greatest(column string) (most []any) {
	for _, row := range t.Rows {
		if v := t.float(row, column); v > 0 && (most == nil || v > t.float(most, column)) {
			most = row
		}
	}
	return most
}

func (t *Table) text(row []any, column string) string { return cellOf(row, t.ColumnIndex(column)) }

func cellOf(row []any, i int) string {
	if i < 0 {
		return ""
	}
	return fmt.Sprint(row[i])
}

func hoursText(v float64) string { return formatHoursCell(v) + " GPU-hours" }

func percentOf(part, all float64) string {
	if all <= 0 {
		return "0 %"
	}
	return fmt.Sprintf("%.0f %%", 100*part/all)
}

func summarizeUsage(t *Table) string {
	sum, most := t.sum("gpu_hours"), t.greatest("gpu_hours")
	if most == nil {
		return ""
	}
	return fmt.Sprintf("%s used %s; most of them account %s, %s.", policy.FormatCount(len(t.Rows), "account"), hoursText(sum), t.text(most, "account"), percentOf(t.float(most, "gpu_hours"), sum))
}

func summarizeEfficiency(t *Table) string {
	measured := t.sum("measured_gpu_hours")
	if measured == 0 {
		return "How GPUs were used was not measured."
	}
	return fmt.Sprintf("%s were measured: %s busy, %s idle, %s held without a process.", hoursText(measured), percentOf(t.sum("busy_gpu_hours"), measured),
		percentOf(t.sum("idle_gpu_hours"), measured), percentOf(t.sum("held_without_process_gpu_hours"), measured))
}

func summarizeWaits(t *Table) string {
	by := "median_seconds"
	if t.ColumnIndex(by) < 0 {
		by = "mean_seconds"
	}
	most := t.greatest(by)
	if most == nil {
		return "No job waited."
	}
	return fmt.Sprintf("Jobs of account %s waited longest: in the %s %s.", t.text(most, "account"), headerText(by), formatSeconds(t.float(most, by)))
}

func summarizeShares(t *Table) string {
	most := t.greatest("deficit_gpu_hours")
	if most == nil {
		return "No account that wanted something lacked any of its share."
	}
	return fmt.Sprintf("Account %s lacks most of its share: %s of the %s that were its due.", t.text(most, "account"), hoursText(t.float(most, "deficit_gpu_hours")), hoursText(t.float(most, "due_gpu_hours")))
}

func summarizeIdle(t *Table) string {
	days := map[string]bool{}
	for _, row := range t.Rows {
		days[t.text(row, "day")] = true
	}
	idle, all := t.sum("idle_gpus")/float64(len(days)), t.sum("gpus")/float64(len(days))
	return fmt.Sprintf("%.1f of %.1f GPUs were idle on average, %s.", idle, all, percentOf(idle, all))
}

func summarizeIdleNow(t *Table) string {
	jobs := map[string]bool{}
	for _, row := range t.Rows {
		jobs[t.text(row, "address")] = true
	}
	return fmt.Sprintf("At the end of this time %s held %s idle.", policy.FormatCount(len(jobs), "job"), policy.FormatCount(int(t.sum("idle_gpus")), "GPU"))
}

func summarizeStops(t *Table) string {
	ours := int(t.sum("by_fairbridge"))
	others := int(t.sum("by_slurm") + t.sum("by_node") + t.sum("by_other"))
	return fmt.Sprintf("fairbridge stopped %s, which lost %s at most; others stopped %d.", policy.FormatCount(ours, "run"), hoursText(t.sum("lost_to_fairbridge_gpu_hours")), others)
}

func summarizeWastefulJobs(t *Table) string {
	most := t.greatest("wasted_gpu_hours")
	if most == nil {
		return ""
	}
	return fmt.Sprintf("Job %s of %s left most unused: %s.", t.text(most, "address"), t.text(most, "user"), hoursText(t.float(most, "wasted_gpu_hours")))
}

func summarizeLimits(t *Table) string {
	limit := t.sum("limit_hours")
	if limit == 0 {
		return ""
	}
	return fmt.Sprintf("Of the hours in time limits %s were not needed.", percentOf(t.sum("excess_hours"), limit))
}

func summarizeFairness(t *Table) string {
	most := t.greatest("unfair_share")
	if most == nil {
		return "No job came off worse than an equal part of the cluster would have let it."
	}
	return strings.Join([]string{"Most often worse off than by an equal part of the cluster were jobs of account ", t.text(most, "account"), ": ", fmt.Sprintf("%.0f %%", 100*t.float(most, "unfair_share")), " of them."}, "")
}
