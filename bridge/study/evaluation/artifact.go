package main

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	"fairbridge/bridge/study/cluster"
	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/policyset"
	"fairbridge/bridge/study/published"
	"fairbridge/bridge/study/trial"
)

// artifact compares all policies with the published figures on the published
// traces.
func artifact(ctx context.Context, page *bytes.Buffer, o options) error {
	fmt.Fprint(page, "\n## On the published traces\n")
	if o.traces == "" {
		fmt.Fprint(page, "\nLeft out: written without the traces of the artifact.\n")
		return nil
	}
	fmt.Fprintf(page, "\nRows in italics are not ours. On 120 jobs they are the %s;\non 220 jobs, for which it has none, those of %s.\n",
		published.Artifact, published.Rerun)
	for _, t := range []struct{ trace, tables, gpus string }{
		{"120_32gpus.trace", "throughputs_tacc.json", "32"}, {"220_64gpus.trace", "throughputs_wisr.json", "64"},
	} {
		nodes, err := cluster.Parse(t.gpus)
		if err != nil {
			return err
		}
		w, err := trial.Load(trial.Source{Trace: filepath.Join(o.traces, t.trace), Tables: filepath.Join(o.traces, t.tables), Nodes: nodes})
		if err != nil {
			return err
		}
		if err := beside(ctx, page, w); err != nil {
			return err
		}
	}
	return nil
}

// beside writes the tables of one trace.
func beside(ctx context.Context, page *bytes.Buffer, w *trial.Workload) error {
	set := published.Find(w.Jobs, w.GPUs())
	if set == nil {
		return fmt.Errorf("%s is not the published trace of that name", w.Name)
	}
	picks, err := policyset.Parse(everything(), true)
	if err != nil {
		return err
	}
	ours := map[string]measure.Summary{}
	columns := figures("MAKESPAN", "AVG JCT", "P99", "WORST ρ", "MEAN ρ", "UNFAIR", "UTIL", "RESTARTS", "WALL")
	fmt.Fprintf(page, "\n### %d jobs on %d GPUs\n\n", set.Jobs, set.GPUs)
	header(page, titles(columns)...)
	for _, p := range picks {
		progress("%s: %s", w.Name, p.Label)
		s, err := once(ctx, w, p, 1, 2)
		if err != nil {
			return err
		}
		ours[p.Label] = s
		row(page, cells(p.Label, "%s", &s, columns)...)
		for _, r := range set.Rows {
			if s := r.Summary(); r.Ours == p.Label {
				row(page, cells(r.Name, "*%s*", &s, columns)...)
			}
		}
	}
	agreement(page, set, ours)
	return nil
}

// cells prints the figures of a row, each in a form.
func cells(label, form string, s *measure.Summary, columns []*trial.Figure) []string {
	list := []string{fmt.Sprintf(form, label)}
	for _, f := range columns {
		text := f.Text(f.Of(s))
		if f.Head == "WALL" && s.Wall > 0 {
			text = span(s.Wall)
		}
		list = append(list, fmt.Sprintf(form, text))
	}
	return list
}

// agreement writes by how much ours differ.
func agreement(page *bytes.Buffer, set *published.Set, ours map[string]measure.Summary) {
	fmt.Fprint(page, "\nOurs against the published figures:\n\n")
	header(page, "Published as", "Ours", "Makespan", "Average JCT", "Worst ρ", "Mean ρ", "Unfair", "Simulated faster by")
	for _, r := range set.Rows {
		s := ours[r.Ours]
		faster := "–"
		if r.Wall > 0 {
			faster = fmt.Sprintf("%.0f ×", r.Wall/s.Wall)
		}
		row(page, r.Name, r.Ours, off(to(s.Makespan, 3), r.Makespan), off(to(s.AvgJCT, 3), r.AvgJCT), off(to(s.WorstRho, 5), r.WorstRho),
			off(to(s.MeanRho, 6), r.MeanRho), fmt.Sprintf("%+.2f points", 100*(to(s.Unfair, 5)-r.Unfair)), faster)
	}
}
