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

// maxNameProofAge is how long a proof of the cluster's name counts.
const maxNameProofAge = 5 * time.Minute

// clusterNameProof keeps the cluster's name where REST does not tell it.
type clusterNameProof struct {
	mu        sync.Mutex
	name      string    // as proven; "": not
	provenAt  time.Time // by slurmctld's clock
	ctldStart time.Time // when that slurmctld started
}

// proveInView puts the name, or why there is none, into the view.
func (n *clusterNameProof) proveInView(ctx context.Context, s scontrol.Command, v *slurm.View) error {
	if v.Cluster = n.validName(v); v.Cluster != "" {
		return nil
	}
	name, proven, err := s.ProveClusterName(ctx, v)
	switch {
	case errors.Is(err, scontrol.ErrOtherCluster):
		return err
	case err != nil:
		v.UnprovenClusterReason = fmt.Sprintf("Slurm %s does not tell by REST which cluster it is, and scontrol does not prove it: %v: set slurm.scontrol", v.Release, err)
		return nil
	case proven:
		n.store(name, v)
	}
	v.Cluster = name
	return nil
}

// validName returns the name as long as the last proof counts.
func (n *clusterNameProof) validName(v *slurm.View) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if age := v.At.Sub(n.provenAt); age < 0 || age > maxNameProofAge || !n.ctldStart.Equal(v.ControllerStart) {
		return ""
	}
	return n.name
}

// store notes a proof; "" forgets it.
func (n *clusterNameProof) store(name string, v *slurm.View) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.name = name
	if v != nil {
		n.provenAt, n.ctldStart = v.At, v.ControllerStart
	}
}
