package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"fairbridge/bridge/study/measure"
)

func newSimulate(o *options) *cobra.Command {
	t := &trials{}
	c := &cobra.Command{
		Use:   "simulate --trace FILE --cluster SPEC --policy NAME[,NAME…]",
		Short: "What a policy would have done with a trace of jobs",
		Long: `Simulate a trace of jobs on a cluster under one or more policies and print what
came of it. Nothing is read but the files named, and nothing is changed.

` + trialHelp,
		Example: `  fairbridge simulate --trace history.csv --cluster 16x8:a100 --policy fifo,tiresias
  fairbridge simulate --trace 120_32gpus.trace --tables throughputs_tacc.json \
      --cluster 32 --policy proportional,shockwave --json
  fairbridge simulate --trace day.trace --cluster 8x4 --policy tiresias --fidelity slurm
  fairbridge simulate --trace day.trace --cluster 8x4 --policy fifo --per-job jobs.csv`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return t.simulate(c, o.json) },
	}
	t.flags(c)
	return o.reader(c)
}

func (t *trials) simulate(c *cobra.Command, json bool) error {
	b, err := t.bench()
	if err != nil {
		return err
	}
	jobs, err := newFile(t.perJob)
	if err != nil {
		return err
	}
	defer jobs.discard()
	b.remarks(c.ErrOrStderr())
	runs, failed := b.inTurn(c)
	if len(runs) == 0 {
		return failed
	}
	if err := jobs.write(perJob(runs)); err != nil {
		return err
	}
	var all []measure.Summary
	for _, k := range runs {
		all = append(all, k.summary)
	}
	if json {
		return errors.Join(printLines(c.OutOrStdout(), all), failed)
	}
	printSummaries(c.OutOrStdout(), all)
	return failed
}

// inTurn simulates the policies one after the other, so that their wall times
// can be compared. The error says what failed; it costs the others nothing.
func (b *bench) inTurn(c *cobra.Command) ([]*kept, error) {
	m := newMeter(c.ErrOrStderr(), len(b.picks))
	defer m.close()
	var all []*kept
	var failed error
	for i, p := range b.picks {
		run, err := b.run(c.Context(), p, b.seed, m.part(i, p.Label))
		switch {
		case c.Context().Err() != nil:
			return nil, err
		case err != nil:
			failed = errors.Join(failed, err)
		default:
			all = append(all, keep(run, false))
		}
	}
	return all, failed
}

// printLines prints one JSON object a line.
func printLines[T any](w io.Writer, all []T) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for i := range all {
		if err := e.Encode(&all[i]); err != nil {
			return fmt.Errorf("printing JSON: %w", err)
		}
	}
	return nil
}

func printSummaries(w io.Writer, all []measure.Summary) {
	fmt.Fprintf(w, "%s: %s\n\n", all[0].Trace, count(all[0].Jobs, "job"))
	figures := visible(w, 1)
	t := newNumbers(w, heads(figures)...)
	for k := range all {
		cells := []any{all[k].Policy}
		for _, f := range figures {
			cells = append(cells, f.Text(f.Of(&all[k])))
		}
		t.add(cells...)
	}
	t.print()
	fmt.Fprintln(w, "\n"+legend)
}
