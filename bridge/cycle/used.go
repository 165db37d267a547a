package cycle

import (
	"fairbridge/bridge"
)

func (l *Loop) used() map[int64]bridge.Use {
	if p, ok := l.Probes.(bridge.JobProbes); ok {
		return p.Used()
	}
	return nil
}
