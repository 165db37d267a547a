package replay

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/replica/policyset"
)

// record is a Record in memory.
type record struct {
	runs     []bridge.PastRun
	steering []bridge.PolicyCycleCounts
	nodes    []policy.Node // of the last snapshot; nil: there is none
}

func (r record) PastRuns(context.Context, string, string, time.Time, time.Time) ([]bridge.PastRun, error) {
	return r.runs, nil
}

func (r record) CountUnstartedJobs(context.Context, string, string, time.Time, time.Time) (waiting, ended int, err error) {
	return 2, 1, nil
}

func (r record) Past(context.Context, string, time.Time) (*bridge.Past, error) {
	return &bridge.Past{Accounts: []policy.Account{{Name: "a", Weight: 2, UsedService: 5, RecentService: 3}}}, nil
}

func (r record) ListSteering(context.Context, string, string, time.Time, time.Time) ([]bridge.PolicyCycleCounts, error) {
	return r.steering, nil
}

func (r record) LastSeenJobs(context.Context, string, string, time.Time, time.Time) (map[policy.JobID]policy.Job, error) {
	return nil, nil
}

func (r record) LastSnapshot(context.Context, string, string) (*policy.Snapshot, error) {
	if r.nodes == nil {
		return nil, errors.New("no cycle is stored")
	}
	return &policy.Snapshot{Nodes: r.nodes}, nil
}

// period is a day, in which a cycle took a minute.
func period() Period {
	p := Period{Cluster: "c", Partition: "gpu", Since: midnight, Until: midnight.Add(24 * time.Hour)}
	p.LoopConfig = bridge.Config{Interval: time.Minute, StopFile: "/stop", PreemptOptIn: bridge.OptIn{QOS: []string{"x"}}}
	return p
}

func TestReadPeriod(t *testing.T) {
	r := record{
		runs:  []bridge.PastRun{run(1, 0, 0, 60, nil)},
		nodes: []policy.Node{{Name: "n1", DownReason: "broken", CPUs: 8, GPUs: []policy.NodeDevices{{Type: "a100", Count: 4, SickCount: 1}}}},
	}
	s, err := period().ReadScenario(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	whole := []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 4}}}}
	if d := cmp.Diff(whole, s.Nodes); d != "" {
		t.Errorf("nodes (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]policy.Account{{Name: "a", Weight: 2, UsedService: 5}}, s.Accounts); d != "" {
		t.Errorf("accounts (-want +got):\n%s", d)
	}
	if s.Decider.Label != policyset.SlurmName || s.Mode != "" || s.LoopConfig.StopFile != "" || !s.LoopConfig.PreemptOptIn.Comment || s.LoopConfig.PreemptOptIn.QOS != nil {
		t.Errorf("decided by %q in mode %q, with %+v", s.Decider.Label, s.Mode, s.LoopConfig)
	}
}

// A policy decided when it pushed in at least half of the time in which there was
// something to decide.
func TestWhoDecided(t *testing.T) {
	for name, c := range map[string]struct {
		steering bridge.PolicyCycleCounts
		want     string
	}{
		"most of the time":  {bridge.PolicyCycleCounts{Mode: bridge.ModeSteer, Policy: "fifo", CycleCount: 40, EditCount: 2}, "fifo, as then"},
		"it pushed nothing": {bridge.PolicyCycleCounts{Mode: bridge.ModeObserve, Policy: "fifo", CycleCount: 60}, policyset.SlurmName},
		"a short time":      {bridge.PolicyCycleCounts{Mode: bridge.ModeSteer, Policy: "fifo", CycleCount: 20, EditCount: 2}, policyset.SlurmName},
	} {
		p := period()
		p.Nodes = []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 4}}}}
		s, err := p.ReadScenario(t.Context(), record{runs: []bridge.PastRun{run(1, 0, 0, 60, nil)}, steering: []bridge.PolicyCycleCounts{c.steering}})
		if err != nil || s.Decider.Label != c.want {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
}

func TestPeriodsThatCannotBeRead(t *testing.T) {
	if _, err := period().ReadScenario(t.Context(), record{}); err == nil || !strings.Contains(err.Error(), "the record has no GPU job of partition gpu") {
		t.Error(err)
	}
	r := record{runs: []bridge.PastRun{run(1, 0, 0, 60, nil)}}
	if _, err := period().ReadScenario(t.Context(), r); err == nil || !strings.Contains(err.Error(), "Say it by --cluster: no cycle is stored") {
		t.Error(err)
	}
	r.nodes, r.steering = []policy.Node{{Name: "n1"}}, []bridge.PolicyCycleCounts{{Policy: "gone", CycleCount: 1000, EditCount: 1}}
	if _, err := period().ReadScenario(t.Context(), r); err == nil || !strings.Contains(err.Error(), "policy gone steered then") {
		t.Error(err)
	}
}
