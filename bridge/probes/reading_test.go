package probes_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge"
	"fairbridge/bridge/probes"
	"fairbridge/bridge/slurm"
	"fairbridge/nodeprobe"
	"fairbridge/policy"
)

var _ bridge.JobUseProbes = (*probes.Probes)(nil)

// device is GPU i of a node, that busy, with processes of the jobs.
func device(i int, busy float64, jobs ...int64) nodeprobe.GPU {
	g := nodeprobe.GPU{Index: i, MinorNumber: i, UUID: fmt.Sprint("g", i), Model: a100, Busy: nodeprobe.KnownValue(busy), ProcessesKnown: true}
	for n, job := range jobs {
		g.Processes = append(g.Processes, nodeprobe.Process{PID: 100 + n, Job: nodeprobe.ProcessJob{Job: job, KnownBy: "cgroup"}})
	}
	return g
}

func but(g nodeprobe.GPU, change func(*nodeprobe.GPU)) nodeprobe.GPU {
	change(&g)
	return g
}

// runs is a job running for an hour on the nodes, with its gres_detail on each.
func runs(id int64, nodes string, gres ...string) slurm.Job {
	return slurm.Job{ID: id, State: "RUNNING", Nodes: slurm.ReadHosts(nodes), GresDetail: slurm.ReadGRESDetail(gres), Start: now.Add(-time.Hour), UserID: 1000}
}

// asked is what the probes of n1 and n2 show.
type asked struct {
	jobs    []slurm.Job
	n1, n2  []nodeprobe.GPU
	reports []nodeprobe.ProgressReport
}

func (a asked) look(t *testing.T) (map[int64]bridge.JobUse, []string) {
	t.Helper()
	first, second := sample(a.n1...), sample(a.n2...)
	first.ProgressReports = a.reports
	src := &probed{samples: map[string]nodeprobe.Sample{"n1": first, "n2": second}}
	var kept []string
	p := probes.New(src, "http://{node}", time.Minute, func() time.Time { return now })
	p.TrustProgressReports = true
	p.OnNewReadings = func(list []probes.Reading) {
		for _, s := range list {
			kept = append(kept, fmt.Sprintf("%s/%s job %d procs %s busy %s of %d", s.Node, s.UUID, s.Job, show(s.ProcessCount), show(s.Busy), s.JobsOnGPU))
		}
	}
	v := &slurm.View{At: now, Jobs: a.jobs, Nodes: []slurm.Node{{Name: "n1", State: "MIXED", Gres: slurm.ReadGRES("gpu:a100:8")}, {Name: "n2", State: "MIXED", Gres: slurm.ReadGRES("gpu:a100:8")}}}
	for range 2 { // the same sample is kept once
		if _, err := p.Sample(context.Background(), v); err != nil {
			t.Fatal(err)
		}
	}
	return p.UseByJob(), kept
}

func show(m policy.OptionalValue) string {
	if !m.Known {
		return "?"
	}
	return fmt.Sprint(m.Value)
}

