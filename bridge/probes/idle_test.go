package probes_test

import (
	"testing"
	"time"

	"fairbridge/bridge/probes"
	"fairbridge/bridge/slurm"
	"fairbridge/nodeprobe"
)

// TestIdleJobs: a job is idle for as long as samples of both its GPUs show no work; what else may be work ends it.
func TestIdleJobs(t *testing.T) {
	const minutes = 20
	for name, c := range map[string]struct {
		change func(minute int, j *slurm.Job, s *nodeprobe.Sample) // in each of the looks, a minute apart
		want   time.Duration
	}{
		"never works":   {func(int, *slurm.Job, *nodeprobe.Sample) {}, minutes * time.Minute},
		"one GPU works": {func(_ int, _ *slurm.Job, s *nodeprobe.Sample) { s.GPUs[1].Busy = known(.01) }, 0},
		"it worked": {func(m int, _ *slurm.Job, s *nodeprobe.Sample) {
			s.GPUs[1].Busy = known(map[bool]float64{true: 1}[m == 4])
		}, 15 * time.Minute},
		"its memory works":     {func(_ int, _ *slurm.Job, s *nodeprobe.Sample) { s.GPUs[0].MemBusy = known(.5) }, 0},
		"a GPU is sick":        {func(_ int, _ *slurm.Job, s *nodeprobe.Sample) { s.GPUs[0].SickReason = "Xid 79" }, 0},
		"its use is not known": {func(_ int, _ *slurm.Job, s *nodeprobe.Sample) { s.GPUs[0].Busy = nodeprobe.OptionalValue{} }, 0},
		"a GPU is missing":     {func(_ int, _ *slurm.Job, s *nodeprobe.Sample) { s.GPUs = s.GPUs[:1] }, 0},
		"another job is there": {func(_ int, _ *slurm.Job, s *nodeprobe.Sample) {
			s.GPUs[0].Processes = []nodeprobe.Process{does(7, 9, 1, 0)}
		}, 0},
		"it is suspended":         {func(_ int, j *slurm.Job, _ *nodeprobe.Sample) { j.State = "SUSPENDED" }, 0},
		"it began anew":           {func(m int, j *slurm.Job, _ *nodeprobe.Sample) { j.Restarts = m / 12 }, 8 * time.Minute},
		"samples are too old now": {func(m int, _ *slurm.Job, s *nodeprobe.Sample) { s.AgeSeconds = float64(m / minutes * 120) }, 0},
		"five minutes are missing": {func(m int, _ *slurm.Job, s *nodeprobe.Sample) {
			if m > 5 && m < 10 {
				s.AgeSeconds = 120
			}
		}, minutes * time.Minute},
		"six are": {func(m int, _ *slurm.Job, s *nodeprobe.Sample) {
			if m > 5 && m < 11 {
				s.AgeSeconds = 120
			}
		}, 9 * time.Minute},
		"it is suspended now and then": {func(m int, j *slurm.Job, _ *nodeprobe.Sample) {
			if m%4 != 0 {
				j.State = "SUSPENDED"
			}
		}, 0},
		"it was suspended between looks": {func(m int, j *slurm.Job, _ *nodeprobe.Sample) {
			if m > 8 {
				j.SuspendTime = now.Add(8*time.Minute + time.Second)
			}
		}, 11 * time.Minute},
		"its process works between samples": {func(_ int, _ *slurm.Job, s *nodeprobe.Sample) {
			s.GPUs[0].Processes = []nodeprobe.Process{does(7, 1, 1, .02)}
		}, 0},
		"processes are not known": {func(_ int, _ *slurm.Job, s *nodeprobe.Sample) { s.GPUs[0].ProcessesKnown = false }, 0},
		"a GPU that no job has works": {func(_ int, _ *slurm.Job, s *nodeprobe.Sample) {
			s.GPUs = append(s.GPUs, nodeprobe.GPU{UUID: "c", MinorNumber: 2, Model: a100, Busy: known(1), ProcessesKnown: true})
		}, 0},
		"a GPU that no job has rests": {func(_ int, _ *slurm.Job, s *nodeprobe.Sample) {
			s.GPUs = append(s.GPUs, nodeprobe.GPU{UUID: "c", MinorNumber: 2, Model: a100, Busy: known(0), ProcessesKnown: true})
		}, minutes * time.Minute},
		"it reported progress": {func(m int, _ *slurm.Job, s *nodeprobe.Sample) {
			if m == 8 {
				s.ProgressReports = []nodeprobe.ProgressReport{{ProcessJob: nodeprobe.ProcessJob{Job: 1, KnownBy: "cgroup"}, AgeSeconds: 1, ReceivedAt: now, Progress: nodeprobe.Progress{StepsPerSecond: known(3)}}}
			}
		}, 11 * time.Minute},
	} {
		clock, source := now, &probed{samples: map[string]nodeprobe.Sample{}}
		k := probes.New(source, "http://{node}", time.Minute, func() time.Time { return clock })
		k.TrustProgressReports = false // what counts as work here need not be believed
		for m := 0; m <= minutes; m++ {
			clock = now.Add(time.Duration(m) * time.Minute)
			j := runs(1, "n1", "gpu:a100:2(IDX:0-1)")
			j.AllocatedTRES = slurm.ReadTRES("gres/gpu=2")
			s := sample(nodeprobe.GPU{UUID: "a", Model: a100, Busy: known(0), ProcessesKnown: true}, nodeprobe.GPU{UUID: "b", MinorNumber: 1, Model: a100, Busy: known(.009), ProcessesKnown: true})
			s.At, s.AgeSeconds = clock, 0
			v := &slurm.View{At: clock, Nodes: []slurm.Node{{Name: "n1", State: "MIXED", Gres: slurm.ReadGRES("gpu:a100:2")}}, Jobs: []slurm.Job{j}}
			if name == "another job is there" {
				v.Jobs = append(v.Jobs, runs(9, "n1"))
			}
			c.change(m, &v.Jobs[0], &s)
			source.samples["n1"] = s
			_, _ = k.Sample(t.Context(), v)
		}
		if got := k.UseByJob()[1].IdleFor; got != c.want {
			t.Errorf("%s: idle for %v, want %v", name, got, c.want)
		}
	}
}
