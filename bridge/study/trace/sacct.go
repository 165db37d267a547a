package trace

import (
	"bufio"
	"strings"
	"time"

	"fairbridge/bridge/study/workload"
)

// sacct is the output of sacct -P with these columns and others, in any order.
var sacct = table{'|', []string{"jobid", "state", "submit", "start"}, readSacct}

// readAccounts reads sacct's table. Of jobs that stand there several times,
// because they were requeued (sacct -D), the last run counts, from the first
// submission on.
func readAccounts(in *bufio.Reader, s *collector) error {
	runs := &collector{Trace: s.Trace, path: s.path, opts: s.opts}
	runs.lines = nil // ids may stand there again
	if err := sacct.read(in, runs); err != nil {
		return err
	}
	first := map[int64]float64{}
	last := map[int64]int{}
	for i, j := range runs.Jobs {
		if at, again := first[j.ID]; !again || j.Arrive < at {
			first[j.ID] = j.Arrive
		}
		if k, again := last[j.ID]; !again || runs.Jobs[k].Arrive <= j.Arrive {
			last[j.ID] = i
		}
	}
	s.Ignored, s.Skipped, s.Bad, s.shift = runs.Ignored, runs.Skipped, runs.Bad, true
	for i, j := range runs.Jobs {
		if last[j.ID] != i {
			s.ignore("earlier runs of requeued jobs")
			continue
		}
		j.Arrive = first[j.ID]
		if err := s.add(j, j.Line); err != nil {
			return err
		}
	}
	return nil
}

func readSacct(r *record) (workload.Job, string) {
	id := r.text("jobid")
	if strings.Contains(id, ".") {
		return workload.Job{}, steps
	}
	end, why := parseState(r.text("state"))
	if strings.HasPrefix(r.text("state"), "REQUEUED") {
		end, why = workload.Cancelled, "" // a run; the job goes on in another row
	}
	if start := r.text("start"); why == "" && (start == "Unknown" || start == "None" || start == "") {
		why = neverRan
	}
	if why != "" {
		return workload.Job{}, why
	}
	j := workload.Job{
		ID: parseID(id), Name: r.text("jobname"), User: r.text("user"), Account: r.text("account"), QOS: r.text("qos"),
		Partition: r.text("partition"), End: end, Arrive: r.moment("submit"), Limit: r.limit(),
	}
	if raw := parseID(r.text("jobidraw")); raw > 0 {
		j.ID = raw // tasks of an array have their own
	} else if j.ID == 0 {
		j.ID = unnumbered
	}
	r.setEligible(&j)
	j.Duration = r.elapsed()
	r.setAllocated(&j)
	return j, skipReason(r, &j, "")
}

// setEligible lets a job arrive when it could have started: one that waited for
// another was not in the queue yet.
func (r *record) setEligible(j *workload.Job) {
	at, err := parseMoment(r.text("eligible"))
	if start := r.moment("start"); err == nil && at > j.Arrive && at <= start {
		j.Arrive = at
	}
}

func (r *record) elapsed() float64 {
	switch {
	case r.text("elapsedraw") != "":
		return r.num("elapsedraw")
	case r.text("elapsed") != "":
		d, err := parseSpan(r.text("elapsed"))
		r.fail("elapsed", err)
		return d.Seconds()
	}
	return r.moment("end") - r.moment("start")
}

// limit reads the time limit; the raw one counts minutes.
func (r *record) limit() time.Duration {
	name := "timelimitraw"
	if !r.has(name) {
		name = "timelimit"
	}
	if !r.has(name) {
		name = "time_limit"
	}
	d, err := parseSpan(r.text(name))
	r.fail(name, err)
	return d
}

// setAllocated reads what the job had, or asked for where that is not known. A
// type counts only when it was asked for: any would have done otherwise.
func (r *record) setAllocated(j *workload.Job) {
	had, err := parseTRES(r.text("alloctres"))
	r.fail("AllocTRES", err)
	asked, err := parseTRES(r.text("reqtres"))
	r.fail("ReqTRES", err)
	j.GPUs, j.CPUs, j.MemMB, j.GPUType = had.gpus, had.cpus, had.memMB, asked.gpuType
	if r.text("alloctres") == "" {
		j.GPUs, j.CPUs, j.MemMB = asked.gpus, asked.cpus, asked.memMB
	}
}

// fail notes the first error.
func (r *record) fail(name string, err error) {
	if r.err == nil && err != nil {
		r.err = problemf(name, "%v", err)
	}
}
