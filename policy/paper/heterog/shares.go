package heterog

import (
	"fmt"
	"strings"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/pool"
)

// recommendShares writes into the plan what each GPU of a job on several types should do of its batch.
func (p *Policy) recommendShares(s *policy.Snapshot, plan *policy.Plan) {
	if p.Mix != mixProportional {
		return
	}
	var r *engine.Round
	for i := range plan.Decisions {
		d := &plan.Decisions[i]
		if !d.On.HasSeveralTypes() {
			continue
		}
		j := s.Job(d.Job)
		if !j.AcceptsMixedTypes {
			continue
		}
		if r == nil {
			r = &engine.Round{Snapshot: s, FreePool: pool.New(s)}
		}
		d.BatchShares = newGangSpeeds(r, &engine.Entry{Job: j, WantedDeviceCount: d.GPUs}).shares(d.On)
		if !s.OmitReasons {
			d.Why += describeShares(d.BatchShares)
		}
	}
}

func describeShares(shares policy.BatchShares) string {
	var parts []string
	for _, s := range shares {
		parts = append(parts, fmt.Sprintf("%.3g of the batch on each %s", s.PerGPU, s.Type))
	}
	if len(parts) == 0 {
		return ""
	}
	return "; it should do " + strings.Join(parts, ", ")
}
