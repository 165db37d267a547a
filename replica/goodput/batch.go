package goodput

import (
	"math"

	"fairbridge/policy"
	"fairbridge/policy/scaling"
)

// wholeness keeps sizes that are whole but for the rounding of floats from the next whole one.
const wholeness = 1e-8

func ceil(x float64) int { return int(math.Ceil(x - wholeness)) }

// onType is the application as it is on a GPU type, which may hold more or less in one go.
func (a *Application) onType(gpuType string) *Application {
	t := a.tableOf(gpuType)
	if t == nil || t.most == 0 {
		return a
	}
	there := *a
	there.MostPerDevice = t.most
	return &there
}

// divide returns how a batch of a fixed size is divided among devices: on each as much in one
// go as its memory allows, in as few goes as that takes. A single device takes two at least
// for more than the initial batch, so that the noise of its gradient can be measured.
func (a *Application) divide(global, devices int) scaling.Batch {
	least := 0
	if devices == 1 && global > a.InitialBatch {
		least = 1
	}
	return a.divideInGoes(global, devices, least)
}

// divideInGoes is divide with so many steps of accumulation at least.
func (a *Application) divideInGoes(global, devices, leastAccumulation int) scaling.Batch {
	onEach := math.Ceil(float64(global)/float64(devices) - wholeness)
	goes := max(ceil(onEach/float64(a.MostPerDevice))-1, leastAccumulation) + 1
	perDevice := max(min(ceil(onEach/float64(goes)), a.MaxBatch/(devices*goes)), 1)
	return scaling.Batch{PerDevice: perDevice, AccumulationSteps: goes - 1, Global: devices * perDevice * goes}
}

// stepSeconds is the time of a whole step, with its accumulation, on a placement.
func (a *Application) stepSeconds(t *stepTimes, p placement, b scaling.Batch) float64 {
	c := t.cost(p, b.PerDevice)
	return c.step + float64(b.AccumulationSteps)*(c.step-c.sync)
}

// tableOf returns the times on a GPU type; nil: it cannot run there.
func (a *Application) tableOf(gpuType string) *stepTimes {
	var any *stepTimes
	for _, t := range a.tables {
		switch t.gpuType {
		case gpuType:
			return t
		case "":
			any = t
		}
	}
	return any
}

// RunsOn reports whether its steps were measured on a GPU type.
func (a *Application) RunsOn(gpuType string) bool { return a.tableOf(gpuType) != nil }

// StepSeconds is the time of a whole step with a batch on each device, on what a job holds:
// that of the slowest of its types. 0: it cannot run there.
func (a *Application) StepSeconds(on policy.Alloc, b scaling.Batch) float64 {
	p, most := newPlacement(on), 0.0
	for i, s := range on {
		if i > 0 && s.Type == on[i-1].Type {
			continue
		}
		t := a.tableOf(s.Type)
		if t == nil {
			return 0
		}
		most = max(most, a.stepSeconds(t, p, b))
	}
	return most
}

// MostDevices is the most devices a job can divide its batch among, of a cluster of so many:
// a fixed batch, or for 0 any it may adapt to.
func (a *Application) mostDevices(fixedBatch, cluster int) int {
	most := a.MaxBatch / a.LeastPerDevice
	if fixedBatch > 0 {
		if most = fixedBatch / a.LeastPerDevice; a.MostDevices > 0 {
			most = min(most, a.MostDevices)
		}
	}
	return max(min(most, cluster), 1)
}
