package chaos

import "context"

// recorded notes that usage was recorded from what a daemon saw.
func (o *oracle) recorded(p *proc) {
	if p.unwell != "" {
		return
	}
	if since := o.w.Now().Sub(o.seen); since > minJobAge-interval {
		o.unseen += since
	}
	o.seen = o.w.Now()
}

// I17, I18: recorded usage never exceeds what was used, to the second of each run.
func (o *oracle) usage() {
	used, runs := o.used()
	ahead := o.w.Now().Sub(o.seen).Seconds() * o.capacity() // runs that ended since
	if sum := o.booked(); sum > used+runs*o.capacity()/float64(o.Nodes)*2+ahead {
		o.breach("I18", 0, "%.0f GPU seconds are recorded, %.0f were used", sum, used)
	}
}

// wholeUsage: once all is well again, nothing is missing but what ended while
// nobody could look.
func (o *oracle) wholeUsage() {
	used, runs := o.used()
	if sum := o.booked(); sum < used-runs*o.capacity()/float64(o.Nodes)*2-o.unseen.Seconds()*o.capacity() {
		o.breach("I17", 0, "%.0f GPU seconds are recorded, %.0f were used, and for %v nobody could look", sum, used, o.unseen)
	}
}

func (o *oracle) capacity() float64 { return float64(o.Nodes * o.GPUs) }

// booked is all usage that is recorded, with that of runs under way.
func (o *oracle) booked() float64 {
	past, err := o.store.Past(context.Background(), cluster, o.w.Now())
	if err != nil {
		return 0
	}
	sum := 0.0
	for _, u := range past.Users {
		sum += float64(u.Used)
	}
	return sum
}

// used is the truth, and of how many runs.
func (o *oracle) used() (gpuSeconds, runs float64) {
	for _, s := range o.w.Segments() {
		gpuSeconds += s.End.Sub(s.Start).Seconds() * float64(s.GPUs)
		runs++
	}
	for _, j := range o.w.Jobs() {
		if j.State == "RUNNING" {
			gpuSeconds += o.w.Now().Sub(j.Start).Seconds() * float64(gpusOf(&j))
			runs++
		}
	}
	return gpuSeconds, runs
}
