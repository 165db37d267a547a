package trial

import (
	"fmt"
	"strings"

	"fairbridge/bridge/sim/cluster"
	"fairbridge/bridge/sim/work"
	"fairbridge/bridge/sim/work/draw"
	"fairbridge/policy"
)

// kinds are the workloads that can be drawn for a cluster of so many GPUs.
var kinds = []struct {
	name string
	draw func(gpus, jobs int, seed int64) ([]work.Job, []policy.Account)
}{
	{"shockwave", func(gpus, jobs int, seed int64) ([]work.Job, []policy.Account) {
		return draw.Shockwave{GPUs: gpus, Jobs: jobs}.Draw(seed), nil
	}},
	{"gavel", func(gpus, jobs int, seed int64) ([]work.Job, []policy.Account) {
		return draw.Gavel{GPUs: gpus, Jobs: jobs}.Draw(seed), nil
	}},
	{"philly", func(gpus, jobs int, seed int64) ([]work.Job, []policy.Account) {
		p := draw.Philly{GPUs: gpus, Jobs: jobs}
		return p.Draw(seed), p.AccountsOf(seed)
	}},
	{"tenant", func(gpus, jobs int, seed int64) ([]work.Job, []policy.Account) {
		t := draw.Tenant{GPUs: gpus}
		return t.Draw(seed), t.AccountsOf(seed)
	}},
}

// KindNames lists the workloads that can be drawn.
func KindNames() string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return strings.Join(names, ", ")
}

// Draw makes a workload for the nodes; 0 jobs: as many as suit them.
func Draw(kind string, jobs int, seed int64, nodes []policy.Node) (*Workload, error) {
	if jobs < 0 {
		return nil, fmt.Errorf("%d jobs: want at least 1", jobs)
	}
	for _, k := range kinds {
		if k.name == kind {
			list, accounts := k.draw(cluster.GPUs(nodes), jobs, seed)
			return New(kind, list, draw.Tables(), accounts, nodes)
		}
	}
	return nil, fmt.Errorf("no kind of workload %q, there are %s", kind, KindNames())
}
