package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/output"
	"fairbridge/nodeprobe"
)

// sampleOnce prints one sample.
func (o *options) sampleOnce(ctx context.Context, out io.Writer) error {
	r, err := o.newChildReader()
	if err != nil {
		return err
	}
	defer func() { _ = r.Close(time.Second) }()
	s, err := r.TakeSample(ctx)
	if err != nil {
		s = nodeprobe.Sample{Node: o.nodeName, Error: err.Error(), GPUs: []nodeprobe.GPU{}}
	}
	s.CompleteFrom(nil)
	if err := o.printSample(out, &s); err != nil {
		return err
	}
	if s.Error != "" {
		return fmt.Errorf("%w: %s", errNoDriver, s.Error)
	}
	return nil
}

func (o *options) printSample(out io.Writer, s *nodeprobe.Sample) error {
	if o.printsJSON {
		return output.WriteJSON(out, s)
	}
	if s.Error != "" {
		return nil // it is the error's to say
	}
	printable.Fprintf(out, "node %s, driver %s, CUDA %s\n", s.Node, s.Driver.Version, s.Driver.CUDA)
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	head := table.Row{"GPU", "Model"}
	for i := range nodeprobe.Metrics {
		if c := nodeprobe.Metrics[i].TableHeading; c != "" && head[len(head)-1] != c {
			head = append(head, c)
		}
	}
	t.AppendHeader(append(head, "Jobs", "Trouble"))
	for i := range s.GPUs {
		g := &s.GPUs[i]
		row := append(table.Row{g.Index, g.Model}, metricCells(g)...)
		t.AppendRow(append(row, formatJobs(g), cmp.Or(g.SickReason, g.Error)))
	}
	printable.Fprintlines(out, t.Render())
	return nil
}

// metricCells are the GPU's numbers that have a column.
func metricCells(g *nodeprobe.GPU) table.Row {
	var row table.Row
	last := ""
	for i := range nodeprobe.Metrics {
		m := &nodeprobe.Metrics[i]
		switch cell := formatMetric(m, g); {
		case m.TableHeading == "":
		case m.TableHeading == last:
			row[len(row)-1] = fmt.Sprint(row[len(row)-1], " / ", cell)
		default:
			row, last = append(row, cell), m.TableHeading
		}
	}
	return row
}

func formatMetric(m *nodeprobe.Metric, g *nodeprobe.GPU) string {
	v := m.ValueOf(g)
	switch {
	case !v.Known:
		return "?"
	case m.IsRatio():
		return fmt.Sprintf("%.0f %%", v.Value*100)
	}
	return fmt.Sprintf("%.0f", v.Value)
}

func formatJobs(g *nodeprobe.GPU) string {
	var w []string
	for _, o := range nodeprobe.ProcessJobsOn(g) {
		if o.Job != 0 {
			w = append(w, strconv.FormatInt(o.Job, 10))
		} else {
			w = append(w, o.SLUID)
		}
	}
	return strings.Join(w, " ")
}
