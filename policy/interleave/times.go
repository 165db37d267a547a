package interleave

import "slices"

// Times remembers how long steps of packs take, by what is known of their jobs: clusters run
// few kinds of jobs, and are asked about the same packs again and again. The zero value is ready.
type Times struct {
	kinds   map[Job]uint32
	known   []Job // by kind, from 1
	seconds map[packKinds]float64
}

// packKinds are the kinds of the jobs of a pack, the smallest first; 0: there is none.
type packKinds [MaxJobs]uint32

// kindOf numbers what is known of a job.
func (t *Times) kindOf(j Job) uint32 {
	if t.kinds == nil {
		t.kinds, t.known, t.seconds = map[Job]uint32{}, make([]Job, 1), map[packKinds]float64{}
	}
	kind, seen := t.kinds[j]
	if !seen {
		kind = uint32(len(t.known))
		t.kinds[j], t.known = kind, append(t.known, j)
	}
	return kind
}

// StepSeconds is the function of that name, remembered.
func (t *Times) StepSeconds(jobs []Job) float64 {
	var kinds packKinds
	for i, j := range jobs {
		kinds[MaxJobs-1-i] = t.kindOf(j)
	}
	slices.Sort(kinds[:])
	return t.ofKinds(kinds)
}

// ofKinds is StepSeconds by kinds.
func (t *Times) ofKinds(kinds packKinds) float64 {
	seconds, seen := t.seconds[kinds]
	if !seen {
		var jobs []Job
		for _, k := range kinds {
			if k != 0 {
				jobs = append(jobs, t.known[k])
			}
		}
		seconds = StepSeconds(jobs)
		t.seconds[kinds] = seconds
	}
	return seconds
}
