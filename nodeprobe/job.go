package nodeprobe

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// JobUse is what one Slurm job uses of the node's GPUs.
type JobUse struct {
	ProcessJob
	GPUIndexes []int         `json:"gpus"`            // indexes, sorted
	Busy       OptionalValue `json:"busy,omitzero"`   // mean of its GPUs, 0..1; of a shared one what its own processes do; unknown when one is divided or unknown
	MemMB      OptionalValue `json:"mem_mb,omitzero"` // of its processes; unknown when one is
}

// jobKey tells jobs apart: what is known of both must agree.
type jobKey struct {
	job   int64
	sluid string
}

// JobsOnGPUs adds the processes up by job.
func JobsOnGPUs(gpus []GPU) []JobUse {
	found := map[jobKey]*JobUse{}
	for i := range gpus {
		g := &gpus[i]
		on := ProcessJobsOn(g)
		for _, o := range on {
			j := findOrAddJobUse(found, o)
			busy := g.Busy
			if len(on) > 1 || !allProcessesHaveJobs(g) {
				busy, _ = UseOfProcesses(g.Processes, func(p *Process) bool { return jobKeyOf(p.Job) == jobKeyOf(o) })
			}
			j.addGPU(g.Index, busy)
		}
		for _, p := range g.Processes {
			if p.Job.IsKnown() {
				found[jobKeyOf(p.Job)].addMemoryMB(p.MemMB)
			}
		}
	}
	return sortJobUses(found)
}

// ProcessJobsOn returns the jobs with a process on the GPU, each once, sorted.
func ProcessJobsOn(g *GPU) []ProcessJob {
	var out []ProcessJob
	for _, p := range g.Processes {
		o := ProcessJob{Job: p.Job.Job, SLUID: p.Job.SLUID, KnownBy: p.Job.KnownBy}
		if o.IsKnown() && !slices.ContainsFunc(out, func(b ProcessJob) bool { return jobKeyOf(b) == jobKeyOf(o) }) {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, compareProcessJobs)
	return out
}

func jobKeyOf(o ProcessJob) jobKey { return jobKey{o.Job, o.SLUID} }

func compareProcessJobs(a, b ProcessJob) int {
	return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.SLUID, b.SLUID))
}

func allProcessesHaveJobs(g *GPU) bool {
	return !slices.ContainsFunc(g.Processes, func(p Process) bool { return !p.Job.IsKnown() })
}

func findOrAddJobUse(found map[jobKey]*JobUse, o ProcessJob) *JobUse {
	j := found[jobKeyOf(o)]
	if j == nil {
		j = &JobUse{ProcessJob: o, Busy: KnownValue(0), MemMB: KnownValue(0)}
		found[jobKeyOf(o)] = j
	}
	return j
}

// addGPU counts a GPU and how busy the job keeps it.
func (j *JobUse) addGPU(index int, busy OptionalValue) {
	n := float64(len(j.GPUIndexes))
	j.GPUIndexes = append(j.GPUIndexes, index)
	if !busy.Known || !j.Busy.Known {
		j.Busy = OptionalValue{}
		return
	}
	j.Busy.Value = (j.Busy.Value*n + busy.Value) / (n + 1)
}

// UseOfProcesses returns what those of the processes that are meant do together, shares of the time, 0..1; unknown when
// there is none or what one of them does is not known.
func UseOfProcesses(procs []Process, isMeant func(*Process) bool) (busy, memBusy OptionalValue) {
	for i := range procs {
		p := &procs[i]
		if !isMeant(p) {
			continue
		}
		if !p.Busy.Known || !p.MemBusy.Known {
			return OptionalValue{}, OptionalValue{}
		}
		busy = KnownValue(min(busy.Value+p.Busy.Value, 1))
		memBusy = KnownValue(min(memBusy.Value+p.MemBusy.Value, 1))
	}
	return busy, memBusy
}

func (j *JobUse) addMemoryMB(mb int64) {
	if mb == 0 || !j.MemMB.Known {
		j.MemMB = OptionalValue{}
		return
	}
	j.MemMB.Value += float64(mb)
}

func sortJobUses(found map[jobKey]*JobUse) []JobUse {
	var out []JobUse
	for _, j := range found {
		slices.Sort(j.GPUIndexes)
		out = append(out, *j)
	}
	slices.SortFunc(out, func(a, b JobUse) int { return compareProcessJobs(a.ProcessJob, b.ProcessJob) })
	return out
}

