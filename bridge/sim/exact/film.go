package exact

import "fairbridge/bridge/sim/measure"

// most is how many samples a run keeps; when there are more, every second one
// is dropped and they are taken half as often.
const most = 4096

type film struct {
	frames []measure.Sample
	gap    float64 // least time between two frames
}

// shoot takes a sample of the cluster.
func (e *engine) shoot() {
	f := &e.film
	if n := len(f.frames); n > 0 && e.now-f.frames[n-1].At < f.gap {
		return
	}
	if len(f.frames) == most {
		f.thin()
	}
	gpus := make(map[string]float64, len(e.snap.Accounts))
	for _, j := range e.busy {
		gpus[j.Account] += float64(j.on.Count())
	}
	f.frames = append(f.frames, measure.Sample{At: e.now, Busy: e.used, Running: len(e.busy), Queued: len(e.here) - len(e.busy), GPUs: gpus})
}

func (f *film) thin() {
	n := 0
	for i := 0; i < len(f.frames); i += 2 {
		f.frames[n] = f.frames[i]
		n++
	}
	clear(f.frames[n:])
	f.frames = f.frames[:n]
	f.gap = max(2*f.gap, (f.frames[n-1].At-f.frames[0].At)/most*2)
}
