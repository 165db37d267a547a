package workload

import (
	"fmt"
	"slices"
)

// Tables are measured speeds in steps per second of the whole job, by GPU type,
// class and number of GPUs: alone, and beside another job on the same GPUs.
type Tables struct {
	stepsAlone  map[speedKey]float64
	stepsBeside map[pairKey]float64
	types       []string
}

type speedKey struct {
	typ, class string
	gpus       int
}

type pairKey struct {
	speedKey
	other string
}

// SpeedRow is one line of throughput tables. With Other, both jobs run on the same
// GPUs, each with its own speed.
type SpeedRow struct {
	Type       string  // of the GPUs
	Class      string  // as Job.Class
	GPUs       int     // of the job, and of its neighbour
	Steps      float64 // per second
	Other      string  // class of the neighbour; "": none
	OtherSteps float64 // the neighbour's steps per second
}

// NewTables makes tables of their lines, in any order. Of lines that say the
// same twice the last holds.
func NewTables(rows []SpeedRow) *Tables {
	t := &Tables{stepsAlone: make(map[speedKey]float64), stepsBeside: make(map[pairKey]float64, len(rows))}
	for _, r := range rows {
		if r.Other == "" {
			t.stepsAlone[speedKey{r.Type, r.Class, r.GPUs}] = r.Steps
		} else {
			t.stepsBeside[pairKey{speedKey{r.Type, r.Class, r.GPUs}, r.Other}] = r.Steps
			t.stepsBeside[pairKey{speedKey{r.Type, r.Other, r.GPUs}, r.Class}] = r.OtherSteps
		}
		if i, found := slices.BinarySearch(t.types, r.Type); !found {
			t.types = slices.Insert(t.types, i, r.Type)
		}
	}
	return t
}

// GPUTypes returns the GPU types of the tables, sorted.
func (t *Tables) GPUTypes() []string { return slices.Clone(t.types) }

// StepsAlone returns the steps per second of a job that has its GPUs for itself; ok
// is false when it was not measured. A nil Tables knows nothing.
func (t *Tables) StepsAlone(typ, class string, gpus int) (steps float64, ok bool) {
	if t == nil {
		return 0, false
	}
	steps, ok = t.stepsAlone[speedKey{typ, class, gpus}]
	return steps, ok
}

// StepsBeside returns the steps per second of a job that shares its GPUs with one of
// the other class; ok is false when it was not measured.
func (t *Tables) StepsBeside(typ, class string, gpus int, other string) (steps float64, ok bool) {
	if t == nil {
		return 0, false
	}
	steps, ok = t.stepsBeside[pairKey{speedKey{typ, class, gpus}, other}]
	return steps, ok
}

// Neighbours returns the classes whose speed beside the class is known on the
// type and number of GPUs, sorted.
func (t *Tables) Neighbours(typ, class string, gpus int) []string {
	if t == nil {
		return nil
	}
	var names []string
	for p := range t.stepsBeside {
		if p.speedKey == (speedKey{typ, class, gpus}) {
			names = append(names, p.other)
		}
	}
	slices.Sort(names)
	return names
}

// ClassOf names the class of a model at a batch size, as the tables do.
func ClassOf(model string, batch int) string { return fmt.Sprintf("%s (batch size %d)", model, batch) }
