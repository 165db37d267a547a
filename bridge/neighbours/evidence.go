package neighbours

import (
	"fmt"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
)

// Looks count from some time after the neighbours came: what a job does while one of them begins says little. The share
// of the time says less than speed, and counts after twice as long.
const (
	leastSpan     = 3 * time.Minute
	leastLooks    = 3
	leastReports  = 2
	leastOfClass  = 3   // reports of other jobs that stand for a job that was never seen alone
	leastBusy     = .1  // a job that computed less alone is not bound by the GPU
	recentLooks   = 10  // of them the newest count
	memoryAtLimit = .97 // of a GPU's memory: the next allocation of any size fails
)

// Alone is what is known of a job that has its GPUs to itself.
type Alone struct {
	Own, Class []bridge.SeenSpeed   // what it reported, and what others of its class did
	Busy       policy.OptionalValue // share of the time in which it computed, measured of itself
}

// findSlowdown says how a job is slowed by its neighbours, where it keeps less than the least share of its speed in
// every look that counts; "" where it is not seen to be.
func findSlowdown(looks []bridge.NeighbourLook, alone *Alone, least float64) string {
	if why := slowerReports(settledLooks(looks, leastSpan), alone, least); why != "" {
		return why
	}
	return lessBusy(settledLooks(looks, 2*leastSpan), alone.Busy, least)
}

// settledLooks returns the newest looks that are later than the span after the first.
func settledLooks(looks []bridge.NeighbourLook, span time.Duration) []bridge.NeighbourLook {
	first := 0
	for first < len(looks) && looks[first].At.Sub(looks[0].At) < span {
		first++
	}
	return looks[max(first, len(looks)-recentLooks):]
}

// slowerReports compares what the job reports with what it, or else its class, reported on as many GPUs alone.
func slowerReports(looks []bridge.NeighbourLook, alone *Alone, least float64) string {
	reports, best, bestAlone := 0, 0.0, 0.0
	var at time.Time
	for i := range looks {
		l := &looks[i]
		if l.Speed == nil || l.SpeedAt.Equal(at) {
			continue
		}
		base := aloneSpeed(l.Speed, alone)
		if base <= 0 || l.Speed.StepsPerSecond >= least*base {
			return ""
		}
		at, reports = l.SpeedAt, reports+1
		if best = max(best, l.Speed.StepsPerSecond); best == l.Speed.StepsPerSecond {
			bestAlone = base
		}
	}
	if reports < leastReports {
		return ""
	}
	return fmt.Sprintf("it reports at most %.3g steps a second, %.0f%% of the %.3g that it has alone (%d reports)", best, 100*best/bestAlone, bestAlone, reports)
}

// aloneSpeed returns the speed of the job on as many GPUs of the type and with the batch of the point, alone; 0: not known.
func aloneSpeed(p *policy.SpeedPoint, alone *Alone) float64 {
	for _, known := range []struct {
		speeds []bridge.SeenSpeed
		least  int
	}{{alone.Own, 1}, {alone.Class, leastOfClass}} {
		for i := range known.speeds {
			s := &known.speeds[i]
			if max(s.Count, 1) >= known.least && s.Type == p.Type && s.Devices == p.Devices && s.Nodes == p.Nodes && s.BatchSize == p.BatchSize {
				return s.StepsPerSecond
			}
		}
	}
	return 0
}

// lessBusy compares how much the job computes with how much it did alone.
func lessBusy(looks []bridge.NeighbourLook, alone policy.OptionalValue, least float64) string {
	if !alone.Known || alone.Value < leastBusy || len(looks) < leastLooks {
		return ""
	}
	best := 0.0
	for i := range looks {
		b := looks[i].Busy
		if !b.Known || b.Value >= least*alone.Value {
			return ""
		}
		best = max(best, b.Value)
	}
	return fmt.Sprintf("it computes at most %.0f%% of the time, %.0f%% alone (%d looks)", 100*best, 100*alone.Value, len(looks))
}

// findFullMemory says how full a GPU of the job is, where it was at its limit in each of the newest looks.
func findFullMemory(looks []bridge.NeighbourLook) string {
	if len(looks) < leastLooks {
		return ""
	}
	least := 1.0
	for _, l := range looks[len(looks)-leastLooks:] {
		if !l.MemShare.Known || l.MemShare.Value < memoryAtLimit {
			return ""
		}
		least = min(least, l.MemShare.Value)
	}
	return fmt.Sprintf("the memory of a GPU of theirs is %.0f%% full", 100*least)
}
