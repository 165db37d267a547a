package policytest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/policy"
)

// parseGPUs reads "8×a100", or "8" of any type.
func parseGPUs(s string) (policy.GPUs, error) {
	count, typ, _ := strings.Cut(s, "×")
	n, err := strconv.Atoi(count)
	return policy.GPUs{Type: typ, Count: n}, err
}

func (r tableRow) node() policy.Node {
	n := policy.Node{Name: r.text("name"), CPUs: int(r.number("cpus")), MemMB: int64(r.number("mem")), DownReason: r.text("down"),
		Partitions: []string{cmp.Or(r.text("partition"), "batch")}}
	for s := range strings.SplitSeq(r.text("gpus"), ",") {
		g, err := parseGPUs(s)
		r.fail("gpus", err)
		n.GPUs = append(n.GPUs, policy.NodeDevices{Type: g.Type, Count: g.Count})
	}
	return n
}

func (r tableRow) alloc(column string) policy.Alloc {
	var on policy.Alloc
	if r.text(column) == "" {
		return nil
	}
	for s := range strings.SplitSeq(r.text(column), ",") {
		node, devices, ok := strings.Cut(s, ":")
		g, err := parseGPUs(devices)
		if !ok {
			err = fmt.Errorf("%q is not like n1:2×a100", s)
		}
		r.fail(column, err)
		on = append(on, policy.Slot{Node: node, Type: g.Type, Count: g.Count})
	}
	return on
}

// readJob adds a job; its times are given as how long ago they were.
func (c *textCase) readJob(i int, r tableRow) {
	gpus, err := parseGPUs(cmp.Or(r.text("gpus"), "1"))
	r.fail("gpus", err)
	j := policy.Job{
		ID: policy.JobID(cmp.Or(int(r.number("id")), i+1)), Name: r.text("name"), User: cmp.Or(r.text("user"), "ann"),
		Account: cmp.Or(r.text("account"), "default"), Partition: cmp.Or(r.text("partition"), "batch"),
		State: policy.Pending, Arrive: cmp.Or(SnapshotTime.Add(-r.duration("arrive")), SnapshotTime), Limit: r.duration("limit"),
		Ask:               policy.Ask{GPUs: gpus, CPUs: int(r.number("cpus")), MemMB: int64(r.number("mem")), MinNodes: int(r.number("nodes")), MaxNodes: int(r.number("max_nodes"))},
		Tasks:             int(r.number("tasks")),
		StopCount:         int(r.number("stops")),
		HeldReason:        r.text("held"),
		UnstoppableReason: r.text("fixed"),
		On:                r.alloc("on"),
		Start:             r.ago("start"),
		LastStop:          r.ago("stop"),
		Attained:          policy.GPUSeconds(r.number("attained") * 3600),
		PredictedLeft:     r.duration("left"),
		MinGPUs:           int(r.number("min")),
		MaxGPUs:           int(r.number("max")),
		Class:             r.text("class"),
		Training:          r.training(),
	}
	j.Shareable = r.text("beside") != ""
	j.Submit = j.Arrive
	j.FirstStart = j.Start
	if r.text("first") != "" {
		j.FirstStart = r.ago("first")
	}
	if len(j.On) > 0 {
		j.State = policy.Running
		if r.text("attained") == "" {
			j.Attained = policy.ServiceForTime(gpus.WholeGPUs(), SnapshotTime.Sub(j.Start))
		}
	}
	if later := r.duration("later"); later > 0 {
		j.Arrive = SnapshotTime.Add(later)
		j.Submit, j.EligibleAt = j.Arrive, j.Arrive
	}
	c.workByJob[j.ID] = r.duration("work")
	c.snapshot.Jobs = append(c.snapshot.Jobs, j)
	slices.SortFunc(c.snapshot.Jobs, func(a, b policy.Job) int { return cmp.Compare(a.ID, b.ID) })
}

// training reads what a job reports of its speed: one step is all its work, and its
// rates are one over the run times alone.
func (r tableRow) training() *policy.Training {
	if r.text("alone") == "" {
		return nil
	}
	t := &policy.Training{Steps: 1}
	for s := range strings.SplitSeq(r.text("alone"), ",") {
		typ, text, _ := strings.Cut(s, ":")
		alone, err := time.ParseDuration(text)
		r.fail("alone", err)
		t.Rates = append(t.Rates, policy.Rate{Type: typ, StepsPerSecond: 1 / alone.Seconds()})
	}
	slices.SortFunc(t.Rates, func(a, b policy.Rate) int { return cmp.Compare(a.Type, b.Type) })
	if r.text("beside") == "" {
		return t
	}
	for s := range strings.SplitSeq(r.text("beside"), ",") {
		class, text, _ := strings.Cut(s, ":")
		speed, err := strconv.ParseFloat(text, 64)
		r.fail("beside", err)
		for _, alone := range t.Rates {
			t.SharedRates = append(t.SharedRates, policy.SharedRate{Type: alone.Type, NeighbourClass: class, StepsPerSecond: speed * alone.StepsPerSecond})
		}
	}
	return t
}
