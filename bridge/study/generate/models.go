package generate

import (
	"math"
	"math/bits"

	"fairbridge/bridge/study/workload"
)

// model is a kind of training job. Its speeds are made up: a step takes what
// the batch costs, what every step costs, and what GPUs cost to agree.
type model struct {
	name    string
	batches []int
	sample  float64 // seconds a sample takes on the fastest type
	step    float64 // seconds every step takes besides
	agree   float64 // seconds every step takes for each doubling of the GPUs
	gpus    int     // most it can use
	slower  [2]float64
}

// types are the GPU types of Tables, the fastest first.
var types = [3]string{"v100", "p100", "k80"}

// catalogue are the models drawn from, named as in the published tables so that
// their jobs adapt batch sizes by the same rules. slower are the speeds of p100
// and k80 relative to v100: heavy convolutions lose most on old GPUs.
var catalogue = []model{
	{"ResNet-18", []int{16, 32, 64, 128, 256}, .00058, .012, .006, 8, [2]float64{.62, .22}},
	{"ResNet-50", []int{16, 32, 64, 128}, .0048, .020, .008, 8, [2]float64{.52, .14}},
	{"Transformer", []int{16, 32, 64, 128}, .0068, .030, .025, 8, [2]float64{.72, .33}},
	{"LM", []int{5, 10, 20, 40, 80}, .00042, .006, .005, 8, [2]float64{.80, .27}},
	{"Recommendation", []int{512, 1024, 2048, 4096, 8192}, .0000095, .004, 0, 1, [2]float64{.95, .45}},
}

// speed returns the steps per second of the whole job on so many GPUs of
// types[typ].
func (m *model) speed(typ, batch, gpus int) float64 {
	one := m.step + m.sample*float64(batch)
	if typ > 0 {
		one /= m.slower[typ-1]
	}
	return float64(gpus) / (one + m.agree*float64(bits.Len(uint(gpus))-1))
}

// busy is the part of a GPU's time that the job alone keeps it busy.
func (m *model) busy(batch int) float64 {
	work := m.sample * float64(batch)
	return .25 + .7*work/(work+m.step)
}

// memory is the part of a GPU's memory that the job fills.
func (m *model) memory(batch int) float64 {
	return .12 + .5*float64(batch)/float64(m.batches[len(m.batches)-1])
}

// Speeds of two jobs on one GPU: both lose a little, and share what one of them
// cannot have for itself.
const interference = .95

// speedKeptBeside returns how much of its speed alone each of two neighbours keeps; 0
// when they do not fit together.
func speedKeptBeside(a *model, batchA int, b *model, batchB int) float64 {
	if a.memory(batchA)+b.memory(batchB) > 1 {
		return 0
	}
	return interference / math.Max(1, a.busy(batchA)+b.busy(batchB))
}

// Tables returns made-up speeds of the jobs that Gavel, Shockwave and Deadline
// draw, alone and in pairs on one GPU. GPU types: v100, p100, k80.
func Tables() *workload.Tables {
	var rows []workload.Speed
	for typ := range types {
		for i := range catalogue {
			for _, batch := range catalogue[i].batches {
				rows = append(rows, speedsAlone(typ, &catalogue[i], batch)...)
				rows = append(rows, speedsInPairs(typ, &catalogue[i], batch)...)
			}
		}
	}
	return workload.NewTables(rows)
}

func speedsAlone(typ int, m *model, batch int) []workload.Speed {
	var rows []workload.Speed
	for g := 1; g <= m.gpus; g *= 2 {
		rows = append(rows, workload.Speed{Type: types[typ], Class: workload.ClassOf(m.name, batch), GPUs: g, Steps: m.speed(typ, batch, g)})
	}
	return rows
}

func speedsInPairs(typ int, m *model, batch int) []workload.Speed {
	var rows []workload.Speed
	for i := range catalogue {
		o := &catalogue[i]
		for _, other := range o.batches {
			keep := speedKeptBeside(m, batch, o, other)
			rows = append(rows, workload.Speed{
				Type: types[typ], Class: workload.ClassOf(m.name, batch), GPUs: 1, Steps: keep * m.speed(typ, batch, 1),
				Other: workload.ClassOf(o.name, other), OtherSteps: keep * o.speed(typ, other, 1),
			})
		}
	}
	return rows
}
