package study

import (
	"fmt"
	"io"
	"strconv"

	"fairbridge/bridge/printable"
	"fairbridge/bridge/study/measure"
)

// WriteJobOutcomes writes as CSV what became of every job of the results: one starved
// job hides in an average, and not here. Policy and seed lead a line where there
// are several. Seconds count from the start of the scenario; start_s is the first
// start, wait_s the time until then, rho the completion time over what an equal
// part of the cluster would have needed.
func WriteJobOutcomes(w io.Writer, results []Result) error {
	var runs []*measure.Run
	labels, seeds := map[string]bool{}, false
	for i := range results {
		for _, r := range results[i].Runs {
			seeds = seeds || labels[r.PolicyName]
			labels[r.PolicyName] = true
			runs = append(runs, r)
		}
	}
	out := printable.NewCSVWriter(w)
	for i, r := range runs {
		var lead, head []any
		if len(labels) > 1 {
			lead, head = append(lead, r.PolicyName), append(head, "policy")
		}
		if seeds {
			lead, head = append(lead, r.Seed), append(head, "seed")
		}
		if i == 0 {
			if err := out.WriteRow(append(head, "job", "user", "account", "gpus", "arrive_s", "start_s", "end_s", "wait_s", "jct_s", "rho", "stops")...); err != nil {
				return err
			}
		}
		rho := r.Rhos()
		for k := range r.JobOutcomes {
			if err := out.WriteRow(append(lead[:len(lead):len(lead)], outcomeCells(&r.JobOutcomes[k], rho[k])...)...); err != nil {
				return fmt.Errorf("job %d: %w", r.JobOutcomes[k].ID, err)
			}
		}
	}
	return out.Flush()
}

func outcomeCells(j *measure.JobOutcome, rho float64) []any {
	number := func(v float64, digits int) printable.CSVNumber {
		return printable.CSVNumber(strconv.FormatFloat(v, 'f', digits, 64))
	}
	start, wait := number(j.Start, 3), number(j.Start-j.Arrive, 3)
	if j.Start < 0 {
		start, wait = "", "" // it never did
	}
	return []any{
		j.ID, j.User, j.Account, j.GPUCount,
		number(j.Arrive, 3), start, number(j.Finish, 3), wait, number(j.Finish-j.Arrive, 3),
		number(rho, 5), j.StopCount,
	}
}