func TestSeen(t *testing.T) {
	for name, c := range map[string]struct {
		asked
		busy map[int64]string
		kept []string
	}{
		"two nodes, one of its GPUs left alone": {
			asked{jobs: []slurm.Job{runs(1, "n[1-2]", "gpu:a100:2(IDX:0-1)", "gpu:a100:1(IDX:3)")},
				n1: []nodeprobe.GPU{device(0, 0.9, 1), device(1, 0), device(2, 0.5)}, n2: []nodeprobe.GPU{device(3, 0.6, 1)}},
			map[int64]string{1: "0.5"},
			[]string{"n1/g0 job 1 procs 1 busy 0.9 of 1", "n1/g1 job 1 procs 0 busy 0 of 1", "n1/g2 job 0 procs 0 busy 0.5 of 0", "n2/g3 job 1 procs 1 busy 0.6 of 1"},
		},
		"shared": {
			asked{jobs: []slurm.Job{runs(1, "n1", "shard:a100:2(IDX:0)"), runs(2, "n1", "shard:a100:2(IDX:0)")}, n1: []nodeprobe.GPU{device(0, 0.9, 1, 1, 2)}},
			map[int64]string{1: "?", 2: "?"},
			[]string{"n1/g0 job 1 procs 2 busy 0.9 of 2", "n1/g0 job 2 procs 1 busy 0.9 of 2"},
		},
		"a GPU of its is not shown": {
			asked{jobs: []slurm.Job{runs(1, "n1", "gpu:a100:2(IDX:0-1)")}, n1: []nodeprobe.GPU{device(0, 0, 1)}},
			map[int64]string{1: "?"}, []string{"n1/g0 job 1 procs 1 busy 0 of 1"},
		},
		"processes are not told": {
			asked{jobs: []slurm.Job{runs(1, "n1", "gpu:a100:1(IDX:0)")}, n1: []nodeprobe.GPU{but(device(0, 0.4), func(g *nodeprobe.GPU) { g.ProcessesKnown = false })}},
			map[int64]string{1: "0.4"}, []string{"n1/g0 job 1 procs ? busy 0.4 of 1"},
		},
		"numbers are not told": {
			asked{jobs: []slurm.Job{runs(1, "n1", "gpu:a100:1")}, n1: []nodeprobe.GPU{device(0, 0.4, 1), device(1, 0)}},
			map[int64]string{1: "0.4"}, []string{"n1/g0 job 1 procs 1 busy 0.4 of 1", "n1/g1 job 0 procs 0 busy 0 of 0"},
		},
		"sick": {
			asked{jobs: []slurm.Job{runs(1, "n1", "gpu:a100:1(IDX:0)")}, n1: []nodeprobe.GPU{but(device(0, 0, 1), func(g *nodeprobe.GPU) { g.SickReason = "Xid 79" })}},
			map[int64]string{1: "?"}, []string{"n1/g0 job 1 procs 1 busy ? of 1"},
		},
		"slices": {
			asked{jobs: []slurm.Job{runs(1, "n1", "gpu:1g.10gb:1(IDX:0)"), runs(2, "n1", "gpu:1g.10gb:1(IDX:1)")},
				n1: []nodeprobe.GPU{but(device(0, 0, 1, 2), func(g *nodeprobe.GPU) {
					g.IsMIG, g.Busy = true, nodeprobe.OptionalValue{}
					g.Slices = []nodeprobe.MIGSlice{{UUID: "s0", Profile: "1g.10gb"}, {UUID: "s1", Profile: "1g.10gb"}, {UUID: "s2", Profile: "1g.10gb"}}
					g.Processes[0].SliceUUID, g.Processes[1].SliceUUID = "s1", "s0"
				})}},
			map[int64]string{1: "?", 2: "?"},
			[]string{"n1/s0 job 2 procs 1 busy ? of 1", "n1/s1 job 1 procs 1 busy ? of 1", "n1/s2 job 0 procs 0 busy ? of 0"},
		},
		"says that it is of a job that is elsewhere": {
			asked{jobs: []slurm.Job{runs(1, "n2", "gpu:a100:1(IDX:3)")}, n1: []nodeprobe.GPU{but(device(0, 0.9, 1), func(g *nodeprobe.GPU) { g.Processes[0].Job.KnownBy = "environ" })},
				n2: []nodeprobe.GPU{device(3, 0)}},
			map[int64]string{1: "0"}, []string{"n1/g0 job 0 procs 1 busy 0.9 of 0", "n2/g3 job 1 procs 0 busy 0 of 1"},
		},
		"known by its SLUID": {
			asked{jobs: []slurm.Job{sluid(runs(1, "n1", "gpu:a100:1(IDX:0)"))}, n1: []nodeprobe.GPU{but(device(0, 0.3, 0), func(g *nodeprobe.GPU) { g.Processes[0].Job.SLUID = "s0N1M7Y2EV5N00" })}},
			map[int64]string{1: "0.3"}, []string{"n1/g0 job 1 procs 1 busy 0.3 of 1"},
		},
		"suspended": {
			asked{jobs: []slurm.Job{but2(runs(1, "n1", "gpu:a100:1(IDX:0)"))}, n1: []nodeprobe.GPU{device(0, 0.3)}},
			map[int64]string{}, []string{"n1/g0 job 0 procs 0 busy 0.3 of 0"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			used, kept := c.look(t)
			busy := map[int64]string{}
			for id, u := range used {
				busy[id] = show(u.MeanBusy)
			}
			if d := cmp.Diff(c.busy, busy); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(c.kept, kept); d != "" {
				t.Error(d)
			}
		})
	}
}

func sluid(j slurm.Job) slurm.Job { j.SLUID = "s0N1M7Y2EV5N00"; return j }

func but2(j slurm.Job) slurm.Job { j.State = "SUSPENDED"; return j }

