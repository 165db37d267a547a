package evaluation

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	"fairbridge/lab/experiment"
	"fairbridge/replica/cluster"
	"fairbridge/replica/measure"
	"fairbridge/replica/published"
	"fairbridge/replica/study"
)

// writePublishedTraces compares all policies with the published figures on the published
// traces.
func writePublishedTraces(ctx context.Context, page *bytes.Buffer, o Options) error {
	fmt.Fprint(page, "\n## On the published traces\n")
	if o.TracesFolder == "" {
		fmt.Fprint(page, "\nLeft out: written without the traces of the artifact.\n")
		return nil
	}
	fmt.Fprintf(page, "\nRows in italics are not ours. On 120 jobs they are the %s;\non 220 jobs, for which it has none, those of %s.\n",
		published.ArtifactSource, published.RerunSource)
	for _, t := range []struct{ trace, tables, gpus string }{
		{"120_32gpus.trace", "throughputs_tacc.json", "32"}, {"220_64gpus.trace", "throughputs_wisr.json", "64"},
	} {
		nodes, err := cluster.ParseSpec(t.gpus)
		if err != nil {
			return err
		}
		s, err := experiment.LoadScenario(experiment.ScenarioSource{TracePath: filepath.Join(o.TracesFolder, t.trace), TablesPath: filepath.Join(o.TracesFolder, t.tables), Nodes: nodes})
		if err != nil {
			return err
		}
		if err := writeBesidePublished(ctx, page, s, o); err != nil {
			return err
		}
	}
	return nil
}

// writeBesidePublished writes the tables of one trace.
func writeBesidePublished(ctx context.Context, page *bytes.Buffer, scenario *study.Scenario, o Options) error {
	set := published.FindResultSet(scenario.Jobs, scenario.CountGPUs())
	if set == nil {
		return fmt.Errorf("%s is not the published trace of that name", scenario.Name)
	}
	policies, err := allPolicies()
	if err != nil {
		return err
	}
	ours := map[string]measure.Summary{}
	metrics := metricsByHead("MAKESPAN", "AVG JCT", "P99", "WORST ρ", "MEAN ρ", "UNFAIR", "UTIL", "RESTARTS", "WALL")
	fmt.Fprintf(page, "\n### %d jobs on %d GPUs\n\n", set.JobCount, set.ClusterGPUs)
	writeHeader(page, metricTitles(metrics)...)
	for _, p := range policies {
		o.reportProgressf("%s: %s", scenario.Name, p.Label)
		s, err := runFastest(ctx, scenario, p, 2)
		if err != nil {
			return err
		}
		ours[p.Label] = s
		writeRow(page, summaryCells(p.Label, "%s", &s, metrics)...)
		for _, r := range set.Rows {
			if s := r.Summary(); r.OurPolicy == p.Label {
				writeRow(page, summaryCells(r.Name, "*%s*", &s, metrics)...)
			}
		}
	}
	writeAgreement(page, set, ours)
	return nil
}

// summaryCells prints the figures of a row, each in a form.
func summaryCells(label, form string, s *measure.Summary, metrics []*measure.Metric) []string {
	list := []string{fmt.Sprintf(form, label)}
	for _, m := range metrics {
		text := m.FormatValue(m.ValueOf(s))
		if m.ColumnHead == "WALL" && s.WallSeconds > 0 {
			text = formatDuration(s.WallSeconds)
		}
		list = append(list, fmt.Sprintf(form, text))
	}
	return list
}

// writeAgreement writes by how much ours differ.
func writeAgreement(page *bytes.Buffer, set *published.ResultSet, ours map[string]measure.Summary) {
	fmt.Fprint(page, "\nOurs against the published figures:\n\n")
	writeHeader(page, "Published as", "Ours", "Makespan", "Average JCT", "Worst ρ", "Mean ρ", "Unfair", "Simulated faster by")
	for _, r := range set.Rows {
		s := ours[r.OurPolicy]
		faster := "–"
		if r.WallSeconds > 0 {
			faster = fmt.Sprintf("%.0f ×", r.WallSeconds/s.WallSeconds)
		}
		writeRow(page, r.Name, r.OurPolicy, formatDifference(roundToDecimals(s.Makespan, 3), r.Makespan), formatDifference(roundToDecimals(s.AvgJCT, 3), r.AvgJCT), formatDifference(roundToDecimals(s.WorstRho, 5), r.WorstRho),
			formatDifference(roundToDecimals(s.MeanRho, 6), r.MeanRho), fmt.Sprintf("%+.2f points", 100*(roundToDecimals(s.UnfairShare, 5)-r.UnfairShare)), faster)
	}
}
