package evaluation

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"time"

	"fairbridge/bridge/estimate"
	"fairbridge/lab/experiment"
	"fairbridge/lab/startscore"
	"fairbridge/lab/trace"
	"fairbridge/policy"
	"fairbridge/replica/cluster"
	"fairbridge/replica/policyset"
	"fairbridge/replica/study"
)

// StartEstimateOptions say of which runs estimates of starts are scored.
type StartEstimateOptions struct {
	PhillyPath string // Microsoft's Philly as a table; "": its windows are left out
	IsQuick    bool   // one short run of each, to try it
	// ReportProgress is told how far it is.
	ReportProgress func(what string)
}

// startEstimatesTitle is the heading of the section that WriteStartEstimates writes.
const startEstimatesTitle = "## How good estimates of starts are\n"

//go:embed start_estimates.md
var startEstimatesText string

// startWorkload is jobs of which the starts are estimated.
type startWorkload struct {
	title string
	load  float64
	draw  func(load float64, seed int64) (*study.Scenario, error)
}

// WriteStartEstimates makes the runs and writes the section of the page that scores estimates of
// starts; the rest of the page stays.
func WriteStartEstimates(ctx context.Context, path string, o StartEstimateOptions) error {
	page, err := readPage(path)
	if err != nil {
		return err
	}
	workloads, seeds, err := o.workloads()
	if err != nil {
		return err
	}
	section := bytes.NewBufferString(startEstimatesTitle)
	fmt.Fprintf(section, startEstimatesText, seedCountText(seeds))
	writeHeader(section, "Workload", "Looks", "Held", "Held, by seed", "Before", "After", "Median wait", "Median error", "Looks with Slurm's", "Median error", "Slurm's", "Ratio")
	var all []startscore.Look
	for i := range workloads {
		w := &workloads[i]
		looks, held, err := o.collectLooks(ctx, w, seeds)
		if err != nil {
			return err
		}
		all = append(all, looks...)
		writeStartScore(section, w.title, held, looks, nil)
		writeStartScore(section, w.title+", at submission", "", looks, func(l *startscore.Look) bool { return l.IsFirst })
	}
	section.WriteString("\nAll of them, by how far ahead the start seemed:\n\n")
	writeHeader(section, "Seemed ahead", "Looks", "Held", "Held, by seed", "Before", "After", "Median wait", "Median error", "Looks with Slurm's", "Median error", "Slurm's", "Ratio")
	for i := range len(estimate.Horizons) + 1 {
		writeStartScore(section, horizonTitle(i), "", all, func(l *startscore.Look) bool { return estimate.HorizonOf(l.Start.Middle.Sub(l.MadeAt)) == i })
	}
	writeEndScores(section, all)
	return saveSection(path, page, startEstimatesTitle, section.String())
}

// writeEndScores writes the table of ends.
func writeEndScores(section *bytes.Buffer, all []startscore.Look) {
	section.WriteString("\nTheir ends, by how far ahead the end seemed; Slurm plans none:\n\n")
	writeHeader(section, "Seemed ahead", "Looks", "Held", "Before", "After", "Median time to it", "Median error")
	for i := range len(estimate.Horizons) + 1 {
		s := startscore.ScoreEnds(all, func(l *startscore.Look) bool { return estimate.HorizonOf(l.End.Middle.Sub(l.MadeAt)) == i })
		if s.LookCount > 0 {
			writeRow(section, horizonTitle(i), fmt.Sprint(s.LookCount), share(s.HeldShare), share(s.EarlyShare), share(s.LateShare), minutes(s.MedianWait), minutes(s.MedianError))
		}
	}
}

func horizonTitle(i int) string {
	if i == len(estimate.Horizons) {
		return "more"
	}
	return "up to " + policy.FormatDuration(estimate.Horizons[i])
}

