package live

import (
	"context"
	"sync"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/scontrol"
)

// topologyAge is how long a topology that was read counts, and how long none is looked for after one could not be read.
const topologyAge = 10 * time.Minute

// topology keeps the switches of each node, which REST tells on no release as a tree.
type topology struct {
	mu       sync.Mutex
	switches map[string][]string
	readAt   time.Time // by slurmctld's clock; zero: never
}

// addToView adds to each node its switches. Where they cannot be read, those read before stay; without any, nodes are as
// REST shows them.
func (t *topology) addToView(ctx context.Context, s scontrol.Command, v *slurm.View) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if age := v.At.Sub(t.readAt); len(s) > 0 && (t.readAt.IsZero() || age < 0 || age > topologyAge) {
		t.readAt = v.At
		read, err := s.ReadTopology(ctx)
		if err != nil {
			v.Warnings = append(v.Warnings, "switches are as they were read before, or not known: "+err.Error())
		} else {
			t.switches = read
		}
	}
	for i := range v.Nodes {
		v.Nodes[i].Switches = t.switches[v.Nodes[i].Name]
	}
}
