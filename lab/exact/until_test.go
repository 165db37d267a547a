package exact_test

import (
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/replica/workload"
)

// TestBreaksOff: until it is broken off, a job that never ends has its GPUs and is booked for them, one that has ended is done, and
// one that would come later has nothing.
func TestBreaksOff(t *testing.T) {
	fifo, err := catalogue.FindSystem("fifo")
	if err != nil {
		t.Fatal(err)
	}
	p, err := fifo.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	run, err := exact.Run(exact.Config{Policy: p, UntilSeconds: 1000, Clock: exact.NewEventClock(time.Minute, time.Hour, 0),
		Nodes: []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 4}}}},
		Jobs:  []workload.Job{{ID: 1, GPUs: 2, Duration: 1e9}, {ID: 2, GPUs: 1, Duration: 300}, {ID: 3, GPUs: 1, Arrive: 2000, Duration: 10}}})
	if err != nil {
		t.Fatal(err)
	}
	j := run.JobOutcomes
	if j[0].Service != 2000 || j[0].Finish != 0 || j[1].Service != 300 || j[1].Finish != 300 || j[2].Service != 0 || run.MakespanSeconds != 1000 {
		t.Errorf("%+v, in %g s", j, run.MakespanSeconds)
	}
}
