package study

import (
	"fmt"
	"io"
	"strconv"

	"fairbridge/bridge/printable"
	"fairbridge/replica/measure"
)

// WriteJobOutcomes writes as CSV what became of every job of the results: one starved
// job hides in an average, and not here. Policy and seed lead a line where there
// are several. Seconds count from the start of the scenario; start_s is the first
// start, wait_s the time until then, rho the completion time over what an equal
// part of the cluster would have needed.
func WriteJobOutcomes(w io.Writer, results []Result) error {
	return WriteBlockOutcomes(w, []*Block{{Results: results}})
}

// WriteBlockOutcomes is WriteJobOutcomes for the blocks of a sweep. Where there are several,
// their load and the part of the jobs that may be stopped lead a line. Of a policy without
// figures, because others did not end, the runs that did are there.
func WriteBlockOutcomes(w io.Writer, blocks []*Block) error {
	o := jobWriter{out: printable.NewCSVWriter(w), showsBlocks: len(blocks) > 1}
	labels := map[string]bool{}
	for _, b := range blocks {
		here := map[string]bool{}
		for i := range b.Results {
			for _, r := range b.Results[i].outcomes() {
				o.showsSeeds = o.showsSeeds || here[r.PolicyName]
				labels[r.PolicyName], here[r.PolicyName] = true, true
			}
		}
	}
	o.showsPolicies = len(labels) > 1
	if err := o.writeHead(); err != nil {
		return err
	}
	for _, b := range blocks {
		for i := range b.Results {
			for _, r := range b.Results[i].outcomes() {
				if err := o.writeRun(b.Setting, r); err != nil {
					return err
				}
			}
		}
	}
	return o.out.Flush()
}

// outcomes are the runs that ended.
func (r *Result) outcomes() []*measure.Run {
	if len(r.Ended) > 0 {
		return r.Ended
	}
	return r.Runs
}

// jobWriter writes jobs with what they belong to before them.
type jobWriter struct {
	out                                    *printable.CSVWriter
	showsBlocks, showsPolicies, showsSeeds bool
}

func (o *jobWriter) writeHead() error {
	var head []any
	if o.showsBlocks {
		head = append(head, "load", "opted_in")
	}
	if o.showsPolicies {
		head = append(head, "policy")
	}
	if o.showsSeeds {
		head = append(head, "seed")
	}
	return o.out.WriteRow(append(head, "job", "user", "account", "gpus", "arrive_s", "start_s", "end_s", "wait_s", "jct_s", "rho", "stops")...)
}

func (o *jobWriter) writeRun(of Setting, r *measure.Run) error {
	var lead []any
	if o.showsBlocks {
		load, share := any(""), any("")
		if of.OfferedLoad > 0 {
			load = of.OfferedLoad
		}
		if of.StoppableShare != nil {
			share = *of.StoppableShare
		}
		lead = append(lead, load, share)
	}
	if o.showsPolicies {
		lead = append(lead, r.PolicyName)
	}
	if o.showsSeeds {
		lead = append(lead, r.Seed)
	}
	rho := r.Rhos()
	for k := range r.JobOutcomes {
		if err := o.out.WriteRow(append(lead[:len(lead):len(lead)], outcomeCells(&r.JobOutcomes[k], rho[k])...)...); err != nil {
			return fmt.Errorf("job %d: %w", r.JobOutcomes[k].ID, err)
		}
	}
	return nil
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
