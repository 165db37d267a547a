// Package reproducetest is what all reproductions of published figures begin with: a system with
// its simulator's parameters, a cluster of like nodes, a run, and the middle of figures.
package reproducetest

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/policy/paper"
	"fairbridge/replica/measure"
	"fairbridge/scripts/verify/part"
)

// NewSystem makes a policy of the catalogue with the parameters of its own
// simulator and those given on top.
func NewSystem(t testing.TB, name string, given paper.Params) policy.Policy {
	t.Helper()
	e, err := catalogue.FindSystem(name)
	if err != nil {
		t.Fatal(err)
	}
	params := paper.Params{}
	maps.Copy(params, e.SimulatorParams)
	maps.Copy(params, given)
	p, err := e.New(params)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// NewCluster makes n nodes with so many GPUs each, of a type.
func NewCluster(n, each int, typ string) []policy.Node {
	all := make([]policy.Node, n)
	for i := range all {
		all[i] = policy.Node{Name: fmt.Sprintf("n%04d", i), Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1 << 20,
			GPUs: []policy.NodeDevices{{Type: typ, Count: each}}}
	}
	return all
}

// Simulate runs a configuration with terse plans.
func Simulate(t testing.TB, c exact.Config) *measure.Run {
	t.Helper()
	c.OmitsReasons = true
	run, err := exact.Run(c)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// Median returns the middle value, the higher of two.
func Median(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	return s[len(s)/2]
}

// Main runs the tests of a package of reproductions where they run as a part of make verify: they play whole days.
func Main(m *testing.M) {
	if !part.Runs("reproduce") {
		fmt.Println("left to make verify PART=reproduce")
		return
	}
	m.Run()
}
