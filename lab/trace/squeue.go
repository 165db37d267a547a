package trace

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"fairbridge/bridge/printable"
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

// tres is what matters to us of a list like
// "billing=8,cpu=8,gres/gpu:a100=4,gres/gpu=4,mem=64G,node=1".
type tres struct {
	gpus, cpus int
	gpuType    string // "": not said, or several
	memMB      int64
}

// parseTRES reads a list of trackable resources. GPUs are counted once, whether
// they stand there with their type, without, or both.
func parseTRES(s string) (t tres, err error) {
	typed, kinds := 0, 0
	for item := range strings.SplitSeq(s, ",") {
		name, value, _ := strings.Cut(item, "=")
		kind, ofGPU := strings.CutPrefix(name, "gres/gpu:")
		n := 0
		switch {
		case ofGPU, name == "gres/gpu", name == "cpu":
			if n, err = strconv.Atoi(value); err != nil || n < 0 {
				return t, fmt.Errorf("%q is no number of %s", printable.Truncate(value, maxShownChars), name)
			}
		case name == "mem":
			if t.memMB, err = parseMegabytes(value); err != nil {
				return t, err
			}
		}
		switch {
		case ofGPU:
			typed, kinds, t.gpuType = typed+n, kinds+1, kind
		case name == "gres/gpu":
			t.gpus = n
		case name == "cpu":
			t.cpus = n
		}
	}
	if kinds > 1 || t.gpus > typed { // Slurm may track one type of several
		t.gpuType = ""
	}
	t.gpus = max(t.gpus, typed)
	return t, nil
}

// parseMegabytes reads 64G, 4000M, 1.50T or plain megabytes.
func parseMegabytes(s string) (int64, error) {
	unit := 1.0
	if n := len(s); n > 0 {
		switch s[n-1] {
		case 'K':
			unit = 1.0 / 1024
		case 'G':
			unit = 1024
		case 'T':
			unit = 1024 * 1024
		}
	}
	v, err := parseNumber(strings.TrimRight(s, "KMGT"))
	if err != nil || v < 0 || v*unit > 1<<50 {
		return 0, fmt.Errorf("%q is no amount of memory, want like 64G", printable.Truncate(s, maxShownChars))
	}
	return int64(math.Ceil(v * unit)), nil
}

// parseGRES reads the GPUs of a list like "gres/gpu:a100:4", "gpu:4(S:0-1)" or
// "gres:gpu", which squeue prints.
func parseGRES(s string) (gpus int, gpuType string, err error) {
	list := slurm.ReadGRESRequest(s)
	if list.UnreadReason != "" {
		return 0, "", fmt.Errorf("%q is no number of GPUs", printable.Truncate(s, maxShownChars))
	}
	types := map[string]bool{}
	for _, g := range list.List {
		if g.Name == "gpu" {
			gpus, gpuType, types[g.Type] = gpus+g.Count, g.Type, true
		}
	}
	if len(types) > 1 {
		gpuType = ""
	}
	return gpus, gpuType, nil
}
