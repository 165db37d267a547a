package workload

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// SpeedTables are measured speeds in steps per second of the whole job, by GPU type,
// class and number of GPUs: alone, and beside another job on the same GPUs.
type SpeedTables struct {
	stepsAlone  map[speedKey]float64
	stepsBeside map[pairKey]float64
	gpuTypes    []string
	tellsSizes  bool // see TellsSizes
}

type speedKey struct {
	gpuType, class string
	gpuCount       int
}

type pairKey struct {
	speedKey
	neighbourClass string
}

// SpeedRow is one line of throughput tables. With NeighbourClass, both jobs run on the same
// GPUs, each with its own speed.
type SpeedRow struct {
	GPUType                 string  // of the GPUs
	Class                   string  // as Job.Class
	GPUCount                int     // of the job, and of its neighbour
	StepsPerSecond          float64 // per second
	NeighbourClass          string  // class of the neighbour; "": none
	NeighbourStepsPerSecond float64 // the neighbour's steps per second
}

// NewSpeedTables makes tables of their lines, in any order. Of lines that say the
// same twice the last holds.
func NewSpeedTables(rows []SpeedRow) *SpeedTables {
	t := &SpeedTables{stepsAlone: make(map[speedKey]float64), stepsBeside: make(map[pairKey]float64, len(rows))}
	for _, r := range rows {
		if r.NeighbourClass == "" {
			t.stepsAlone[speedKey{r.GPUType, r.Class, r.GPUCount}] = r.StepsPerSecond
		} else {
			t.stepsBeside[pairKey{speedKey{r.GPUType, r.Class, r.GPUCount}, r.NeighbourClass}] = r.StepsPerSecond
			t.stepsBeside[pairKey{speedKey{r.GPUType, r.NeighbourClass, r.GPUCount}, r.Class}] = r.NeighbourStepsPerSecond
		}
		if i, found := slices.BinarySearch(t.gpuTypes, r.GPUType); !found {
			t.gpuTypes = slices.Insert(t.gpuTypes, i, r.GPUType)
		}
	}
	return t
}

// GPUTypes returns the GPU types of the tables, sorted.
func (t *SpeedTables) GPUTypes() []string { return slices.Clone(t.gpuTypes) }

// StepsAlone returns the steps per second of a job that has its GPUs for itself; ok
// is false when it was not measured. A nil SpeedTables knows nothing.
func (t *SpeedTables) StepsAlone(typ, class string, gpus int) (steps float64, ok bool) {
	if t == nil {
		return 0, false
	}
	steps, ok = t.stepsAlone[speedKey{typ, class, gpus}]
	return steps, ok
}

// StepsBeside returns the steps per second of a job that shares its GPUs with one of
// the other class; ok is false when it was not measured.
func (t *SpeedTables) StepsBeside(typ, class string, gpus int, other string) (steps float64, ok bool) {
	if t == nil {
		return 0, false
	}
	steps, ok = t.stepsBeside[pairKey{speedKey{typ, class, gpus}, other}]
	return steps, ok
}

// Neighbours returns the classes whose speed beside the class is known on the
// type and number of GPUs, sorted.
func (t *SpeedTables) Neighbours(typ, class string, gpus int) []string {
	if t == nil {
		return nil
	}
	var names []string
	for p := range t.stepsBeside {
		if p.speedKey == (speedKey{typ, class, gpus}) {
			names = append(names, p.neighbourClass)
		}
	}
	slices.Sort(names)
	return names
}

// ClassOf names the class of a model at a batch size, as the tables do.
func ClassOf(model string, batch int) string { return fmt.Sprintf("%s (batch size %d)", model, batch) }

// ClassSize is a class of jobs and the number of their GPUs.
type ClassSize struct {
	Class string
	GPUs  int
}

// ClassSizes returns what was measured alone on GPUs of the type, sorted.
func (t *SpeedTables) ClassSizes(typ string) []ClassSize {
	if t == nil {
		return nil
	}
	var all []ClassSize
	for k := range t.stepsAlone {
		if k.gpuType == typ {
			all = append(all, ClassSize{k.class, k.gpuCount})
		}
	}
	slices.SortFunc(all, func(a, b ClassSize) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.GPUs, b.GPUs))
	})
	return all
}

// Problem is what is wrong with a line of a trace.
type Problem struct {
	File    string
	Line    int    // 0: the file as a whole
	Column  string // its name, or its number from 1; "": the whole line
	Message string // and what to do about it
}

// Error says where and what: file:line: column: what.
func (p Problem) Error() string {
	s := p.File
	if p.Line > 0 {
		s += ":" + strconv.Itoa(p.Line)
	}
	if p.Column != "" {
		s += ": " + p.Column
	}
	return s + ": " + p.Message
}
