package cycle

import (
	"context"

	"fairbridge/bridge/push"
)

// MayPush looks, right before every call, at everything that may forbid it.
func (l *Loop) MayPush(ctx context.Context) error {
	return push.May(ctx, l.StopFile, &l.leader, l.Leadership)
}
