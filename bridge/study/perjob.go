package study

import (
	"encoding/csv"
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
	out := csv.NewWriter(w)
	for i, r := range runs {
		var lead, head []string
		if len(labels) > 1 {
			lead, head = append(lead, printable.CSVCell(r.PolicyName)), append(head, "policy")
		}
		if seeds {
			lead, head = append(lead, strconv.FormatInt(r.Seed, 10)), append(head, "seed")
		}
		if i == 0 {
			if err := out.Write(append(head, "job", "user", "account", "gpus", "arrive_s", "start_s", "end_s", "wait_s", "jct_s", "rho", "stops")); err != nil {
				return err
			}
		}
		rho := r.Rhos()
		for k := range r.JobOutcomes {
			if err := out.Write(append(lead[:len(lead):len(lead)], outcomeCells(&r.JobOutcomes[k], rho[k])...)); err != nil {
				return fmt.Errorf("job %d: %w", r.JobOutcomes[k].ID, err)
			}
		}
	}
	out.Flush()
	return out.Error()
}

func outcomeCells(j *measure.JobOutcome, rho float64) []string {
	seconds := func(s float64) string { return strconv.FormatFloat(s, 'f', 3, 64) }
	start, wait := seconds(j.Start), seconds(j.Start-j.Arrive)
	if j.Start < 0 {
		start, wait = "", "" // it never did
	}
	return []string{
		strconv.FormatInt(j.ID, 10), printable.CSVCell(j.User), printable.CSVCell(j.Account), strconv.Itoa(j.GPUCount),
		seconds(j.Arrive), start, seconds(j.Finish), wait, seconds(j.Finish - j.Arrive),
		strconv.FormatFloat(rho, 'f', 5, 64), strconv.Itoa(j.StopCount),
	}
}
