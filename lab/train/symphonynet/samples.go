package symphonynet

import (
	"fmt"
	"math"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/neighbours"
	"fairbridge/policy"
	"fairbridge/policy/belief"
	"fairbridge/policy/catalogue"
	policynet "fairbridge/policy/paper/symphonynet"
	"fairbridge/policy/solve/network"
)

// model is that of symphony's defaults.
var model = belief.Model{Noise: .2, Drift: .1, Delay: time.Minute}

// maxDifference is symphony-net's default.
const maxDifference = .1

// sample is what is known of a job at a moment, and what it truly used.
type sample struct {
	features      []float64
	filter, truth float64
}

// Errors are root mean squares, of what is believed of jobs while they run, against the truth.
type Errors struct {
	Readings float64 // of the latest
	Filter   float64
	Network  float64
	Count    int
}

// watcher believes, beside a run, by the filter and by an Estimator, and tells of each job what came of it.
type watcher struct {
	estimator belief.Estimator
	state     belief.State
	track     belief.Track
	features  map[policy.JobID][]float64
	take      func(j *policy.Job, filter, corrected, truth float64)
}

// Correct implements belief.Estimator.
func (w *watcher) Correct(j *policy.Job, features []float64) float64 {
	w.features[j.ID] = features
	if w.estimator == nil {
		return 0
	}
	return w.estimator.Correct(j, features)
}

func (w *watcher) watch(told *policy.Snapshot, truth func(policy.JobID, time.Time) float64) {
	w.features = map[policy.JobID][]float64{}
	filterState, byFilter := model.Update(w.state, told)
	_, track, corrected, _ := model.UpdateCorrected(w.state, w.track, told, belief.Corrector{Estimator: w, MaxDifference: maxDifference})
	w.state, w.track = filterState, track
	w.track.Score = belief.Score{} // here the truth judges
	for i := range told.Jobs {
		j := &told.Jobs[i]
		if w.features[j.ID] == nil || !j.HoldsGPUs() {
			continue
		}
		w.take(j, byFilter.Jobs[i].Sharing.Utilisation.Value, corrected.Jobs[i].Sharing.Utilisation.Value, truth(j.ID, told.Now))
	}
}

// run simulates a workload by a policy of the catalogue with what it says of its simulator, and watches it. change may make the counters
// others.
func run(c exact.Config, seed int64, name string, w *watcher, change func(*neighbours.Counters)) error {
	system, err := catalogue.FindSystem(name)
	if err != nil {
		return err
	}
	p, err := system.New(system.SimulatorParams)
	if err != nil {
		return err
	}
	counters := surround(p, &c, seed)
	if change != nil {
		change(counters)
	}
	counters.Watch, c.Policy = w.watch, counters
	if _, err := exact.Run(c); err != nil {
		return fmt.Errorf("simulating workload %d to learn from: %w", seed, err)
	}
	return nil
}

// sampleEvery is which of the moments of a job are learnt from: those next to each other are alike.
const sampleEvery = 5

// draw returns samples of a workload as a policy has it.
func draw(c exact.Config, seed int64, name string) (all []sample, err error) {
	w, seen := &watcher{}, 0
	w.take = func(j *policy.Job, filter, _, truth float64) {
		if seen++; seen%sampleEvery == 0 {
			all = append(all, sample{w.features[j.ID], filter, truth})
		}
	}
	return all, run(c, seed, name, w, nil)
}

// MeasureErrors are those of a network on a workload that a policy of the catalogue schedules, by counters that change makes other than
// those that are learnt from; nil: they are the same.
func MeasureErrors(c exact.Config, seed int64, name string, n *network.Network, change func(*neighbours.Counters)) (e Errors, err error) {
	latest, squares := map[policy.JobID]float64{}, [3]float64{}
	w := &watcher{estimator: policynet.Correction{Network: n}}
	w.take = func(j *policy.Job, filter, corrected, truth float64) {
		if j.Utilisation.Known {
			latest[j.ID] = j.Utilisation.Value
		}
		reading, known := latest[j.ID]
		if !known {
			return
		}
		for i, v := range []float64{reading, filter, corrected} {
			squares[i] += (v - truth) * (v - truth)
		}
		e.Count++
	}
	err = run(c, seed, name, w, change)
	root := func(i int) float64 { return math.Sqrt(squares[i] / float64(max(e.Count, 1))) }
	e.Readings, e.Filter, e.Network = root(0), root(1), root(2)
	return e, err
}
