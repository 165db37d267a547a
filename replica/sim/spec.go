package sim

import (
	"slices"
	"time"
)

// JobSpec is a submission: what sbatch is told, and what the job will really do.
type JobSpec struct {
	Name      string
	User      string // "user" when empty
	Account   string // the user's when empty
	QOS       string // "normal" when empty
	Partition string // comma list; the first partition when empty

	MinNodes      int    // at least; 1 when zero
	GPUsPerNode   int    // --gres=gpu:type:n
	Shards        int    // --gres=shard:n, of one GPU of each node; not with GPUs
	GPUs          int    // --gpus=n in all, on as few nodes as possible; not with GPUsPerNode
	GPUType       string // "": any
	CPUsPerNode   int    // per node; 1 when zero
	MemMBPerNode  int64  // per node; Config.DefMemPerCPU for each CPU when zero
	Exclusive     bool
	Features      string   // all of them: "a100&ib"
	RequiredNodes []string // --nodelist
	ExcludedNodes []string // --exclude

	TimeLimit       time.Duration // the partition's when zero
	BeginTime       time.Time     // --begin
	Deadline        time.Time     // shown, and the job is ended there
	Nice            int64
	Priority        int64 // direct priority from the start (Operators); 0: multifactor
	Hold            bool  // --hold, a user's hold
	NoRequeue       bool
	Reservation     string // --reservation
	Dependency      string // afterok:1,afterany:2,after:3,afternotok:4
	ArraySize       int    // tasks 0…Array-1; 0: no array
	ArrayMaxRunning int    // "%n": most tasks at once
	Comment         string
	Extra           string

	WorkTime           time.Duration   // run time on what it asks, without any stop
	TaskWorkTimes      []time.Duration // the same of each task of an array; nil: WorkTime
	Fails              bool            // ends FAILED instead of COMPLETED
	Checkpoints        bool            // a stopped run keeps its work, else the next starts from zero
	CheckpointInterval time.Duration   // saved work is a multiple of it; 0: saved to the moment of the stop
	RestoreTime        time.Duration   // restore time at each restart of a checkpointing job

	// Speed says how fast the work goes on n GPUs of a type over nodes, 1 being the speed
	// that WorkTime is measured at. Nil: in proportion to the GPUs first asked for.
	Speed func(gpuType string, n, nodes int) float64
}

// taskWorkTime returns the run time of a task of an array, or of a job that is none.
func (s *JobSpec) taskWorkTime(task int64) time.Duration {
	if task < 0 || int(task) >= len(s.TaskWorkTimes) {
		return s.WorkTime
	}
	return s.TaskWorkTimes[task]
}

// shortestWorkTime returns the shortest run time of its tasks.
func (s *JobSpec) shortestWorkTime() time.Duration {
	if len(s.TaskWorkTimes) > 0 {
		return slices.Min(s.TaskWorkTimes)
	}
	return s.WorkTime
}
