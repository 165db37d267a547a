package cycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/push"
)

var errNoExpiry = errors.New("no node is named for any job, since nothing outside the daemon would take that back: systemctl enable --now fairbridge-expire.timer")

// expires reports whether something outside the daemon would take node lists
// back if we died now. Where it does not, none is set.
func (l *Loop) expires(ctx context.Context, r *Report) bool {
	if !slices.ContainsFunc(l.Partitions, func(p bridge.Partition) bool { return p.Mode.Allows(bridge.Steer) }) {
		return true // no node list is sent
	}
	if !l.Pin || l.Expiry == nil {
		return false
	}
	ago, ok, err := l.Expiry.LastExpiry(ctx, l.Config.Name)
	switch {
	case err != nil:
		r.warn("expiry", err)
	case !ok:
		r.warn("expiry", errNoExpiry)
	case ago > push.ExpiryFresh:
		r.warn("expiry", fmt.Errorf("%w; it last ran %v ago", errNoExpiry, ago.Round(time.Second)))
	}
	return err == nil && ok && ago <= push.ExpiryFresh
}
