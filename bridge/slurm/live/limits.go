package live

import (
	"context"
	"sync"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/scontrol"
)

// Limits that were read count for limitsMaxAge where they cannot be read again; they are read again after limitsAge.
const (
	limitsAge    = time.Minute
	limitsMaxAge = 10 * time.Minute
)

// limits keeps the limits of associations and QOS, which REST tells on no release together with their usage.
type limits struct {
	mu     sync.Mutex
	values slurm.Limits
	readAt time.Time // by slurmctld's clock; zero: never
}

// addToView adds the limits to the view, or why they are not known.
func (l *limits) addToView(ctx context.Context, s scontrol.Command, v *slurm.View) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if age := v.At.Sub(l.readAt); l.readAt.IsZero() || age < 0 || age >= limitsAge {
		read, err := s.ReadLimits(ctx, v.Cluster)
		switch {
		case err == nil:
			l.values, l.readAt = read, v.At
		case l.readAt.IsZero() || age < 0 || age > limitsMaxAge:
			v.UnreadLimitsReason = err.Error()
			return
		}
	}
	v.Limits = l.values
}
