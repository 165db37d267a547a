package trace

import (
	"bufio"
	"strings"
	"time"

	"fairbridge/bridge/study/workload"
)

// sacctTable is the output of sacct -P with these columns and others, in any order.
var sacctTable = tableFormat{'|', []string{"jobid", "state", "submit", "start"}, parseSacctJob}

// readSacctTable reads sacct's table. Of jobs that stand there several times,
// because they were requeued (sacct -D), the last run counts, from the first
// submission on.
func readSacctTable(in *bufio.Reader, s *jobCollector) error {
	runs := &jobCollector{Trace: s.Trace, path: s.path, options: s.options}
	runs.lineByJobID = nil // ids may stand there again
	if err := sacctTable.readFile(in, runs); err != nil {
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
	s.IgnoredByReason, s.SkippedCount, s.FirstErrors, s.shiftsToFirstArrival = runs.IgnoredByReason, runs.SkippedCount, runs.FirstErrors, true
	for i, j := range runs.Jobs {
		if last[j.ID] != i {
			s.countIgnored("earlier runs of requeued jobs")
			continue
		}
		j.Arrive = first[j.ID]
		if err := s.addJob(j, j.Line); err != nil {
			return err
		}
	}
	return nil
}

func parseSacctJob(r *tableRecord) (workload.Job, string) {
	id := r.textByName("jobid")
	if strings.Contains(id, ".") {
		return workload.Job{}, ignoredSteps
	}
	end, why := parseState(r.textByName("state"))
	if strings.HasPrefix(r.textByName("state"), "REQUEUED") {
		end, why = workload.Cancelled, "" // a run; the job goes on in another row
	}
	if start := r.textByName("start"); why == "" && (start == "Unknown" || start == "None" || start == "") {
		why = ignoredNeverRan
	}
	if why != "" {
		return workload.Job{}, why
	}
	j := workload.Job{
		ID: parseID(id), Name: r.textByName("jobname"), User: r.textByName("user"), Account: r.textByName("account"), QOS: r.textByName("qos"),
		Partition: r.textByName("partition"), End: end, Arrive: r.unixSeconds("submit"), TimeLimit: r.timeLimit(),
	}
	if raw := parseID(r.textByName("jobidraw")); raw > 0 {
		j.ID = raw // tasks of an array have their own
	} else if j.ID == 0 {
		j.ID = unassignedID
	}
	r.setEligibleArrival(&j)
	j.Duration = r.elapsedSeconds()
	r.setAllocation(&j)
	return j, skipReason(r, &j, "")
}

// setEligibleArrival lets a job arrive when it could have started: one that waited for
// another was not in the queue yet.
func (r *tableRecord) setEligibleArrival(j *workload.Job) {
	at, err := parseTime(r.textByName("eligible"))
	if start := r.unixSeconds("start"); err == nil && at > j.Arrive && at <= start {
		j.Arrive = at
	}
}

func (r *tableRecord) elapsedSeconds() float64 {
	switch {
	case r.textByName("elapsedraw") != "":
		return r.numberByName("elapsedraw")
	case r.textByName("elapsed") != "":
		d, err := ParseTimeSpan(r.textByName("elapsed"))
		r.setError("elapsed", err)
		return d.Seconds()
	}
	return r.unixSeconds("end") - r.unixSeconds("start")
}

// timeLimit reads the time limit; the raw one counts minutes.
func (r *tableRecord) timeLimit() time.Duration {
	name := "timelimitraw"
	if !r.hasColumn(name) {
		name = "timelimit"
	}
	if !r.hasColumn(name) {
		name = "time_limit"
	}
	d, err := ParseTimeSpan(r.textByName(name))
	r.setError(name, err)
	return d
}

// setAllocation reads what the job had, or asked for where that is not known. A
// type counts only when it was asked for: any would have done otherwise.
func (r *tableRecord) setAllocation(j *workload.Job) {
	had, err := parseTRES(r.textByName("alloctres"))
	r.setError("AllocTRES", err)
	asked, err := parseTRES(r.textByName("reqtres"))
	r.setError("ReqTRES", err)
	j.GPUs, j.CPUs, j.MemMB, j.GPUType = had.gpus, had.cpus, had.memMB, asked.gpuType
	if r.textByName("alloctres") == "" {
		j.GPUs, j.CPUs, j.MemMB = asked.gpus, asked.cpus, asked.memMB
	}
}

// setError notes the first error.
func (r *tableRecord) setError(name string, err error) {
	if r.err == nil && err != nil {
		r.err = newUnlocatedProblem(name, "%v", err)
	}
}
