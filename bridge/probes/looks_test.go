package probes_test

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/probes"
	"fairbridge/bridge/slurm"
	"fairbridge/nodeprobe"
	"fairbridge/policy"
)

// TestLooksAtSharedGPUs: looks are kept of a job since it has the neighbours it has now; its reports count from then on,
// and are no speed of what it holds.
func TestLooksAtSharedGPUs(t *testing.T) {
	source := &probed{samples: map[string]nodeprobe.Sample{}}
	clock := now
	k := probes.New(source, "http://{node}", time.Hour, func() time.Time { return clock })
	k.TrustProgressReports = true
	told := 0
	k.OnNewSpeeds = func([]bridge.SpeedReport) { told++ }
	look := func(minute int, reportAge time.Duration, neighbours ...int64) bridge.JobUse {
		t.Helper()
		clock = now.Add(time.Duration(minute) * time.Minute)
		g := nodeprobe.GPU{UUID: "g", Model: a100, Busy: known(1), MemUsedMB: known(60_000), MemTotalMB: known(80_000), ProcessesKnown: true, Processes: []nodeprobe.Process{does(1, 1, 9, .25)}}
		v := &slurm.View{At: clock, Nodes: []slurm.Node{{Name: "n1", State: "MIXED", Gres: slurm.ReadGRES("gpu:a100:1")}}, Jobs: []slurm.Job{runs(1, "n1", "shard:a100:1(1/4)")}}
		for _, id := range neighbours {
			g.Processes = append(g.Processes, does(int(id), id, 9, .5))
			v.Jobs = append(v.Jobs, runs(id, "n1", "shard:a100:1(1/4)"))
		}
		s := sample(g)
		s.At = clock
		if reportAge > 0 {
			s.ProgressReports = []nodeprobe.ProgressReport{{ProcessJob: nodeprobe.ProcessJob{Job: 1, KnownBy: "cgroup"}, AgeSeconds: reportAge.Seconds(), ReceivedAt: clock.Add(-reportAge), Progress: nodeprobe.Progress{StepsPerSecond: known(3)}}}
		}
		source.samples["n1"] = s
		if _, err := k.Sample(t.Context(), v); err != nil {
			t.Fatal(err)
		}
		return k.UseByJob()[1]
	}
	if u := look(0, 0); len(u.Shared) != 0 {
		t.Fatalf("alone: %+v", u.Shared)
	}
	look(1, 0, 2)
	if u := look(2, 5*time.Minute, 2); len(u.Shared) != 2 || u.Shared[1].Speed != nil || u.Speed != nil {
		t.Errorf("a report from before: %+v", u)
	}
	u := look(3, 30*time.Second, 2)
	if len(u.Shared) != 3 || u.Shared[0].At != now.Add(time.Minute) || u.Speed != nil || told != 0 {
		t.Fatalf("a report since: %+v, %d told", u, told)
	}
	if sp := u.Shared[2].Speed; sp == nil || sp.StepsPerSecond != 3 || sp.Type != "a100" || sp.Devices != 1 || sp.Nodes != 0 {
		t.Errorf("speed beside its neighbour: %+v", sp)
	}
	if l := u.Shared[2]; l.Busy != policy.KnownValue(.25) || l.MemShare != policy.KnownValue(.75) {
		t.Errorf("%+v", l)
	}
	again := u
	if _, err := k.Sample(t.Context(), &slurm.View{At: clock, Nodes: []slurm.Node{{Name: "n1", State: "MIXED", Gres: slurm.ReadGRES("gpu:a100:1")}}, Jobs: []slurm.Job{runs(1, "n1", "shard:a100:1(1/4)"), runs(2, "n1", "shard:a100:1(1/4)")}}); err != nil {
		t.Fatal(err)
	}
	if got := k.UseByJob()[1].Shared; len(got) != len(again.Shared) {
		t.Errorf("the same sample counts %d times", len(got)-2)
	}
	if u := look(4, 0, 2, 3); len(u.Shared) != 1 || len(u.Shared[0].Neighbours) != 2 {
		t.Errorf("another neighbour came: %+v", u.Shared)
	}
	for minute := range 100 {
		u = look(5+minute, 0, 2, 3)
	}
	if n := len(u.Shared); n > 61 || u.Shared[0].At != now.Add(4*time.Minute) {
		t.Errorf("%d looks, the first at %v", n, u.Shared[0].At)
	}
	if u := look(200, time.Second); len(u.Shared) != 0 || u.Speed == nil || told != 1 {
		t.Errorf("alone again: %+v, %d speeds told", u.Shared, told)
	}
}
