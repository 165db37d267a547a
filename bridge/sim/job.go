package sim

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/bridge/slurm"
)

// The base states a World gives.
const (
	pending = "PENDING"
	running = "RUNNING"
)

// job is one job record.
type job struct {
	id         int64
	sluid      string
	spec       Spec  // as submitted, with later updates
	asked      int   // GPUs that spec.Work is measured on
	perCPU     int64 // megabytes of memory; 0: the job named its memory
	state      string
	completing bool
	ended      string // what a completing job becomes; "": pending again
	reason     string

	submit, begin, accrue, start, end time.Time
	hold                              string // "", JobHeldUser or JobHeldAdmin
	priority                          int64  // valid when not held
	direct                            bool
	site                              int64
	restarts                          int
	ran                               bool // at least once
	admin                             string

	array int64 // 0: none
	task  int64
	tasks []int64 // pending tasks of an unsplit record

	part    *partition // it runs in
	slots   []slot
	turn    int           // number of starts and stops; stale events differ
	saved   time.Duration // work done and kept
	expect  time.Time     // backfill's start estimate
	planned []slot        // and its place
	began   time.Time     // start to the millisecond
}

func (j *job) held() bool    { return j.hold != "" }
func (j *job) unsplit() bool { return j.array != 0 && len(j.tasks) > 0 }
func (j *job) done() bool    { return j.state != pending && j.state != running }

// gpus returns how many GPUs one task asks for in all.
func (j *job) gpus() int {
	if j.spec.GPUs > 0 {
		return j.spec.GPUs
	}
	return j.spec.GPUsPerNode * j.spec.Nodes
}

// memory returns what one node gives, in megabytes.
func (j *job) memory() int64 {
	if j.perCPU > 0 {
		return j.perCPU * int64(j.spec.CPUs)
	}
	return j.spec.MemMB
}

// holds returns the GPUs and their type that a running job has.
func (j *job) holds() (gpuType string, n int) {
	for _, s := range j.slots {
		if s.typ >= 0 {
			gpuType, n = s.n.GPUs[s.typ].Type, n+s.gpus
		}
	}
	return gpuType, n
}

// speed returns how fast its work goes where it runs.
func (j *job) speed() float64 {
	typ, n := j.holds()
	if j.spec.Speed != nil {
		return j.spec.Speed(typ, n)
	}
	if j.asked == 0 {
		return 1
	}
	return float64(n) / float64(j.asked)
}

func (w *World) job(id int64) (*job, error) {
	j := w.jobs[id]
	if j == nil {
		return nil, problem(NoSuchJob, "Invalid job id specified")
	}
	return j, nil
}

// add lists a new record.
func (w *World) add(j *job) {
	w.jobs[j.id] = j
	i, _ := slices.BinarySearchFunc(w.order, j.id, func(x *job, id int64) int { return cmp.Compare(x.id, id) })
	w.order = slices.Insert(w.order, i, j)
	w.open++
}

func (w *World) remove(j *job) {
	delete(w.jobs, j.id)
	i, ok := slices.BinarySearchFunc(w.order, j.id, func(x *job, id int64) int { return cmp.Compare(x.id, id) })
	if ok {
		w.order = slices.Delete(w.order, i, i+1)
	}
}

// newID returns the next free job id; ids wrap.
func (w *World) newID() int64 {
	for {
		id := w.nextID
		if w.nextID++; w.nextID > w.cfg.MaxJobID {
			w.nextID = w.cfg.FirstJobID
		}
		if w.jobs[id] == nil {
			return id
		}
	}
}

// newRun returns a fresh run identity, as 26.05 writes it: s and 13 digits.
func (w *World) newRun() string {
	const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	w.runs++
	v := uint64(w.cfg.Start.Unix())<<24 | w.runs&0xffffff
	b := []byte("s0000000000000")
	for i := len(b) - 1; i > 0; i-- {
		b[i] = digits[v&31]
		v >>= 5
	}
	return string(b)
}

// touch notes that a job changed.
func (w *World) touch() { w.changed = w.Now() }

// problem is a refusal in Slurm's words.
func problem(number int, text string) error {
	return &slurm.Error{Class: classes[number], Number: number, Text: text}
}

// classes sorts Slurm's refusals for callers in process.
var classes = map[int]slurm.Class{
	NoSuchJob: slurm.Gone, JobPending: slurm.Changed, JobHeld: slurm.Changed,
	NotPending: slurm.Changed, Finished: slurm.Changed, AccessDenied: slurm.Refused,
	InvalidUser: slurm.Refused, Disabled: slurm.Refused, PriorityFixed: slurm.Refused,
	BadNode: slurm.Rejected, BadPartition: slurm.Rejected, BadAccount: slurm.Rejected,
	BadGres: slurm.Rejected,
}
