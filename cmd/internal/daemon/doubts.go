package daemon

import (
	"context"
	"time"

	"fairbridge/bridge/cycle"
)

// doubtRecordTimeout is how long recording what is in doubt may take of a cycle's time.
const doubtRecordTimeout = 5 * time.Second

// recordDoubts records what was in doubt in a cycle that led, so that explain, queue and plan
// can say it: a cycle that ends in doubt before its plan stores nothing else. Where nothing is
// in doubt, and nothing was, nothing is written.
func (d *daemon) recordDoubts(ctx context.Context, r *cycle.Report) {
	if r.Epoch == 0 || r.Result == cycle.ResultCutShort || len(r.Doubts) == 0 && d.areDoubtsClear {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), doubtRecordTimeout)
	defer cancel()
	err := d.DB.SetDoubts(ctx, d.File.Cluster, d.Loop.DaemonName, r.Doubts, time.Now())
	d.areDoubtsClear = err == nil && len(r.Doubts) == 0
	if text := errorText(err); text != d.lastDoubtError {
		if d.lastDoubtError = text; err != nil {
			d.log.Warn("explain, queue and plan do not show what is in doubt", "error", err)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
