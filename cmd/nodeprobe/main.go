// Command nodeprobe measures the GPUs of a node and serves what it finds to
// fairbridge and to Prometheus.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/output"
	"fairbridge/nodeprobe"
)

// Exit codes, for scripts.
const (
	exitOK       = 0
	exitFailed   = 1 // something could not be done
	exitUsage    = 2 // wrong flags
	exitNoDriver = 3 // --once, and there is no working driver
)

func main() {
	runtime.GOMAXPROCS(2) // a big node has many cores, a probe needs none of them for long
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run carries out one command line and returns its exit code.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	errs = printable.NewWriter(errs) // out stays as it is: the reader answers its parent there
	root := newRootCommand()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errs)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	var usage usageError
	printable.Fprintf(errs, "nodeprobe: %v\n", err)
	switch {
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, errNoDriver):
		return exitNoDriver
	}
	return exitFailed
}

// usageError is a command line that makes no sense.
type usageError struct{ error }

// errNoDriver ends --once where nothing can be measured.
var errNoDriver = errors.New("no GPU was measured")

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
