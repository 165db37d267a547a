package learner

import (
	"fmt"
	"time"

	"fairbridge/bridge/study"
	"fairbridge/bridge/study/exact"
)

// windows are parts of a trace, so many jobs that came one after the other.
type windows struct {
	*Learner
	toLearn, toTry *study.Scenario
	values         Values
}

// learnPart is the part of a trace, its first, that is learnt from; weights are tried on the rest.
const learnPart = .8

// NewTraceSource returns workloads that are windows of a trace, drawn by seed, of the numbers' jobs, brought to their load: those to
// learn from are of its first four fifths, those on which weights are tried of its last. Its jobs report how far they are.
func (l *Learner) NewTraceSource(s *study.Scenario, v Values) (Source, error) {
	cut, learn, try := int(learnPart*float64(len(s.Jobs))), *s, *s
	learn.Jobs, try.Jobs = s.Jobs[:cut], s.Jobs[cut:]
	w := windows{l, &learn, &try, v}
	for _, seed := range []int64{1, TrainingSeed(0)} {
		if _, err := w.Draw(seed); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Name implements Source.
func (w windows) Name() string {
	return fmt.Sprintf("windows of %s: %g jobs, %d GPUs, load %g", w.toLearn.Name, w.values["jobs"], w.toLearn.CountGPUs(), w.values["load"])
}

// Draw implements Source.
func (w windows) Draw(seed int64) (exact.Config, error) {
	from := w.toLearn
	if seed <= lastTrialSeed {
		from = w.toTry
	}
	part, err := from.TakeWindow(int(w.values["jobs"]), seed)
	if err == nil {
		part, err = part.ScaleToLoad(w.values["load"])
	}
	if err != nil {
		return exact.Config{}, fmt.Errorf("drawing a workload to learn from: %w", err)
	}
	study.AllReport.SetReports(part.Jobs)
	c := exact.Config{Jobs: part.Jobs, Nodes: part.Nodes, Accounts: part.Accounts, SpeedTables: part.SpeedTables, OmitsReasons: true,
		Clock: exact.NewEventClock(time.Minute, time.Minute, 30*time.Second)}
	if w.ForTrace != nil {
		w.ForTrace(&c, seed)
	}
	return c, nil
}
