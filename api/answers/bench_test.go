package answers_test

import (
	"encoding/json"
	"fmt"
	"syscall"
	"testing"
	"time"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/stores"
	"fairbridge/api"
	"fairbridge/api/answers"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// largeSite is a site of full nodes of eight GPUs, with a long line of jobs of many users and shapes.
func largeSite(nodeCount, waitingCount int) *policy.Snapshot {
	s := &policy.Snapshot{Cluster: "lab", Seq: 1, Now: noon}
	job := func(i, gpus int, left time.Duration) policy.Job {
		return policy.Job{
			ID: policy.JobID(i + 1), Name: fmt.Sprint("train", i), User: fmt.Sprint("user", i%97), Account: fmt.Sprint("account", i%11), Partition: "gpu", State: policy.Pending,
			Arrive: noon.Add(time.Duration(i-40_000) * time.Second), Limit: 3 * left, PredictedLeft: left, PredictedSigma: left,
			Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: gpus}, CPUs: gpus, MinNodes: 1, MaxNodes: 1}, UnstoppableReason: "not opted in",
		}
	}
	for i := range nodeCount {
		name := fmt.Sprintf("n%04d", i)
		s.Nodes = append(s.Nodes, policy.Node{Name: name, Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1000, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}})
		for k := range 2 {
			j := job(2*i+k, 4, time.Duration(1+(7*i+3*k)%40)*20*time.Minute)
			j.State, j.Start, j.On = policy.Running, noon.Add(-time.Hour), policy.Alloc{{Node: name, Type: "a100", Count: 4}}
			j.Limit += time.Hour
			s.Jobs = append(s.Jobs, j)
		}
	}
	for i := range waitingCount {
		j := job(2*nodeCount+i, []int{1, 1, 2, 4, 8, 1, 2, 8}[i%8], time.Duration(1+(11*i)%60)*10*time.Minute)
		if j.User == "user6" {
			j.Deadline = noon.Add(10 * time.Hour)
		}
		s.Jobs = append(s.Jobs, j)
	}
	for i := range 11 {
		s.Accounts = append(s.Accounts, policy.Account{Name: fmt.Sprint("account", i), Weight: float64(1 + i%3), UsedService: policy.GPUSeconds(1e6 * (1 + i))})
	}
	for i := range 97 {
		s.Users = append(s.Users, policy.User{Name: fmt.Sprint("user", i), Account: fmt.Sprint("account", i%11)})
	}
	return s
}

// benchSite is a service of a large site, over a real database that has its runs, decisions and readings.
type benchSite struct {
	service  *answers.Service
	snapshot *policy.Snapshot
	plan     *policy.Plan
	db       *stores.Stores
	now      time.Time
	private  api.Privacy
	part     bridge.Partition
}

func newBenchSite(b testing.TB) *benchSite {
	b.Helper()
	s := &benchSite{snapshot: largeSite(1000, 8000), db: stores.New(dbtest.NewDB(b)), now: noon.Add(time.Second), private: api.AllPrivate("bench")}
	entry, err := catalogue.FindSystem("fairbridge")
	must(b, err)
	p, err := entry.New(nil)
	must(b, err)
	s.part = bridge.Partition{Name: "gpu", Mode: bridge.ModeRank, Policy: "fairbridge", DecidingPolicy: p}
	s.plan, err = p.Decide(s.snapshot)
	must(b, err)
	s.fill(b)
	s.restart()
	s.service.NoteCycle(s.report())
	return s
}

func (s *benchSite) restart() {
	s.service = answers.New(answers.Config{Cluster: "lab", Partitions: []bridge.Partition{s.part}, MaxCycleAge: time.Hour},
		answers.Parts{Record: s.db, Slurm: noSlurm{}, Privacy: func() api.Privacy { return s.private }, Now: func() time.Time { return s.now }})
}

// report is the cycle as the daemon would hand it over.
func (s *benchSite) report() *cycle.Report {
	return &cycle.Report{Result: cycle.ResultNothing, PartitionResults: []cycle.PartitionResult{{Partition: s.part, Snapshot: s.snapshot, Plan: s.plan}}}
}

