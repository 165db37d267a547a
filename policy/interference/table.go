package interference

import (
	"fmt"
	"math"

	"fairbridge/policy"
)

const (
	// leastWeight is how much the latest measurement of a pair of classes counts at least
	// against all before, so that what changed is noticed.
	leastWeight = 0.3
	// MinSpeed is the least speed that is believed, relative to the speed alone.
	MinSpeed = 0.05
	// MaxSpeed is the largest that is believed.
	MaxSpeed = 1.25
)

// Table is how fast jobs of each class are beside one of each class: as published, until it was
// measured. The zero Table, and a nil one, know no measurement.
type Table struct {
	Cells [classCount][classCount]Cell `json:"cells"` // by the job's own class and its neighbour's
}

// Cell is what was measured of jobs of one class beside those of one class.
type Cell struct {
	Count    int     `json:"count"`    // how many measurements there were; 0: the others mean nothing
	Loss     float64 `json:"loss"`     // mean of -ln(speed), what was published counted as one measurement
	Variance float64 `json:"variance"` // of one measurement of it
}

// Estimate is how fast a job is relative to its speed alone.
type Estimate struct {
	Speed float64 // what is expected, above 0
	Sigma float64 // standard error of -ln(speed) of a single pair
	Count int     // measurements it rests on besides what was published
}

// Low returns the speed that a pair is not below but for one in so many as the number of
// standard errors says: 1.2816 for one in ten, 0.6745 for one in four.
func (e Estimate) Low(sigmas float64) float64 { return e.Speed * math.Exp(-sigmas*e.Sigma) }

// Observe takes in that a job of a class had the speed, relative to that alone, beside one job of a
// class. It says why where it does not believe it.
func (t *Table) Observe(own, beside Class, speed float64) error {
	if !own.isValid() || !beside.isValid() {
		return fmt.Errorf("learning how fast jobs are beside others: no classes %d and %d; 0 to %d are", own, beside, classCount-1)
	}
	if !(speed >= MinSpeed && speed <= MaxSpeed) {
		return fmt.Errorf("learning how fast %v jobs are beside %v ones: %g of their speed alone is not believed; %g to %g is", own, beside, speed, MinSpeed, MaxSpeed)
	}
	c := &t.Cells[own][beside]
	if c.Count == 0 {
		*c = publishedCell(own, beside)
	}
	c.Count++
	weight := max(1/float64(c.Count+1), leastWeight)
	off := -math.Log(speed) - c.Loss
	c.Loss += weight * off
	c.Variance = (1 - weight) * (c.Variance + weight*off*off)
	return nil
}

// publishedCell is what stands for measurements before there are any. No job is counted on
// to be faster beside another than alone.
func publishedCell(own, beside Class) Cell {
	pair := PairOf(own, beside)
	sigma := pair.Sigma() / pair.Mean
	return Cell{Loss: -math.Log(min(pair.Mean, 1)), Variance: sigma * sigma}
}

// Beside returns how fast a job of a class is beside one of a class.
func (t *Table) Beside(own, beside Class) Estimate {
	own, beside = orJumbo(own), orJumbo(beside)
	c := publishedCell(own, beside)
	if t != nil && t.Cells[own][beside].Count > 0 {
		c = t.Cells[own][beside]
	}
	return Estimate{Speed: min(math.Exp(-c.Loss), 1), Sigma: math.Sqrt(c.Variance), Count: c.Count}
}

// JobBeside returns how fast a job is beside another, on the GPU they share. It is that of their
// classes where that was measured or the utilisation of one is not known, else as published for the
// sum of their utilisations.
func (t *Table) JobBeside(j, other *policy.Job) Estimate {
	own, _ := ClassOf(j)
	beside, _ := ClassOf(other)
	e := t.Beside(own, beside)
	a, b := Utilisation(j), Utilisation(other)
	if e.Count > 0 || !a.Known || !b.Known {
		return e
	}
	pair := PairAt(a.Value + b.Value)
	return Estimate{Speed: min(pair.Mean, 1), Sigma: pair.Sigma() / pair.Mean}
}

// Speeds returns how fast each of the jobs that share a GPU is.
func (t *Table) Speeds(jobs []*policy.Job) []float64 {
	out := make([]float64, len(jobs))
	for i, j := range jobs {
		out[i] = 1
		for k, other := range jobs {
			if k != i {
				out[i] *= t.JobBeside(j, other).Speed
			}
		}
	}
	return out
}
