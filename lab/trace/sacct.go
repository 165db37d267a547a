package trace

import (
	"bufio"
	"cmp"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/replica/workload"
)

// sacctTable is the output of sacct -P with these columns and others, in any order.
var sacctTable = tableFormat{'|', []string{"jobid", "state", "submit", "start"}, parseSacctJob}

// sacctRow is what tells rows of one job from those of others: ids come again.
type sacctRow struct {
	job, user   string
	submit, end float64
	isRequeued  bool // it may be, by its state
}

// requeueStates are those in which a run may end whose job goes on.
var requeueStates = []string{"REQUEUED", "PREEMPTED", "NODE_FAIL", "BOOT_FAIL"}

// maxRequeueSeconds is within what time of a run's end the job is submitted again.
const maxRequeueSeconds = 3600

// readSacctTable reads sacct's table. Of jobs that stand there several times,
// because they were requeued (sacct -D), the last run counts, from the first
// submission on.
func readSacctTable(in *bufio.Reader, s *jobCollector) error {
	runs := &jobCollector{Trace: s.Trace, path: s.path, options: s.options} // ids may stand there again
	table, rows := sacctTable, map[int]sacctRow{}
	table.parseJob = func(r *tableRecord) (workload.Job, string) {
		j, why := parseSacctJob(r)
		if why == "" && r.err == nil {
			rows[r.line] = newSacctRow(r, j.Duration)
		}
		return j, why
	}
	if err := table.readFile(in, runs); err != nil {
		return err
	}
	s.IgnoredByReason, s.SkippedCount, s.FirstErrors, s.shiftsToFirstArrival = runs.IgnoredByReason, runs.SkippedCount, runs.FirstErrors, true
	goesOn := markEarlierRuns(runs.Jobs, rows)
	for i, j := range runs.Jobs {
		if goesOn[i] != "" {
			s.countIgnored(goesOn[i])
			continue
		}
		if _, again := s.lineByJobID[j.ID]; again {
			j.ID = unassignedID // the counter of ids began again
		}
		if err := s.addJob(j, j.Line); err != nil {
			return err
		}
	}
	return nil
}

// newSacctRow reads a row of a run of so many seconds.
func newSacctRow(r *tableRecord, seconds float64) sacctRow {
	state := r.textByName("state")
	row := sacctRow{
		job:  r.textByName("cluster") + " " + cmp.Or(r.hetJob, r.textByName("jobidraw"), r.textByName("jobid")),
		user: r.textByName("user"), submit: r.unixSeconds("submit"),
		isRequeued: slices.ContainsFunc(requeueStates, func(w string) bool { return strings.HasPrefix(state, w) }),
	}
	var err error
	if row.end, err = parseTime(r.textByName("end")); err != nil {
		row.end = r.unixSeconds("start") + seconds
	}
	return row
}

// markEarlierRuns says of each job that goes on in another, or is the same, why it does not
// count; the last run of each job gets the first arrival.
func markEarlierRuns(jobs []workload.Job, rows map[int]sacctRow) map[int]string {
	order, goesOn := make([]int, len(jobs)), map[int]string{}
	for i := range order {
		order[i] = i
	}
	row := func(i int) sacctRow { return rows[jobs[i].Line] }
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(row(a).job, row(b).job), cmp.Compare(row(a).submit, row(b).submit))
	})
	for n := 1; n < len(order); n++ {
		this, next := order[n-1], order[n]
		if goesOn[this] = row(this).goesOnIn(row(next)); goesOn[this] != "" {
			jobs[next].Arrive = min(jobs[next].Arrive, jobs[this].Arrive)
		}
	}
	return goesOn
}

// goesOnIn is why a row does not count beside the next one of its job; "" where that is
// another job.
func (r sacctRow) goesOnIn(next sacctRow) string {
	switch gap := next.submit - r.end; {
	case r.job != next.job || r.user != next.user:
		return ""
	case r.submit == next.submit:
		return "rows that stand there twice"
	case r.isRequeued && gap >= 0 && gap <= maxRequeueSeconds:
		return "earlier runs of requeued jobs"
	}
	return ""
}

func parseSacctJob(r *tableRecord) (workload.Job, string) {
	id := r.textByName("jobid")
	if strings.Contains(id, ".") {
		return workload.Job{}, ignoredSteps
	}
	id = r.readHetJob(id)
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
	if raw := parseID(r.textByName("jobidraw")); raw > 0 && r.hetJob == "" {
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
		d, err := slurm.ParseTimeSpan(r.textByName("elapsed"))
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
	d, err := slurm.ParseTimeSpan(r.textByName(name))
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
