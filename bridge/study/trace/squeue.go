package trace

import (
	"bufio"
	"cmp"
	"strings"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/study/workload"
)

// squeueNote says what a queue cannot tell.
const squeueNote = "run times are the time limits: a queue does not know how long its jobs will run"

// mostTasks is how many tasks of one array are read.
const mostTasks = 10_000

// squeue is its text with columns between bars, as
// squeue -o '%i|%u|%a|%q|%P|%T|%V|%l|%D|%C|%b' prints it.
var squeue = table{'|', []string{"jobid", "user", "state", "submit_time", "time_limit"}, nil}

func readSqueue(in *bufio.Reader, s *collector) error {
	s.Notes = append(s.Notes, squeueNote)
	t := squeue
	var more []workload.Job // further tasks of arrays
	t.job = func(r *record) (workload.Job, string) {
		j, why := parseQueuedJob(r)
		for range countTasks(r.text("jobid")) - 1 {
			if why != "" || r.err != nil {
				break
			}
			task := j
			task.ID = unnumbered
			more = append(more, task)
		}
		return j, why
	}
	if err := t.read(in, s); err != nil {
		return err
	}
	for _, j := range more {
		if err := s.add(j, 0); err != nil {
			return err
		}
	}
	return nil
}

// parseQueuedJob reads a row. GPUs stand as a number for each node or in a list of all.
func parseQueuedJob(r *record) (workload.Job, string) {
	id, _, _ := strings.Cut(r.text("jobid"), "_")
	j := workload.Job{
		ID: parseID(id), Name: r.text("name"), User: r.text("user"), Account: r.text("account"), QOS: r.text("qos"),
		Partition: r.text("partition"), CPUs: r.count("cpus"), Arrive: r.moment("submit_time"), Limit: r.limit(),
	}
	if strings.Contains(r.text("jobid"), "_") {
		j.ID = unnumbered // tasks share the number of their array
	}
	nodes := 1
	if r.text("nodes") != "" {
		nodes = r.count("nodes")
	}
	perNode, typ, err := parseGRES(cmp.Or(r.text("tres_per_node"), r.text("gres")))
	r.fail("tres_per_node", err)
	total, err := parseTRES(cmp.Or(r.text("tres_alloc"), r.text("tres")))
	r.fail("tres", err)
	j.GPUs, j.GPUType = max(perNode*nodes, total.gpus), cmp.Or(typ, total.gpuType)
	return j, r.durationFromLimit(&j)
}

// durationFromLimit takes the time limit for the run time.
func (r *record) durationFromLimit(j *workload.Job) string {
	j.Duration = j.Limit.Seconds()
	if r.err == nil && j.GPUs > 0 && j.Duration == 0 {
		return "without a time limit"
	}
	return skipReason(r, j, "")
}

// countTasks counts those of an array that waits as one line: 4711_[3,5-9:2%4].
func countTasks(id string) int {
	_, list, _ := strings.Cut(id, "_[")
	tasks := slurm.ReadTasks(strings.TrimSuffix(list, "]"))
	if tasks.Cut {
		return 1 // nothing says how many
	}
	return min(max(tasks.Count, 1), mostTasks)
}
