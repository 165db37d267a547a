package policy

import "fmt"

// occupant is a job on devices of a slot.
type occupant struct {
	*Job
	Slot
}

// checkDevices names the devices of the slot that hold jobs which do not accept each other,
// too many of them, or more memory than there is. It looks at jobs whose devices are known.
func (v *slotUse) checkDevices() []error {
	var errs []error
	for _, o := range v.occupants {
		if o.Devices != 0 && o.Devices.Count() != o.Count {
			errs = append(errs, fmt.Errorf("job %d: %d devices of node %s, but %d of them named: %v", o.ID, o.Count, v.node, o.Devices.Count(), o.Devices))
		}
	}
	for i := 0; i <= MaxDeviceIndex; i++ {
		var jobs []*Job
		for _, o := range v.occupants {
			if o.Devices.Has(i) {
				jobs = append(jobs, o.Job)
			}
		}
		if err := v.checkDevice(i, jobs); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// checkDevice says why the jobs cannot run on one device together.
func (v *slotUse) checkDevice(index int, jobs []*Job) error {
	var memMB int64
	for a, j := range jobs {
		if len(jobs) > j.JobsPerGPU() {
			return fmt.Errorf("job %d: %d jobs on device %d of node %s, it accepts %d", j.ID, len(jobs), index, v.node, j.JobsPerGPU())
		}
		for _, other := range jobs[:a] {
			if !j.AcceptsNeighbour(other) {
				return fmt.Errorf("job %d: on device %d of node %s beside job %d, which their owners do not accept", j.ID, index, v.node, other.ID)
			}
		}
		memMB += j.Sharing.UsedMemMB()
	}
	if len(jobs) > 1 && v.memMB > 0 && memMB > v.memMB {
		return fmt.Errorf("job %d: device %d of node %s has %d MB, its jobs use %d", jobs[0].ID, index, v.node, v.memMB, memMB)
	}
	return nil
}
