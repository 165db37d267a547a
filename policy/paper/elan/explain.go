package elan

import (
	"fmt"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/scaling"
	"fairbridge/policy/sizing"
)

// explain notes for owners why their jobs run on other sizes, and with which batch they should.
func (a *admission) explain(line []*engine.Entry) {
	for _, e := range line {
		e.Note = "by arrival"
		if n := a.draft.Size(e); n > 0 && n != e.Ask.GPUs.Count {
			e.Note += fmt.Sprintf(", on %s at %.2f times the speed it would have on the %d it asks for", policy.FormatCount(n, "GPU"), sizing.Speed(e, n), e.Ask.GPUs.Count)
			e.Note += describeBatch(e, n)
		}
	}
	for _, v := range a.shrunk {
		if a.draft.Size(v.Entry) < v.On.Count() {
			v.Note += fmt.Sprintf("; GPUs of it make room for job %s", v.gaveTo.Label())
		}
	}
}

// describeBatch says which batch the job should use on so many devices; "" where that is not
// known.
func describeBatch(e *engine.Entry, devices int) string {
	if e.Scaling == nil || e.Scaling.Batch == nil || e.Scaling.Batch.LeastPerDevice <= 0 {
		return ""
	}
	b := e.Scaling.Batch
	batch, factor := scaling.HybridBatch(b.Initial, b.Max, devices, func(batch int) int { return batch / b.LeastPerDevice })
	return fmt.Sprintf(", best with a batch of %d and %.4g times the learning rate", batch, factor)
}
