package exact_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/policy/paper"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
	"fairbridge/scripts/verify/part"
)

// plainSystems are the systems there is a plain reference of. All let jobs wait for ever,
// take jobs to run up to their limits, and stop them at any time.
var plainSystems = []struct {
	name, system string
	params       paper.Params
	decide       func(*plainCluster)
}{
	{"first come, first served", "fifo", paper.Params{"max_wait": "0s"}, plainFIFO},
	{"shortest first", "sjf", paper.Params{"max_wait": "0s"}, plainSJF},
	{"EASY", "easy", paper.Params{"max_wait": "0s", "lengths": "limit"}, plainEASY},
	{"conservative", "multifactor", paper.Params{"age": 0.0, "fairshare": 0.0, "size": 0.0, "partition": 0.0, "window": "100000h", "depth": 100000}, plainConservative},
	{"shortest time left", "srtf", paper.Params{"max_wait": "0s", "min_run": "1s", "max_stops": -1}, plainSRTF},
}

// drawPlainJobs draws jobs of fixed lengths, a third of them gangs, that ask for about
// twice the GPUs there are.
func drawPlainJobs(seed, count, gpus int) []plainJob {
	r := rand.New(rand.NewPCG(uint64(seed), 7))
	jobs, at := make([]plainJob, count), 1
	for i := range jobs {
		size := 1
		if r.IntN(3) == 0 {
			size = min(1<<r.IntN(5)+r.IntN(2), gpus)
		}
		length := 10 + r.IntN(1000)
		if r.IntN(5) == 0 {
			length *= 5
		}
		jobs[i] = plainJob{id: i + 1, gpus: size, arrive: at, length: length, limit: length + r.IntN(3)*r.IntN(2*length)}
		at += r.IntN(6000 / gpus)
	}
	return jobs
}

// simulatePlain runs a policy of the catalogue on plain jobs.
func simulatePlain(t *testing.T, system string, params paper.Params, cluster []policy.Node, jobs []workload.Job) *measure.Run {
	e, err := catalogue.FindSystem(system)
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.New(params)
	if err != nil {
		t.Fatal(err)
	}
	run, err := exact.Run(exact.Config{Policy: p, Nodes: cluster, Jobs: jobs, Clock: exact.NewEventClock(0, 0, 0), OmitsReasons: true})
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// workloadOf returns the jobs as a workload, those of a number on a GPU type; "": any.
func workloadOf(jobs []plainJob, gpuType string) (all []workload.Job) {
	for _, j := range jobs {
		all = append(all, workload.Job{ID: int64(j.id), User: "ann", Account: "nlp", GPUs: j.gpus, GPUType: gpuType,
			Arrive: float64(j.arrive), Duration: float64(j.length), TimeLimit: time.Duration(j.limit) * time.Second})
	}
	return all
}

// comparePlain wants every job to end and to be stopped as the reference says.
func comparePlain(t *testing.T, got []measure.JobOutcome, want []*plainJob) (stops int) {
	t.Helper()
	outcomes := map[int64]measure.JobOutcome{}
	for _, o := range got {
		outcomes[o.ID] = o
	}
	for _, j := range want {
		if o := outcomes[int64(j.id)]; o.Finish != float64(j.finish) || o.StopCount != j.stops {
			t.Fatalf("job %d of %d GPUs ends at %v after %d stops, want %d after %d", j.id, j.gpus, o.Finish, o.StopCount, j.finish, j.stops)
		}
		stops += j.stops
	}
	return stops
}

// TestCountableClusters wants what the plain reference counts, job by job, wherever any
// GPU will do for any job: however the GPUs are spread over nodes, a reservation is a
// number of them, and as many jobs are stopped as it takes.
func TestCountableClusters(t *testing.T) {
	traces := 40
	if !part.Runs("studies") {
		traces = 6
	}
	for _, s := range plainSystems {
		t.Run(s.name, func(t *testing.T) {
			stops := 0
			for seed := range traces {
				gpus := []int{16, 32, 64}[seed%3]
				jobs := drawPlainJobs(seed, 150, gpus)
				want := newPlainCluster(gpus, jobs)
				want.run(s.decide)
				for _, cluster := range [][]policy.Node{nodes(1, gpus, "v100"), nodes(gpus/8, 8, "v100"), nodes(gpus, 1, "v100")} {
					run := simulatePlain(t, s.system, s.params, cluster, workloadOf(jobs, ""))
					stops += comparePlain(t, run.JobOutcomes, want.jobs)
				}
			}
			t.Logf("%d traces on nodes of 1, of 8 and of all GPUs are equal, with %d stops", traces, stops)
		})
	}
}

// TestCountableTypes is the same where every job names its GPU type: two clusters that
// know nothing of each other.
func TestCountableTypes(t *testing.T) {
	traces := 20
	if !part.Runs("studies") {
		traces = 3
	}
	for _, s := range plainSystems {
		t.Run(s.name, func(t *testing.T) {
			for seed := range traces {
				jobs := drawPlainJobs(seed, 150, 32)
				for i := range jobs {
					jobs[i].gpus = min(jobs[i].gpus, 16)
				}
				byType := map[string][]plainJob{"a100": jobs[:75:75], "v100": jobs[75:]}
				cluster := append(nodes(2, 8, "a100"), nodes(4, 4, "v100")...)
				var all []workload.Job
				for i, gpuType := range []string{"a100", "v100"} {
					for k := range byType[gpuType] {
						byType[gpuType][k].arrive -= jobs[75*i].arrive - 1
					}
					all = append(all, workloadOf(byType[gpuType], gpuType)...)
				}
				for i := range cluster {
					cluster[i].Name = "n" + cluster[i].GPUs[0].Type + cluster[i].Name
				}
				run := simulatePlain(t, s.system, s.params, cluster, all)
				for _, own := range byType {
					want := newPlainCluster(16, own)
					want.run(s.decide)
					comparePlain(t, run.JobOutcomes, want.jobs)
				}
			}
		})
	}
}
