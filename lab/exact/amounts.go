package exact

import (
	"fmt"

	"fairbridge/policy"
)

// speedByAmounts is how fast the job is with the cores and memory that it was given, relative to those it
// asks, which its run time is for.
func (j *job) speedByAmounts() float64 {
	if j.given == (policy.Amounts{}) || j.CPUScaling == nil {
		return 1
	}
	devices := j.heldAlloc.Count()
	ask := policy.Ask{GPUs: policy.GPUs{Count: j.GPUs}, CPUs: j.CPUs, MemMB: j.MemMB}.Resized(devices)
	return j.CPUScaling.SpeedWith(devices, ask.WithAmounts(j.given).Amounts()) / j.CPUScaling.SpeedWith(devices, ask.Amounts())
}

// checkAmounts says why the job cannot run with the cores and memory that it asks.
func (j *job) checkAmounts() error {
	if j.CPUScaling == nil || j.CPUScaling.SpeedWith(j.GPUs, policy.Amounts{CPUs: j.CPUs, MemMB: j.MemMB}) > 0 {
		return nil
	}
	return fmt.Errorf("%s: with what it asks, %v, it has no speed by its own figures of cores and memory; let it ask more, or leave them out", j.Location(), policy.Amounts{CPUs: j.CPUs, MemMB: j.MemMB})
}
