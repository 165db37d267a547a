package probes_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge"
	"fairbridge/bridge/probes"
	"fairbridge/bridge/slurm"
	"fairbridge/nodeprobe"
	"fairbridge/policy"
)

func does(pid int, job int64, mem int64, busy float64) nodeprobe.Process {
	return nodeprobe.Process{PID: pid, MemMB: mem, Job: nodeprobe.ProcessJob{Job: job, KnownBy: "cgroup"}, Busy: known(busy), MemBusy: known(busy / 2)}
}

// TestUseOnSharedGPUs: of a GPU that jobs share, each is told what its own processes do; what the driver does not tell
// apart stays unknown, and only a job that is alone tells how busy it keeps a GPU.
func TestUseOnSharedGPUs(t *testing.T) {
	gpu := func(procs ...nodeprobe.Process) nodeprobe.GPU {
		return nodeprobe.GPU{Index: 0, UUID: "g", Model: a100, Busy: known(.9), MemBusy: known(.5), MemUsedMB: known(70_000), MemTotalMB: known(80_000), Processes: procs, ProcessesKnown: true}
	}
	silent := does(2, 2, 30_000, 0)
	silent.Busy, silent.MemBusy = nodeprobe.OptionalValue{}, nodeprobe.OptionalValue{}
	use := func(neighbours []int64, busy, mem policy.OptionalValue) bridge.DeviceUse {
		u := bridge.DeviceUse{Node: "n1", Device: "g", Neighbours: neighbours, Busy: busy, MemMB: mem, UsedMB: policy.KnownValue(70_000), TotalMB: policy.KnownValue(80_000)}
		if busy.Known {
			u.MemBusy = policy.KnownValue(busy.Value / 2)
		}
		return u
	}
	yes, none := policy.KnownValue, policy.OptionalValue{}
	alone := use([]int64{}, yes(.9), yes(40_000))
	alone.MemBusy = yes(.5)
	for name, c := range map[string]struct {
		gpu     nodeprobe.GPU
		shards  bool // both jobs have a part of the GPU, else job 1 all of it
		want    bridge.DeviceUse
		profile *bridge.ProfileReport // of job 1
	}{
		"two jobs":       {gpu(does(1, 1, 20_000, .3), does(3, 1, 20_000, .2), does(2, 2, 30_000, .4)), true, use([]int64{2}, yes(.5), yes(40_000)), &bridge.ProfileReport{MemMB: 40_000}},
		"one not told":   {gpu(does(1, 1, 40_000, .3), silent), true, use([]int64{2}, yes(.3), yes(40_000)), &bridge.ProfileReport{MemMB: 40_000}},
		"itself not":     {gpu(silent, does(1, 1, 0, .3)), true, use([]int64{2}, yes(.3), none), nil},
		"no process yet": {gpu(does(2, 2, 30_000, .4)), true, use([]int64{2}, none, none), nil},
		"alone":          {gpu(does(1, 1, 40_000, .3)), false, alone, &bridge.ProfileReport{MemMB: 40_000, Busy: yes(.9), MemBusy: yes(.5)}},
		"with a stranger": {gpu(does(1, 1, 40_000, .3), nodeprobe.Process{PID: 9, MemMB: 1}), false, use([]int64{}, yes(.3), yes(40_000)),
			&bridge.ProfileReport{MemMB: 40_000, Busy: yes(.3), MemBusy: yes(.15)}},
	} {
		t.Run(name, func(t *testing.T) {
			k := probes.New(&probed{samples: map[string]nodeprobe.Sample{"n1": sample(c.gpu)}}, "http://{node}", time.Minute, func() time.Time { return now })
			var told []bridge.ProfileReport
			k.OnNewProfiles = func(list []bridge.ProfileReport) { told = append(told, list...) }
			v := &slurm.View{At: now, Nodes: []slurm.Node{{Name: "n1", State: "MIXED", Gres: slurm.ReadGRES("gpu:a100:1")}}, Jobs: []slurm.Job{runs(1, "n1", "gpu:a100:1(IDX:0)")}}
			if c.shards {
				v.Jobs = []slurm.Job{runs(1, "n1", "shard:2(2/4)"), runs(2, "n1", "shard:2(2/4)")}
			}
			for range 2 { // the same sample counts once
				if _, err := k.Sample(t.Context(), v); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff([]bridge.DeviceUse{c.want}, k.UseByJob()[1].OnGPUs); d != "" {
				t.Error(d)
			}
			var got *bridge.ProfileReport
			for i := range told {
				if told[i].Job == 1 && got != nil {
					t.Errorf("told twice")
				} else if told[i].Job == 1 {
					got = &told[i]
					got.Job, got.At, got.Class = 0, time.Time{}, ""
				}
			}
			if d := cmp.Diff(c.profile, got); d != "" {
				t.Errorf("profile: %s", d)
			}
		})
	}
}