// Progress is what a training job says of its own work. What it does not say
// is unknown.
type Progress struct {
	Epoch          OptionalValue `json:"epoch,omitzero"`    // completed
	TotalEpochs    OptionalValue `json:"epochs,omitzero"`   // in all
	Step           OptionalValue `json:"step,omitzero"`     // completed, at the present batch size
	TotalSteps     OptionalValue `json:"steps,omitzero"`    // in all, at the present batch size
	StepsPerSecond OptionalValue `json:"rate,omitzero"`     // steps per second, of the whole job
	BatchSize      OptionalValue `json:"batch,omitzero"`    // batch size, of the whole job
	Loss           OptionalValue `json:"loss,omitzero"`     // as the job defines it
	Requests       OptionalValue `json:"requests,omitzero"` // answered since this run began, by a replica of an inference service

	// What it says of the batch sizes it may use, in samples: of the whole job as its owner chose
	// it and at most, and on one GPU in one go.
	InitialBatch    OptionalValue `json:"batch_initial,omitzero"`
	MaxBatch        OptionalValue `json:"batch_max,omitzero"`
	LeastBatchOnGPU OptionalValue `json:"gpu_batch_least,omitzero"`
	MostBatchOnGPU  OptionalValue `json:"gpu_batch_most,omitzero"`
	// GradSqr and GradVar are the squared norm and the variance of its gradient at the initial batch size.
	GradSqr OptionalValue `json:"grad_sqr,omitzero"`
	GradVar OptionalValue `json:"grad_var,omitzero"`
}

// ProgressReport is the newest progress of a job on this node.
type ProgressReport struct {
	ProcessJob
	UID        int       `json:"uid"`         // of the process that reported
	ReceivedAt time.Time `json:"at"`          // when, by the probe's clock
	AgeSeconds float64   `json:"age_seconds"` // since At, by the probe's steady clock when it served this
	Progress   Progress  `json:"progress"`
}

// slowestRate is the least rate that is believed: a step in thirty years. Numbers that are further apart
// let a policy's arithmetic fail, and with it the decision on the jobs of all others.
const slowestRate = 1e-9

// Check returns what is wrong with the progress, nil when it makes sense.
func (p *Progress) Check() error {
	var errs []error
	said := false
	for _, f := range []struct {
		name string
		m    OptionalValue
		most float64
	}{
		{"epoch", p.Epoch, 1e9}, {"epochs", p.TotalEpochs, 1e9}, {"step", p.Step, 1e15}, {"steps", p.TotalSteps, 1e15},
		{"rate", p.StepsPerSecond, 1e9}, {"requests", p.Requests, 1e15}, {"batch", p.BatchSize, 1e9},
		{"batch_initial", p.InitialBatch, 1e9}, {"batch_max", p.MaxBatch, 1e9}, {"gpu_batch_least", p.LeastBatchOnGPU, 1e9},
		{"gpu_batch_most", p.MostBatchOnGPU, 1e9}, {"grad_sqr", p.GradSqr, 1e30}, {"grad_var", p.GradVar, 1e30},
	} {
		said = said || f.m.Known
		if f.m.Known && !(f.m.Value >= 0 && f.m.Value <= f.most) {
			errs = append(errs, fmt.Errorf("%s %v is not between 0 and %g", f.name, f.m.Value, f.most))
		}
	}
	if v := p.StepsPerSecond.Value; p.StepsPerSecond.Known && v > 0 && v < slowestRate {
		errs = append(errs, fmt.Errorf("rate %v is neither 0 nor at least %g", v, slowestRate))
	}
	if p.Loss.Known && (math.IsNaN(p.Loss.Value) || math.IsInf(p.Loss.Value, 0)) {
		errs = append(errs, fmt.Errorf("loss %v is not a number", p.Loss.Value))
	}
	if !said && !p.Loss.Known {
		errs = append(errs, errors.New("it says nothing: give epoch, step, loss, rate, batch or requests"))
	}
	return errors.Join(append(errs, checkAtMost("epoch", p.Epoch, "epochs", p.TotalEpochs), checkAtMost("step", p.Step, "steps", p.TotalSteps),
		checkAtMost("batch_initial", p.InitialBatch, "batch_max", p.MaxBatch), checkAtMost("gpu_batch_least", p.LeastBatchOnGPU, "gpu_batch_most", p.MostBatchOnGPU))...)
}