// workloads are those that are scored, and by how many seeds each.
func (o *StartEstimateOptions) workloads() (list []startWorkload, seeds int, err error) {
	part, seeds := .5, 20
	if o.IsQuick {
		part, seeds = .05, 1
	}
	for _, load := range []float64{1, 1.5} {
		list = append(list, startWorkload{fmt.Sprintf("Drawn half days, load %g", load), load, drawDays(part)})
	}
	if o.PhillyPath != "" {
		draw, err := drawPhillyWindows(o.PhillyPath)
		if err != nil {
			return nil, 0, err
		}
		for _, load := range []float64{1, 1.5} {
			list = append(list, startWorkload{fmt.Sprintf("Philly windows, load %g", load), load, draw})
		}
	}
	return list, seeds, nil
}

// collectLooks makes the runs of a workload. Each seed is a site of its own, which begins without
// history; held says how the part of starts within their bands spreads over them.
func (o *StartEstimateOptions) collectLooks(ctx context.Context, w *startWorkload, seeds int) (all []startscore.Look, held string, err error) {
	choice, err := policyset.ParsePolicies("fairbridge", false)
	if err != nil {
		return nil, "", err
	}
	least, most := 1.0, 0.0
	for seed := int64(1); seed <= int64(seeds); seed++ {
		if ctx.Err() != nil {
			return nil, "", context.Cause(ctx)
		}
		s, err := w.draw(w.load, seed)
		if err != nil {
			return nil, "", err
		}
		study.SetStoppableShare(s.Jobs, 0, seed)
		decide, err := choice[0].NewPolicy()
		if err != nil {
			return nil, "", err
		}
		looks, err := startscore.CollectLooks(s, decide, choice[0].System.Name, seed)
		if err != nil {
			return nil, "", fmt.Errorf("%s, seed %d: %w", w.title, seed, err)
		}
		startscore.Calibrate(looks)
		all = append(all, looks...)
		if score := startscore.ScoreLooks(looks, nil); score.LookCount > 0 {
			least, most = min(least, score.HeldShare), max(most, score.HeldShare)
		}
		o.ReportProgress(fmt.Sprintf("%s: seed %d of %d, %s", w.title, seed, seeds, policy.FormatCount(len(looks), "look")))
	}
	return all, fmt.Sprintf("%.2f–%.2f", min(least, most), most), nil
}

// writeStartScore writes the row of the looks that a filter lets through.
func writeStartScore(section *bytes.Buffer, title, held string, looks []startscore.Look, filter func(*startscore.Look) bool) {
	s := startscore.ScoreLooks(looks, filter)
	if s.LookCount == 0 {
		return
	}
	cells := []string{title, fmt.Sprint(s.LookCount), share(s.HeldShare), held, share(s.EarlyShare), share(s.LateShare), minutes(s.MedianWait), minutes(s.MedianError), fmt.Sprint(s.SharedCount)}
	if s.SharedCount == 0 {
		cells = append(cells, "", "", "")
	} else {
		cells = append(cells, minutes(s.SharedError), minutes(s.SlurmError), share(s.ErrorRatio()))
	}
	writeRow(section, cells...)
}

func share(v float64) string { return fmt.Sprintf("%.2f", v) }

func minutes(d time.Duration) string { return fmt.Sprintf("%.1f min", d.Minutes()) }

// windowJobs is how many jobs of the trace a seed takes.
const windowJobs = 100

// drawPhillyWindows reads the trace of which each seed takes a window.
func drawPhillyWindows(path string) (func(load float64, seed int64) (*study.Scenario, error), error) {
	nodes, err := cluster.ParseSpec(slurmTableCluster)
	if err != nil {
		return nil, err
	}
	whole, err := experiment.LoadScenario(experiment.ScenarioSource{
		TracePath: path, TraceOptions: trace.ReadOptions{Format: "philly", SkipBad: true}, Nodes: nodes,
	})
	if err != nil {
		return nil, err
	}
	return func(load float64, seed int64) (*study.Scenario, error) {
		w, err := whole.TakeWindow(windowJobs, seed)
		if err != nil {
			return nil, err
		}
		return w.ScaleToLoad(load)
	}, nil
}
