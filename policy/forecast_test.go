package policy

import (
	"testing"
	"time"
)

// hoursByID predicts as many hours as the id says.
type hoursByID struct{}

func (hoursByID) PredictTimeLeft(j *Job) (left, sigma time.Duration) {
	return time.Duration(j.ID) * time.Hour, time.Minute
}
func (hoursByID) PredictionTrust() float64 { return .5 }

// TestForecastIsWrittenDown: a copy of a snapshot holds what its forecast says, and answers alike without it.
func TestForecastIsWrittenDown(t *testing.T) {
	s := &Snapshot{Jobs: []Job{{ID: 1}, {ID: 3}}, Forecast: hoursByID{}}
	c := s.Clone()
	for i := range s.Jobs {
		left, sigma := s.PredictedTimeLeft(&s.Jobs[i])
		l, x := c.PredictedTimeLeft(&c.Jobs[i])
		if l != left || x != sigma || c.Jobs[i].PredictedLeft != left || s.Jobs[i].PredictedLeft != 0 {
			t.Errorf("job %d: %v ± %v, in the copy %v ± %v", s.Jobs[i].ID, left, sigma, l, x)
		}
	}
	if c.Forecast != nil || c.PredictionTrust != .5 || c.TrustInPredictions() != s.TrustInPredictions() {
		t.Errorf("trust %g, in the copy %g", s.TrustInPredictions(), c.TrustInPredictions())
	}
}