func TestReports(t *testing.T) {
	k := nodeprobe.KnownValue
	said := func(age float64, p nodeprobe.Progress) nodeprobe.ProgressReport {
		return nodeprobe.ProgressReport{ProcessJob: nodeprobe.ProcessJob{Job: 1, KnownBy: "cgroup"}, UID: 1000, AgeSeconds: age, Progress: p}
	}
	third := nodeprobe.Progress{Epoch: k(30), TotalEpochs: k(90)}
	steps := nodeprobe.Progress{Step: k(100), TotalSteps: k(1000), StepsPerSecond: k(2), BatchSize: k(64)}
	for name, c := range map[string]struct {
		reports  []nodeprobe.ProgressReport
		progress string
		training *policy.Training
	}{
		"epochs":             {[]nodeprobe.ProgressReport{said(60, third)}, "0.3333333333333333", nil},
		"steps go on":        {[]nodeprobe.ProgressReport{said(60, steps)}, "0.1", &policy.Training{Steps: 1000, StepsDone: 220, BatchSize: 64, Rates: []policy.Rate{{StepsPerSecond: 2}}}},
		"the newest":         {[]nodeprobe.ProgressReport{said(60, third), said(5, nodeprobe.Progress{Epoch: k(45), TotalEpochs: k(90)})}, "0.5", nil},
		"old":                {[]nodeprobe.ProgressReport{said(3601, third)}, "", nil},
		"of an earlier run":  {[]nodeprobe.ProgressReport{said(3599, third), said(3600.5, third)}, "0.3333333333333333", nil},
		"of another user":    {[]nodeprobe.ProgressReport{{ProcessJob: nodeprobe.ProcessJob{Job: 1}, UID: 1001, AgeSeconds: 1, Progress: third}}, "", nil},
		"of no job":          {[]nodeprobe.ProgressReport{{ProcessJob: nodeprobe.ProcessJob{Job: 9}, UID: 1000, AgeSeconds: 1, Progress: third}}, "", nil},
		"more than all":      {[]nodeprobe.ProgressReport{said(1, nodeprobe.Progress{Epoch: k(91), TotalEpochs: k(90)})}, "", nil},
		"loss":               {[]nodeprobe.ProgressReport{said(1, nodeprobe.Progress{Loss: k(0.5)})}, "?", nil},
		"from a clock ahead": {[]nodeprobe.ProgressReport{said(-5, third)}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			used, _ := asked{jobs: []slurm.Job{runs(1, "n1", "gpu:a100:1(IDX:0)")}, reports: c.reports}.look(t)
			u, ok := used[1]
			got := show(u.Progress)
			if !ok {
				got = ""
			}
			if d := cmp.Diff(c.training, u.Training); d != "" || got != c.progress {
				t.Errorf("progress %q, want %q; %s", got, c.progress, d)
			}
		})
	}
}

// What was measured is joined with what jobs held by the type: both must be Slurm's.
func TestReadingsHaveSlurmsTypes(t *testing.T) {
	for gres, want := range map[string][]string{
		"gpu:a100:2":            {"a100", "a100"},
		"gpu:2":                 {slurm.UntypedGPU, slurm.UntypedGPU},
		"gpu:a100:1,gpu:h100:1": {"a100", "h100"},
		"gpu:t4:1,gpu:h100:1":   {a100, "h100"},
	} {
		first, second := device(0, 1, 7), device(1, 1, 7)
		second.Model = h100
		checkReadingTypes(t, gres, want, first, second)
	}
	checkReadingTypes(t, "gpu:a100_1g.10gb:2,gpu:h100:1", []string{"a100_1g.10gb", "a100_1g.10gb"}, sliced(a100, "1g.10gb", "1g.10gb"))
}

func checkReadingTypes(t *testing.T, gres string, want []string, gpus ...nodeprobe.GPU) {
	t.Helper()
	p := probes.New(&probed{samples: map[string]nodeprobe.Sample{"n1": sample(gpus...)}}, "http://{node}", time.Minute, func() time.Time { return now })
	var types []string
	p.OnNewReadings = func(list []probes.Reading) {
		for _, r := range list {
			types = append(types, r.Type)
		}
	}
	if _, err := p.Sample(t.Context(), &slurm.View{At: now, Nodes: []slurm.Node{{Name: "n1", State: "MIXED", Gres: slurm.ReadGRES(gres)}}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, types); diff != "" {
		t.Errorf("%s: -want +got:\n%s", gres, diff)
	}
}
