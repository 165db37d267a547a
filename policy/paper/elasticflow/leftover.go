package elasticflow

// sized is a job with the place of its size among its levels; -1: it gets none yet.
type sized struct {
	*demand
	level  int
	plan   []step // what is booked for it in any case; nil: nothing
	booked int    // devices that are booked for it as long as it must run, if its plan has fewer
}

// divideLeftover gives the devices that the plans leave to the jobs, kind by kind. A job may have
// devices that no plan needs as long as it must run once it has them. First
// every job without any gets its least size, in the order of the list; then the one whose step to
// its next level costs least GPU time for each device more takes it, again and again. dearest
// turns the last choice around, as the published program does.
func divideLeftover(jobs []sized, left []profile, dearest bool) {
	for i := range jobs {
		j := &jobs[i]
		if j.level < 0 && !j.isFixed && len(j.levels) > 0 && j.fits(left[j.kind], j.levels[0]) {
			j.book(&left[j.kind], j.levels[0])
			j.level = 0
		}
	}
	for {
		best, cost := -1, 0.
		for i := range jobs {
			more, c := jobs[i].nextStep()
			if more == 0 || !jobs[i].fits(left[jobs[i].kind], jobs[i].levels[jobs[i].level+1]) {
				continue
			}
			if dearest {
				c = -c
			}
			if best < 0 || c < cost {
				best, cost = i, c
			}
		}
		if best < 0 {
			return
		}
		j := &jobs[best]
		j.level++
		j.book(&left[j.kind], j.levels[j.level])
	}
}

// fits reports whether a larger size finds devices as long as the job must run, beside those
// that are booked for it.
func (s *sized) fits(left profile, devices int) bool {
	for i := 0; i < len(left) && (i == 0 || left[i].from < s.minRun); i++ {
		if left[i].free < devices-s.bookedAt(left[i].from) {
			return false
		}
	}
	return true
}

// bookedAt is what is booked for the job at a time.
func (s *sized) bookedAt(t float64) int {
	n := 0
	if t < s.minRun || t == 0 {
		n = s.booked
	}
	for _, p := range s.plan {
		if t < p.until {
			return max(n, p.gpus)
		}
	}
	return n
}

// book books a size that fits for as long as the job must run.
func (s *sized) book(left *profile, devices int) {
	left.splitAt(s.minRun)
	for i := 0; i < len(*left) && (i == 0 || (*left)[i].from < s.minRun); i++ {
		(*left)[i].free -= max(devices-s.bookedAt((*left)[i].from), 0)
	}
	s.booked = devices
}

// nextStep is how many devices more the next level takes, and the GPU time it costs the rest of
// the job for each of them; 0: there is none.
func (s *sized) nextStep() (more int, cost float64) {
	if s.isFixed || s.level < 0 || s.level+1 >= len(s.levels) {
		return 0, 0
	}
	more = s.levels[s.level+1] - s.levels[s.level]
	return more, (s.gpuTime(s.level+1) - s.gpuTime(s.level)) / float64(more)
}
