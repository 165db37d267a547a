package evaluation

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"fairbridge/bridge/study"
)

// tablePart is a section of the page that compares policies with Slurm alone. Each can be made
// without the others.
type tablePart struct {
	name  string // of the flag that picks it
	title string // its heading
	head  string // its text, from the heading on
	open  func(*SlurmTableOptions) ([]*comparedWorkload, error)
	// newWriter returns what writes the rest of the section.
	newWriter func() sectionWriter
}

// sectionWriter writes the body of a section. It is shown the cells of each workload in their
// order; what became of each job is there only until add returns.
type sectionWriter interface {
	add(w *comparedWorkload, b *study.PairedBlock)
	write(page *bytes.Buffer)
}

//go:embed slurm_hours.md
var hoursHead string

//go:embed slurm_days.md
var daysHead string

//go:embed slurm_windows.md
var windowsHead string

//go:embed targets.md
var targetsHead string

//go:embed noise.md
var noiseHead string

//go:embed front.md
var frontHead string

// tableParts are all sections, as they follow on the page.
var tableParts = []tablePart{
	{"hours", "## Against Slurm alone\n", hoursHead, newHours, newComparisonWriter},
	{"days", "## Against Slurm alone, on whole days\n", daysHead, newWholeDays, newComparisonWriter},
	{"windows", "## Against Slurm alone, on windows of traces\n", windowsHead, newWindows, newComparisonWriter},
	{"targets", targetsTitle, targetsHead, newJudgedWorkloads, newTargetsWriter},
	{"noise", noiseTitle, noiseHead, newToldWorkloads, newNoiseWriter},
	{"front", frontTitle, frontHead, newFrontWorkloads, newFrontWriter},
}

// pickParts returns those with the names, all for none.
func pickParts(names []string) ([]tablePart, error) {
	if len(names) == 0 {
		return tableParts, nil
	}
	var picked []tablePart
	var unknown []string
	for _, name := range names {
		i := slices.IndexFunc(tableParts, func(p tablePart) bool { return p.name == name })
		if i < 0 {
			unknown = append(unknown, name)
			continue
		}
		picked = append(picked, tableParts[i])
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("the table has no part %s: it has %s", strings.Join(unknown, ", "), partNames())
	}
	return picked, nil
}

// partNames are the names of all parts.
func partNames() string {
	var names []string
	for _, p := range tableParts {
		names = append(names, p.name)
	}
	return strings.Join(names, ", ")
}

// sectionsBefore are the headings that stand before the part's on the page.
func (p *tablePart) sectionsBefore() []string {
	var titles []string
	for i := range tableParts {
		if tableParts[i].name == p.name {
			break
		}
		titles = append(titles, tableParts[i].title)
	}
	return titles
}