func checkAtMost(name string, less OptionalValue, than string, more OptionalValue) error {
	if less.Known && more.Known && less.Value > more.Value {
		return fmt.Errorf("%s %v is more than %s %v", name, less.Value, than, more.Value)
	}
	return nil
}

// ShareDone returns the share of the work that is done, 0..1: by epochs where the
// job counts them, since the number of steps may change, else by steps.
func (p *Progress) ShareDone() OptionalValue {
	for _, c := range [][2]OptionalValue{{p.Epoch, p.TotalEpochs}, {p.Step, p.TotalSteps}} {
		if c[0].Known && c[1].Known && c[1].Value > 0 {
			return KnownValue(min(c[0].Value/c[1].Value, 1))
		}
	}
	return OptionalValue{}
}

// Sample is one look at every GPU of a node, as GET /v1/sample answers.
type Sample struct {
	Node       string     `json:"node"`            // as Slurm names it
	At         time.Time  `json:"at"`              // when the driver answered; zero when it never did
	AgeSeconds float64    `json:"age_seconds"`     // since At, by the probe's own steady clock when it served this
	Seq        uint64     `json:"seq"`             // samples taken since the probe started
	IsStale    bool       `json:"stale,omitempty"` // the last good look; Error says why there is none since
	Error      string     `json:"error,omitempty"` // why there is no fresh look; "" when there is
	Driver     DriverInfo `json:"driver,omitzero"` // zero without one
	GPUs       []GPU      `json:"gpus"`            // by index
	Jobs       []JobUse   `json:"jobs,omitempty"`  // who uses them, sorted by job and SLUID
	// ProgressReports are what jobs said of their progress, whether or not GPUs can be
	// read; sorted by job and SLUID.
	ProgressReports []ProgressReport `json:"reports,omitempty"`
}

// DriverInfo is the NVIDIA driver of a node.
type DriverInfo struct {
	Version          string   `json:"version,omitempty"` // "550.54.15"
	CUDA             string   `json:"cuda,omitempty"`    // the newest CUDA it serves, "12.4"
	MissingFunctions []string `json:"missing,omitempty"` // NVML functions it lacks, sorted; what they measure is unknown
}

// Process is a process on a GPU.
type Process struct {
	PID       int        `json:"pid"`
	MemMB     int64      `json:"mem_mb,omitempty"` // GPU memory it holds, MiB; 0 when the driver does not say
	SliceUUID string     `json:"slice,omitempty"`  // UUID of its MIG device
	Job       ProcessJob `json:"owner,omitzero"`   // zero: not a Slurm job as far as can be seen
	// Busy and MemBusy are the shares of the time since the last look in which the process computed and
	// used the memory, 0..1, as the driver tells them apart on a GPU that several share. Unknown on a
	// divided GPU, and where the driver counts others' work under one process, as with MPS before Volta.
	Busy    OptionalValue `json:"busy,omitzero"`
	MemBusy OptionalValue `json:"mem_busy,omitzero"`
}

// ProcessJob is the Slurm job of a process.
type ProcessJob struct {
	Job     int64  `json:"job,omitempty"`   // 0 when only the SLUID is known
	SLUID   string `json:"sluid,omitempty"` // the run's identity, Slurm 26.05 and later
	Step    string `json:"step,omitempty"`  // batch, extern, interactive or a number
	KnownBy string `json:"by,omitempty"`    // how it is known: cgroup, title, environ (which the user can change)
}

// IsKnown reports whether the owner is known at all.
func (o ProcessJob) IsKnown() bool { return o.Job != 0 || o.SLUID != "" }

// OptionalValue is a reading that may be missing. The zero OptionalValue is unknown, so
// that an absent reading is never taken for zero. In JSON it is a number, and
// not there when unknown.
type OptionalValue struct {
	Value float64
	Known bool
}

// KnownValue returns a measured value.
func KnownValue(v float64) OptionalValue { return OptionalValue{Value: v, Known: true} }

// MarshalJSON writes the number, or null where the field could not be left out.
func (m OptionalValue) MarshalJSON() ([]byte, error) {
	if !m.Known {
		return []byte("null"), nil
	}
	return json.Marshal(m.Value)
}

// UnmarshalJSON reads a number, or null as unknown.
func (m *OptionalValue) UnmarshalJSON(b []byte) error {
	*m = OptionalValue{}
	if bytes.Equal(b, []byte("null")) {
		return nil
	}
	if err := json.Unmarshal(b, &m.Value); err != nil {
		return err
	}
	m.Known = true
	return nil
}
