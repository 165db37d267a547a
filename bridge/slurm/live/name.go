package live

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/scontrol"
)

// namedFor is how long a proof of the cluster's name counts.
const namedFor = 5 * time.Minute

// naming keeps the cluster's name where REST does not tell it.
type naming struct {
	mu   sync.Mutex
	name string    // as proven; "": not
	at   time.Time // by slurmctld's clock
	ctld time.Time // when that slurmctld started
}

// prove puts the name, or why there is none, into the view.
func (n *naming) prove(ctx context.Context, s scontrol.Command, v *slurm.View) error {
	if v.Cluster = n.known(v); v.Cluster != "" {
		return nil
	}
	name, proven, err := s.Name(ctx, v)
	switch {
	case errors.Is(err, scontrol.ErrOther):
		return err
	case err != nil:
		v.ClusterUnproven = fmt.Sprintf("Slurm %s does not tell by REST which cluster it is, and scontrol does not prove it: %v: set slurm.scontrol", v.Release, err)
		return nil
	case proven:
		n.set(name, v)
	}
	v.Cluster = name
	return nil
}

// known returns the name as long as the last proof counts.
func (n *naming) known(v *slurm.View) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if age := v.At.Sub(n.at); age < 0 || age > namedFor || !n.ctld.Equal(v.Started) {
		return ""
	}
	return n.name
}

// set notes a proof; "" forgets it.
func (n *naming) set(name string, v *slurm.View) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.name = name
	if v != nil {
		n.at, n.ctld = v.At, v.Started
	}
}
