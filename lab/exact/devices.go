package exact

import (
	"fmt"
	"slices"

	"fairbridge/policy"
)

// occupyDevices puts the job on devices of the group and returns which: those that the slot names,
// else free ones, and then those with the fewest jobs that accept it as a neighbour.
func (r *deviceGroup) occupyDevices(j *job, s policy.Slot) (policy.DeviceSet, error) {
	chosen := s.Devices.Indexes()
	if s.Devices == 0 {
		chosen = r.chooseDevices(j, s.Count)
	}
	if len(chosen) != s.Count {
		return 0, fmt.Errorf("no device of %s is left that accepts a neighbour", s.Node)
	}
	for _, i := range chosen {
		if i >= len(r.jobsByDevice) {
			return 0, fmt.Errorf("node %s has %d such devices and no device %d", s.Node, len(r.jobsByDevice), i)
		}
		if err := r.checkNeighbours(i, j); err != nil {
			return 0, fmt.Errorf("device %d of %s: %w", i, s.Node, err)
		}
		r.jobsByDevice[i] = append(r.jobsByDevice[i], j)
	}
	return policy.NewDeviceSet(chosen...), nil
}

// chooseDevices returns so many devices that accept the job, the emptiest first; fewer where
// there are not as many.
func (r *deviceGroup) chooseDevices(j *job, count int) []int {
	var chosen []int
	for others := 0; len(chosen) < count && others <= r.mostJobsOnDevice(); others++ {
		for i := range r.jobsByDevice {
			if len(chosen) < count && len(r.jobsByDevice[i]) == others && r.checkNeighbours(i, j) == nil {
				chosen = append(chosen, i)
			}
		}
	}
	slices.Sort(chosen)
	return chosen
}

func (r *deviceGroup) mostJobsOnDevice() int {
	most := 0
	for _, jobs := range r.jobsByDevice {
		most = max(most, len(jobs))
	}
	return most
}

// checkNeighbours says why the job cannot run beside those on the device.
func (r *deviceGroup) checkNeighbours(device int, j *job) error {
	memMB := j.Sharing.UsedMemMB()
	for _, o := range r.jobsByDevice[device] {
		n := len(r.jobsByDevice[device]) + 1
		switch {
		case o == j:
			return fmt.Errorf("it is there already")
		case !j.asNeighbour.AcceptsNeighbour(o.asNeighbour):
			return fmt.Errorf("it and job %d do not accept each other", o.ID)
		case n > j.asNeighbour.JobsPerGPU() || n > o.asNeighbour.JobsPerGPU():
			return fmt.Errorf("%d jobs on it are more than it or job %d accepts", n, o.ID)
		}
		memMB += o.Sharing.UsedMemMB()
	}
	if len(r.jobsByDevice[device]) > 0 && r.deviceMemMB > 0 && memMB > r.deviceMemMB {
		return fmt.Errorf("its jobs would use %d MB of %d", memMB, r.deviceMemMB)
	}
	return nil
}

func (r *deviceGroup) vacateDevices(j *job) {
	for i, jobs := range r.jobsByDevice {
		if at := slices.Index(jobs, j); at >= 0 {
			r.jobsByDevice[i] = slices.Delete(jobs, at, at+1)
		}
	}
}
