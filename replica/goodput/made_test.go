package goodput_test

import (
	"testing"

	"fairbridge/replica/goodput"
)

// made is a profile of two epochs, with times that are easy to reckon with: a step takes .1 s
// and 1 ms for each sample of a device, and half of that more for each further node or .01 s
// within one, to exchange gradients.
func made(t testing.TB, change func(*goodput.Profile)) *goodput.Application {
	t.Helper()
	p := goodput.Profile{Name: "made", InitialBatch: 100, MaxBatch: 800, LeastPerDevice: 10, MostPerDevice: 100}
	for _, size := range []int{100, 400, 800} {
		p.Validations = append(p.Validations, goodput.Validation{BatchSize: size, Epochs: []goodput.Epoch{
			{Progress: 1000 + float64(size), Iterations: 100_000 / float64(size), GradSqr: 1, GradVar: 1},
			{Progress: 2000 + float64(size), Iterations: 200_000 / float64(size), GradSqr: 1, GradVar: 3},
		}})
	}
	table := goodput.StepTable{}
	for _, x := range []struct {
		placement      string
		nodes, devices int
	}{{"1", 1, 1}, {"2", 1, 2}, {"4", 1, 4}, {"11", 2, 2}, {"22", 2, 4}, {"44", 2, 8}, {"", 4, 16}} {
		for _, each := range []int{10, 50, 100} {
			gradient, sync := .1+float64(each)/1000, float64(x.nodes-1)*.05
			if x.nodes == 1 && x.devices > 1 {
				sync = .01
			}
			table.Samples = append(table.Samples, goodput.StepSample{Placement: x.placement, Nodes: x.nodes, Devices: x.devices, PerDevice: each, Step: gradient + sync, Sync: sync})
		}
	}
	p.StepTables = []goodput.StepTable{table}
	if change != nil {
		change(&p)
	}
	a, err := goodput.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