// fill stores the cycle, runs of all jobs, some history and ten minutes of readings of every GPU.
func (s *benchSite) fill(b testing.TB) {
	b.Helper()
	text, err := json.Marshal(s.snapshot)
	must(b, err)
	epoch, _, _, err := s.db.Lead(b.Context(), "lab", "host:1", time.Hour)
	must(b, err)
	_, err = s.db.StoreIntents(b.Context(), &bridge.Cycle{
		Cluster: "lab", Seq: 1, Epoch: epoch, At: noon, Partition: "gpu", Mode: bridge.ModeRank, Policy: "fairbridge", Plan: s.plan, Snapshot: text, SnapshotDigest: bridge.DigestText(text),
	}, nil)
	must(b, err)
	for _, q := range []string{
		`insert into fairbridge.watch values ('lab', '2026-06-01T12:00Z', '2026-06-01T12:00Z', null, '25.11', 'v0.0.44', 0) on conflict do nothing`,
		`insert into fairbridge.job_runs select 'lab', i, 1780000000, 0, '2026-06-01T00:00Z', '', 'train' || i, 'user' || (i - 1) % 97, 'account' || (i - 1) % 11, '', 'gpu', 0, 0,
		   case when i <= 2000 then 'RUNNING' else 'PENDING' end, '', '1h', 4, case when i <= 2000 then timestamptz '2026-06-01T11:00Z' end, null, false, false, now(), now(), i from generate_series(1, 10000) i`,
		`insert into fairbridge.job_estimates (cluster, made, job, arrive, user_name, account, partition, raw_early, raw_late, early, middle, late, end_early, end_middle, end_late, raw_end_early, raw_end_late)
		   select 'lab', '2026-06-01T12:00Z', i, '2026-06-01T00:00Z', 'user6', 'account', 'gpu', e, e, e, e, e, e, e, e, e, e from (select timestamptz '2026-06-03Z' as e) as a, generate_series(7, 10000, 97) i`,
		`insert into fairbridge.decisions select 'lab', 'gpu', 1 + i % 10000, 100000 + i, timestamptz '2026-06-01T00:00Z' + i * interval '0.1 s', 'wait', i, 4, '', 0, 'waits behind others' from generate_series(1, 300000) i`,
		`insert into fairbridge.gpus (cluster, node, uuid, gpu_type) select 'lab', 'n' || lpad((i / 8)::text, 4, '0'), 'GPU-' || i, 'a100' from generate_series(0, 7999) i`,
		`create table fairbridge.gpu_readings_20260601 partition of fairbridge.gpu_readings for values from ('2026-06-01Z') to ('2026-06-02Z')`,
		`insert into fairbridge.gpu_readings (at, job, gpu, busy, mem_used, watts, sharing, sick)
		   select timestamptz '2026-06-01T12:00Z' - k * interval '30 s', 1, g.id, .5, .5, 300, 1, false from fairbridge.gpus g, generate_series(0, 19) k`,
		`insert into fairbridge.intents (cluster, epoch, partition, seq, place, policy, job, submit, restarts, sluid, field, kind, value, nodes, array_task, tasks, why, before, state, made, closed)
		   select 'lab', 1, 'gpu', 1000 + i, 0, 'fairbridge', 1 + i % 10000, 1780000000, 0, '', 'priority', 'priority', 5, '{}', '', 1, 'it is 5th', '{}', 'OBSERVED', timestamptz '2026-06-01T11:59Z' - i * interval '2 s', now() from generate_series(1, 40000) i`,
		`analyze`,
	} {
		dbtest.Exec(b, s.db.DB, q)
	}
}

// BenchmarkAnswers is every answer for a plain user of a site of 10,000 jobs on 1,000 nodes, where everything is
// private.
func BenchmarkAnswers(b *testing.B) {
	s := newBenchSite(b)
	ctx, viewer := b.Context(), api.Viewer{User: "user5", Role: api.RoleUser}
	waiting := 0
	for _, c := range []struct {
		name string
		ask  func() (any, error)
	}{
		{"Queue/mine", func() (any, error) { return s.service.Queue(ctx, viewer, api.QueueQuery{}) }},
		{"Queue/all", func() (any, error) { return s.service.Queue(ctx, operator, api.QueueQuery{Limit: api.MaxLimit}) }},
		{"Queue/estimates", func() (any, error) { return s.service.Queue(ctx, operator, api.QueueQuery{Estimates: true}) }},
		{"Job/again", func() (any, error) { return s.service.Job(ctx, viewer, fmt.Sprint(9706)) }},
		{"Job/each", func() (any, error) {
			waiting = (waiting + 1) % 80
			return s.service.Job(ctx, viewer, fmt.Sprint(6+97*21+97*waiting))
		}},
		{"Job/late", func() (any, error) { // it has a deadline that it is not likely done by, and is offered what is likelier
			waiting = (waiting + 1) % 80
			return s.service.Job(ctx, api.Viewer{User: "user6", Role: api.RoleUser}, fmt.Sprint(7+97*21+97*waiting))
		}},
		{"JobUse", func() (any, error) { return s.service.JobUse(ctx, viewer, fmt.Sprint(6)) }},
		{"When/again", func() (any, error) { return s.service.When(ctx, viewer, api.WhenQuery{GPUs: 8, Limit: 4 * time.Hour}) }},
		{"When/each", func() (any, error) {
			waiting++
			return s.service.When(ctx, viewer, api.WhenQuery{GPUs: 8, Limit: 4*time.Hour + time.Duration(waiting)*time.Minute})
		}},
		{"Changes", func() (any, error) { return s.service.Changes(ctx, viewer, api.ChangeQuery{Limit: 100}) }},
		{"Changes/all", func() (any, error) { return s.service.Changes(ctx, operator, api.ChangeQuery{}) }},
		{"Nodes", func() (any, error) { return s.service.Nodes(ctx, operator, api.NodeQuery{}) }},
		{"Nodes/measured", func() (any, error) {
			s.now = s.now.Add(21 * time.Second)
			if s.now.Sub(noon) > time.Minute {
				s.now = noon.Add(time.Second)
				s.restart()
				s.service.NoteCycle(s.report())
			}
			return s.service.Nodes(ctx, operator, api.NodeQuery{})
		}},
		{"Shares", func() (any, error) { return s.service.Shares(ctx, operator) }},
		{"Policies", func() (any, error) { return s.service.Policies(ctx, viewer) }},
		{"Health", func() (any, error) { return s.service.Health(ctx) }},
		{"Report/waits", func() (any, error) { return s.service.Report(ctx, operator, "waits", api.ReportQuery{}) }},
		{"NewCycle/handed", func() (any, error) {
			s.service.NoteCycle(s.report())
			return s.service.Queue(ctx, viewer, api.QueueQuery{})
		}},
		{"NewCycle/read", func() (any, error) {
			s.restart()
			return s.service.Queue(ctx, viewer, api.QueueQuery{})
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			from := cpuTime(b)
			defer func() { b.ReportMetric((cpuTime(b)-from).Seconds()*1000/float64(b.N), "cpu-ms/op") }()
			for b.Loop() {
				if a, err := c.ask(); err != nil {
					b.Fatal(err)
				} else if _, err := json.Marshal(a); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// cpuTime is what the process has used so far: on a busy machine it says more than the clock does.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
