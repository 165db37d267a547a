package realrun

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"fairbridge/lab/fidelity"
	"fairbridge/replica/measure"
	"fairbridge/scripts/throwaway"
)

// readOutcome reads every run of every job from slurmdbd, and what Slurm it was.
func readOutcome(ctx context.Context, c *throwaway.Cluster, s *fidelity.Stream, conf string) (*fidelity.RealRun, error) {
	text, err := c.Run(ctx, "root", "env", "SLURM_TIME_FORMAT=%s", "TZ=UTC", "sacct", "-a", "-D", "-X", "-n", "-P", "-S", "2020-01-01",
		"-o", "JobName,JobID,Submit,Start,End,State")
	if err != nil {
		return nil, fmt.Errorf("reading what became of the jobs: %w", err)
	}
	out := &fidelity.RealRun{SlurmConf: conf}
	out.Release, err = c.Run(ctx, "root", "scontrol", "--version")
	if err != nil {
		return nil, err
	}
	out.Release = strings.TrimPrefix(strings.TrimSpace(out.Release), "slurm-wlm ")
	out.Release = strings.TrimPrefix(out.Release, "slurm ")
	said, err := c.Run(ctx, "root", "sdiag")
	if err != nil {
		return nil, fmt.Errorf("reading how long passes took: %w", err)
	}
	out.BackfillSeconds = parseBackfillSeconds(said)
	if out.Starts, err = parseRuns(text); err != nil {
		return nil, err
	}
	out.Run, err = newRun(s, out.Starts)
	return out, err
}

// parseBackfillSeconds reads from what sdiag says how long a pass of backfill took in the mean.
func parseBackfillSeconds(text string) float64 {
	_, text, _ = strings.Cut(text, "Backfilling stats")
	_, text, _ = strings.Cut(text, "Mean cycle:")
	text, _, _ = strings.Cut(text, "\n")
	micros, _ := strconv.ParseFloat(strings.TrimSpace(text), 64) // no line where there was no pass
	return micros / 1e6
}

// parseRuns reads the lines of sacct, times still those of the epoch.
func parseRuns(text string) ([]fidelity.JobRun, error) {
	var out []fidelity.JobRun
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 6 {
			return nil, fmt.Errorf("sacct said %q", line)
		}
		id, err := parseJobNumber(f[0], f[1])
		if err != nil {
			return nil, fmt.Errorf("sacct said %q: %w", line, err)
		}
		times := [3]float64{}
		for i, text := range f[2:5] {
			times[i], _ = strconv.ParseFloat(text, 64) // Unknown and None are 0
		}
		out = append(out, fidelity.JobRun{JobID: id, Submit: times[0], Start: times[1], End: times[2], State: f[5]})
	}
	return out, nil
}

// parseJobNumber reads which job of the stream it is from its name and Slurm's id: the tasks of
// an array have the name of the first, and numbers in a row ("f7", "101_2": 9).
func parseJobNumber(name, slurmID string) (int64, error) {
	number, err := strconv.ParseInt(strings.TrimPrefix(name, "f"), 10, 64)
	if err != nil {
		return 0, err
	}
	_, task, isTask := strings.Cut(slurmID, "_")
	if !isTask {
		return number, nil
	}
	n, err := strconv.ParseInt(task, 10, 64)
	return number + n, err
}

// newRun sums up the runs of each job; times become seconds since the first submission.
func newRun(s *fidelity.Stream, runs []fidelity.JobRun) (measure.Run, error) {
	out := measure.Run{ClusterGPUs: s.NodeCount * s.GPUsPerNode}
	if len(runs) == 0 {
		return out, fmt.Errorf("sacct knows no jobs")
	}
	from := runs[0].Submit
	for _, r := range runs {
		from = min(from, r.Submit)
	}
	from -= s.Jobs[0].Arrive
	runsByJob := map[int64][]fidelity.JobRun{}
	for i := range runs {
		r := &runs[i]
		r.Submit, r.Start, r.End = r.Submit-from, r.Start-from, r.End-from
		runsByJob[r.JobID] = append(runsByJob[r.JobID], *r)
	}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		o := measure.JobOutcome{ID: j.ID, User: j.User, Account: j.Account, GPUCount: j.GPUs, Arrive: -1, Start: -1, ExclusiveRunSeconds: j.Duration}
		state := ""
		for _, r := range runsByJob[j.ID] {
			addRun(&o, &r)
			if r.End >= o.Finish {
				state = r.State
			}
		}
		if state != "COMPLETED" {
			return out, fmt.Errorf("job %d ended as %q; a run counts only where all complete", j.ID, state)
		}
		out.JobOutcomes = append(out.JobOutcomes, o)
		out.MakespanSeconds = max(out.MakespanSeconds, o.Finish)
	}
	return out, nil
}

func addRun(o *measure.JobOutcome, r *fidelity.JobRun) {
	if o.Arrive < 0 || r.Submit < o.Arrive {
		o.Arrive = r.Submit
	}
	if r.Start > 0 && (o.Start < 0 || r.Start < o.Start) {
		o.Start = r.Start
	}
	if r.State == "REQUEUED" {
		o.StopCount++
	}
	o.HeldSeconds += max(r.End-r.Start, 0)
	o.Finish = max(o.Finish, r.End)
}
