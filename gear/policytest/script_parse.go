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
		n.GPUs = append(n.GPUs, policy.NodeDevices{Type: g.Type, Count: g.Count, MemMB: int64(r.numberCell("gpu_mem"))})
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
		devices, which, _ := strings.Cut(strings.TrimSuffix(devices, "]"), "[")
		g, err := parseGPUs(devices)
		if !ok {
			err = fmt.Errorf("%q is not like n1:2×a100", s)
		}
		r.noteError(column, err)
		on = append(on, policy.Slot{Node: node, Type: g.Type, Count: g.Count, Devices: r.parseDevices(column, which)})
	}
	return on
}

// parseDevices reads which devices a job has, "0" or "0-3"; "" where it is not known.
func (r tableRow) parseDevices(column, text string) policy.DeviceSet {
	if text == "" {
		return 0
	}
	first, last, isRange := strings.Cut(text, "-")
	from, err := strconv.Atoi(first)
	r.noteError(column, err)
	to := from
	if isRange {
		to, err = strconv.Atoi(last)
		r.noteError(column, err)
	}
	var indexes []int
	for i := from; i <= to; i++ {
		indexes = append(indexes, i)
	}
	return policy.NewDeviceSet(indexes...)
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
		AcceptsMixedTypes: r.textCell("mixed") != "", ReplicaOf: r.textCell("replica"), Training: r.parseTraining(), Scaling: r.parseScaling(), Deadline: r.timeAheadCell("deadline"), DeadlineValue: r.numberCell("value"), SoftDeadline: r.textCell("soft") != "", QOS: r.textCell("qos"), CPUScaling: r.parseCores(), Sharing: r.parseSharing(),
	}
	j.Shareable, j.Submit = r.textCell("beside") != "" || j.Sharing != nil, j.Arrive
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

// parseSharing reads what is known of a job beside neighbours: the seconds of a step at input, GPU and
// network, as "0.5+0.01+0", with which it shares GPUs with up to three others; how much of the
// time its GPU computes and the memory it uses there, with which it shares them with one; or with as many as it
// says.
func (r tableRow) parseSharing() *policy.Sharing {
	busy, memMB, stages := r.textCell("busy"), r.textCell("gpu_mem"), r.textCell("stages")
	if busy == "" && memMB == "" && stages == "" {
		return nil
	}
	known := &policy.Sharing{AcceptsOtherUsers: true, MemMB: int64(r.numberCell("gpu_mem")), JobsPerGPU: int(r.numberCell("share")), IsOpportunistic: r.textCell("opportunistic") != ""}
	if busy != "" {
		known.Utilisation = policy.KnownValue(r.numberCell("busy"))
	}
	if stages == "" {
		return known
	}
	known.JobsPerGPU = cmp.Or(known.JobsPerGPU, 4)
	for text := range strings.SplitSeq(stages, "+") {
		seconds, err := strconv.ParseFloat(text, 64)
		r.noteError("stages", err)
		known.StageSeconds = append(known.StageSeconds, seconds)
	}
	return known
}

// parseCores reads speeds by cores beside each GPU, as "1:.4,3:1,6:1.5", of a job whose owner accepts less than
// it asks; memory is of no consequence for them.
func (r tableRow) parseCores() *policy.CPUScaling {
	if r.textCell("cores") == "" {
		return nil
	}
	known := &policy.CPUScaling{AcceptsLess: true}
	for s := range strings.SplitSeq(r.textCell("cores"), ",") {
		cores, speed, _ := strings.Cut(s, ":")
		n, err := strconv.ParseFloat(cores, 64)
		r.noteError("cores", err)
		v, err := strconv.ParseFloat(speed, 64)
		r.noteError("cores", err)
		known.Points = append(known.Points, policy.CPUPoint{CPUs: n, Speed: v})
	}
	return known
}

// timeAheadCell is a time given as how far ahead it is; zero where there is none.
func (r tableRow) timeAheadCell(column string) time.Time {
	if ahead := r.durationCell(column); ahead > 0 {
		return SnapshotTime.Add(ahead)
	}
	return time.Time{}
}

// parseScaling reads a table of speeds by number of GPUs, as "1:10,2:18", or of GPUs of a type,
// as "2×a100:18".
func (r tableRow) parseScaling() *policy.Scaling {
	if r.textCell("speeds") == "" {
		return nil
	}
	known := &policy.Scaling{Source: policy.ScalingFromTable}
	for s := range strings.SplitSeq(r.textCell("speeds"), ",") {
		gpus, text, _ := strings.Cut(s, ":")
		g, err := parseGPUs(gpus)
		r.noteError("speeds", err)
		speed, err := strconv.ParseFloat(text, 64)
		r.noteError("speeds", err)
		known.Points = append(known.Points, policy.SpeedPoint{Type: g.Type, Devices: g.Count, StepsPerSecond: speed})
	}
	return known
}

// parseLosses reads the losses a job reported, each after a part of all its work.
func (r tableRow) parseLosses() (all []policy.LossPoint) {
	if r.textCell("losses") == "" {
		return nil
	}
	for s := range strings.SplitSeq(r.textCell("losses"), ",") {
		part, text, _ := strings.Cut(s, ":")
		step, err := strconv.ParseFloat(part, 64)
		r.noteError("losses", err)
		loss, err := strconv.ParseFloat(text, 64)
		r.noteError("losses", err)
		all = append(all, policy.LossPoint{Step: step, Loss: loss})
	}
	return all
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
	t.Losses = r.parseLosses()
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
