package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"fairbridge/bridge/plain"
)

func (t *trials) perJobFlag(c *cobra.Command) {
	c.Flags().StringVar(&t.perJob, "per-job", "", "also write what became of every job to this file (CSV): policy and seed where there\n"+
		"are several, job, user, account, gpus, arrive_s, start_s, end_s, wait_s, jct_s, rho, stops")
}

// perJob writes what became of every job of some runs: one starved job hides in
// an average, and not here. Seconds count from the start of the workload; start_s
// is the first start, wait_s the time until then, rho the completion time over
// what an equal part of the cluster would have needed.
func perJob(runs []*kept) func(io.Writer) error {
	labels, again := map[string]bool{}, false
	for _, k := range runs {
		again = again || labels[k.label]
		labels[k.label] = true
	}
	return func(w io.Writer) error {
		out := csv.NewWriter(w)
		for i, k := range runs {
			var lead, head []string
			if len(labels) > 1 {
				lead, head = append(lead, plain.Cell(k.label)), append(head, "policy")
			}
			if again {
				lead, head = append(lead, strconv.FormatInt(k.seed, 10)), append(head, "seed")
			}
			if i == 0 {
				if err := out.Write(append(head, "job", "user", "account", "gpus", "arrive_s", "start_s", "end_s", "wait_s", "jct_s", "rho", "stops")); err != nil {
					return err
				}
			}
			if err := k.rows(out, lead); err != nil {
				return err
			}
		}
		out.Flush()
		return out.Error()
	}
}

func seconds(s float64) string { return strconv.FormatFloat(s, 'f', 3, 64) }

// rows writes a line a job, behind what leads it.
func (k *kept) rows(out *csv.Writer, lead []string) error {
	for i := range k.jobs {
		j := &k.jobs[i]
		line := append(lead[:len(lead):len(lead)], strconv.FormatInt(j.ID, 10), plain.Cell(j.User), plain.Cell(j.Account), strconv.Itoa(j.GPUs))
		start, wait := seconds(j.Start), seconds(j.Start-j.Arrive)
		if j.Start < 0 {
			start, wait = "", "" // it never did
		}
		line = append(line, seconds(j.Arrive), start, seconds(j.Finish), wait, seconds(j.Finish-j.Arrive))
		line = append(line, strconv.FormatFloat(k.drawn.Rho[i], 'f', 5, 64), strconv.Itoa(j.Stops))
		if err := out.Write(line); err != nil {
			return fmt.Errorf("job %d: %w", j.ID, err)
		}
	}
	return nil
}
