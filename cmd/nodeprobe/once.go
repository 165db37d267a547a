package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"fairbridge/nodeprobe"
)

// lookOnce prints one sample.
func (o *options) lookOnce(ctx context.Context, out io.Writer) error {
	r, err := o.reader()
	if err != nil {
		return err
	}
	defer func() { _ = r.Close(time.Second) }()
	s, err := r.Take(ctx)
	if err != nil {
		s = nodeprobe.Sample{Node: o.node, Error: err.Error(), GPUs: []nodeprobe.GPU{}}
	}
	s.Settle(nil)
	if err := o.print(out, &s); err != nil {
		return err
	}
	if s.Error != "" {
		return fmt.Errorf("%w: %s", errNoDriver, s.Error)
	}
	return nil
}

func (o *options) print(out io.Writer, s *nodeprobe.Sample) error {
	if o.json {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(s)
	}
	if s.Error != "" {
		return nil // it is the error's to say
	}
	fmt.Fprintf(out, "node %s, driver %s, CUDA %s\n", s.Node, s.Driver.Version, s.Driver.CUDA)
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.AppendHeader(table.Row{"GPU", "Model", "Busy", "Memory MiB", "Watts", "°C", "Jobs", "Trouble"})
	for i := range s.GPUs {
		g := &s.GPUs[i]
		t.AppendRow(table.Row{g.Index, g.Model, show(g.Busy, 100, " %"), show(g.MemUsedMB, 1, "") + " / " + show(g.MemTotalMB, 1, ""),
			show(g.Watts, 1, ""), show(g.TempC, 1, ""), jobs(g), cmp.Or(g.Sick, g.Error)})
	}
	_, err := fmt.Fprintln(out, t.Render())
	return err
}

func show(m nodeprobe.Measure, scale float64, unit string) string {
	if !m.Known {
		return "?"
	}
	return strconv.FormatFloat(m.Value*scale, 'f', 0, 64) + unit
}

func jobs(g *nodeprobe.GPU) string {
	var w []string
	for _, o := range nodeprobe.Owners(g) {
		if o.Job != 0 {
			w = append(w, strconv.FormatInt(o.Job, 10))
		} else {
			w = append(w, o.SLUID)
		}
	}
	return strings.Join(w, " ")
}
