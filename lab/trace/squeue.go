package trace

import (
	"bufio"
	"cmp"
	"strings"

	"fairbridge/bridge/slurm"
	"fairbridge/replica/workload"
)

// squeueRunTimeNote says what a queue cannot tell.
const squeueRunTimeNote = "run times are the time limits: a queue does not know how long its jobs will run"

// maxArrayTasks is how many tasks of one array are read.
const maxArrayTasks = 10_000

// squeueTable is its text with columns between bars, as
// squeue -O prints it where docs/simulation.md says, or squeue -o '%i|%u|%a|%q|%P|%T|%V|%l|%D|%C|%b'.
var squeueTable = tableFormat{'|', []string{"jobid", "user", "state", "submit_time", "time_limit"}, nil}

func readSqueue(in *bufio.Reader, s *jobCollector) error {
	s.Notes = append(s.Notes, squeueRunTimeNote)
	t := squeueTable
	var more []workload.Job // further tasks of arrays
	t.parseJob = func(r *tableRecord) (workload.Job, string) {
		j, why := parseQueuedJob(r)
		for range countArrayTasks(r.textByName("jobid")) - 1 {
			if why != "" || r.err != nil {
				break
			}
			task := j
			task.ID = unassignedID
			more = append(more, task)
		}
		return j, why
	}
	if err := t.readFile(in, s); err != nil {
		return err
	}
	for _, j := range more {
		if err := s.addJob(j, 0); err != nil {
			return err
		}
	}
	return nil
}

// parseQueuedJob reads a row. GPUs stand as a number for each node or in a list of all.
func parseQueuedJob(r *tableRecord) (workload.Job, string) {
	id, _, _ := strings.Cut(r.readHetJob(r.textByName("jobid")), "_")
	j := workload.Job{
		ID: parseID(id), Name: r.textByName("name"), User: r.textByName("user"), Account: r.textByName("account"), QOS: r.textByName("qos"),
		Partition: r.textByName("partition"), CPUs: r.countByName("cpus"), Arrive: r.unixSeconds("submit_time"), TimeLimit: r.timeLimit(),
	}
	if strings.Contains(r.textByName("jobid"), "_") {
		j.ID = unassignedID // tasks share the number of their array
	}
	nodes := 1
	if r.textByName("nodes") != "" {
		nodes = r.countByName("nodes")
	}
	perNode, typ, err := parseGRES(cmp.Or(r.textByName("tres_per_node"), r.textByName("gres")))
	r.setError("tres_per_node", err)
	perJob, typOfAll, err := parseGRES(r.textByName("tres_per_job"))
	r.setError("tres_per_job", err)
	all := cmp.Or(r.textByName("tres_alloc"), r.textByName("tres"))
	if all == notAvailable {
		all = ""
	}
	total, err := parseTRES(all)
	r.setError("tres", err)
	j.GPUs, j.GPUType = max(perNode*nodes, perJob, total.gpus), cmp.Or(typ, typOfAll, total.gpuType)
	if r.err == nil && j.GPUs == 0 && all == "" {
		return j, "whose GPUs are not known: print tres-alloc as docs/simulation.md says"
	}
	return j, r.durationFromLimit(&j)
}

// notAvailable is squeue's word for nothing, or for a thing that another column tells.
const notAvailable = "N/A"

// durationFromLimit takes the time limit for the run time.
func (r *tableRecord) durationFromLimit(j *workload.Job) string {
	j.Duration = j.TimeLimit.Seconds()
	if r.err == nil && j.GPUs > 0 && j.Duration == 0 {
		return "without a time limit"
	}
	return skipReason(r, j, "")
}

// countArrayTasks counts those of an array that waits as one line: 4711_[3,5-9:2%4].
func countArrayTasks(id string) int {
	_, list, _ := strings.Cut(id, "_[")
	tasks := slurm.ReadArrayTasks(strings.TrimSuffix(list, "]"))
	if tasks.IsTruncated {
		return 1 // nothing says how many
	}
	return min(max(tasks.Count, 1), maxArrayTasks)
}
