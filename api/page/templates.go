package page

import (
	"fmt"
	"html/template"
	"time"

	"fairbridge/policy"
)

// titles are the headings of the views.
var titles = map[string]string{
	"queue": "Queue", "job": "Job", "nodes": "Nodes and GPUs", "shares": "Shares", "idle": "Idle and held GPUs",
	"estimates": "Start estimates", "changes": "Changes in Slurm", "study": "Before and after", "undo": "Undo a change", "error": "Not shown",
}

// tab is an entry of the navigation.
type tab struct{ View, Label string }

var tabs = []tab{
	{"queue", "Queue"}, {"nodes", "Nodes"}, {"shares", "Shares"}, {"idle", "Idle GPUs"}, {"estimates", "Estimates"}, {"changes", "Changes"}, {"study", "Before/after"},
}

// parseTemplates reads the templates that are part of the program: one that is wrong is found by the first test.
func parseTemplates() map[string]*template.Template {
	functions := template.FuncMap{
		"tabs": func() []tab { return tabs }, "instant": formatInstant, "machine": formatMachine, "span": formatSpan, "percent": formatPercent, "seconds": formatSeconds,
		"hours": formatHours, "measured": formatMeasured, "prefix": func() string { return Prefix },
	}
	base := template.Must(template.New("").Funcs(functions).ParseFS(files, "templates/frame.html", "templates/parts.html"))
	all := map[string]*template.Template{}
	for name := range titles {
		all[name] = template.Must(template.Must(base.Clone()).ParseFS(files, "templates/"+name+".html"))
	}
	return all
}

func formatInstant(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.UTC().Format("2 Jan 2006, 15:04")
}

func formatMachine(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// formatSpan says how long something was, in its two largest units.
func formatSpan(d time.Duration) string {
	switch d = d.Round(time.Second); {
	case d < 0:
		return "0 s"
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%d d %d h", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
}

func formatPercent(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }

func formatSeconds(s float64) string { return formatSpan(policy.DurationFromSeconds(s)) }

func formatHours(s policy.GPUSeconds) string { return fmt.Sprintf("%.1f", float64(s)/3600) }

func formatMeasured(v policy.OptionalValue) string {
	if !v.Known {
		return "not measured"
	}
	return formatPercent(v.Value)
}
