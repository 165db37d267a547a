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

func (r tableRow) parseNode() policy.Node {
	n := policy.Node{Name: r.textCell("name"), CPUs: int(r.numberCell("cpus")), MemMB: int64(r.numberCell("mem")), DownReason: r.textCell("down"),
		Partitions: []string{cmp.Or(r.textCell("partition"), "batch")}}
	for s := range strings.SplitSeq(r.textCell("gpus"), ",") {
		g, err := parseGPUs(s)
		r.noteError("gpus", err)
		n.GPUs = append(n.GPUs, policy.NodeDevices{Type: g.Type, Count: g.Count})
	}
	return n
}

func (r tableRow) parseAlloc(column string) policy.Alloc {
	var on policy.Alloc
	if r.textCell(column) == "" {
		return nil
	}
	for s := range strings.SplitSeq(r.textCell(column), ",") {
		node, devices, ok := strings.Cut(s, ":")
		g, err := parseGPUs(devices)
		if !ok {
			err = fmt.Errorf("%q is not like n1:2×a100", s)
		}
		r.noteError(column, err)
		on = append(on, policy.Slot{Node: node, Type: g.Type, Count: g.Count})
	}
	return on
}

// readJob adds a job; its times are given as how long ago they were.
func (c *textCase) readJob(i int, r tableRow) {
	gpus, err := parseGPUs(cmp.Or(r.textCell("gpus"), "1"))
	r.noteError("gpus", err)
	j := policy.Job{
		ID: policy.JobID(cmp.Or(int(r.numberCell("id")), i+1)), Name: r.textCell("name"), User: cmp.Or(r.textCell("user"), "ann"),
		Account: cmp.Or(r.textCell("account"), "default"), Partition: cmp.Or(r.textCell("partition"), "batch"),
		State: policy.Pending, Arrive: cmp.Or(SnapshotTime.Add(-r.durationCell("arrive")), SnapshotTime), Limit: r.durationCell("limit"),
		Ask:               policy.Ask{GPUs: gpus, CPUs: int(r.numberCell("cpus")), MemMB: int64(r.numberCell("mem")), MinNodes: int(r.numberCell("nodes")), MaxNodes: int(r.numberCell("max_nodes"))},
		Tasks:             int(r.numberCell("tasks")),
		StopCount:         int(r.numberCell("stops")),
		HeldReason:        r.textCell("held"),
		UnstoppableReason: r.textCell("fixed"),
		On:                r.parseAlloc("on"),
		Start:             r.timeAgoCell("start"),
		LastStop:          r.timeAgoCell("stop"),
		Attained:          policy.GPUSeconds(r.numberCell("attained") * 3600),
		PredictedLeft:     r.durationCell("left"),
		PredictedSigma:    r.durationCell("sigma"),
		MinGPUs:           int(r.numberCell("min")),
		MaxGPUs:           int(r.numberCell("max")),
		Class:             r.textCell("class"),
		Training:          r.parseTraining(),
	}
	j.Shareable, j.Submit = r.textCell("beside") != "", j.Arrive
	j.FirstStart = j.Start
	if r.textCell("first") != "" {
		j.FirstStart = r.timeAgoCell("first")
	}
	if len(j.On) > 0 {
		j.State = policy.Running
		if r.textCell("attained") == "" {
			j.Attained = policy.ServiceForTime(gpus.WholeGPUs(), SnapshotTime.Sub(j.Start))
		}
	}
	if later := r.durationCell("later"); later > 0 {
		j.Arrive = SnapshotTime.Add(later)
		j.Submit, j.EligibleAt = j.Arrive, j.Arrive
	}
	c.workTimeByJob[j.ID] = r.durationCell("work")
	c.snapshot.Jobs = append(c.snapshot.Jobs, j)
	slices.SortFunc(c.snapshot.Jobs, func(a, b policy.Job) int { return cmp.Compare(a.ID, b.ID) })
}

// parseTraining reads what a job reports of its speed: one step is all its work, and its
// rates are one over the run times alone.
func (r tableRow) parseTraining() *policy.Training {
	if r.textCell("alone") == "" {
		return nil
	}
	t := &policy.Training{Steps: 1}
	for s := range strings.SplitSeq(r.textCell("alone"), ",") {
		typ, text, _ := strings.Cut(s, ":")
		alone, err := time.ParseDuration(text)
		r.noteError("alone", err)
		t.Rates = append(t.Rates, policy.Rate{Type: typ, StepsPerSecond: 1 / alone.Seconds()})
	}
	slices.SortFunc(t.Rates, func(a, b policy.Rate) int { return cmp.Compare(a.Type, b.Type) })
	if r.textCell("beside") == "" {
		return t
	}
	for s := range strings.SplitSeq(r.textCell("beside"), ",") {
		class, text, _ := strings.Cut(s, ":")
		speed, err := strconv.ParseFloat(text, 64)
		r.noteError("beside", err)
		for _, alone := range t.Rates {
			t.SharedRates = append(t.SharedRates, policy.SharedRate{Type: alone.Type, NeighbourClass: class, StepsPerSecond: speed * alone.StepsPerSecond})
		}
	}
	return t
}
