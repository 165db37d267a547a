package exact_test

import (
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/policy/learn"
)

// askedForecast counts what it is asked.
type askedForecast struct{ moments, asked int }

func (f *askedForecast) AddEndedRun(learn.Run)                {}
func (f *askedForecast) ForecastAt(time.Time) policy.Forecast { f.moments++; return f }
func (f *askedForecast) PredictionTrust() float64             { f.asked++; return 1 }
func (f *askedForecast) PredictTimeLeft(*policy.Job) (left, sigma time.Duration) {
	f.asked++
	return time.Hour, time.Hour
}

// TestPredictionsAreMadeWhenAsked: a policy that orders by arrival or by service predicts nothing.
func TestPredictionsAreMadeWhenAsked(t *testing.T) {
	jobs := generate.PhillyDrawer{JobCount: 60, ClusterGPUs: 16}.DrawJobs(1)
	for i := range jobs {
		jobs[i].IsSilent = true
	}
	for name, asks := range map[string]bool{"fifo": false, "easy": false, "tiresias": false, "srtf": true} {
		f := &askedForecast{}
		_, err := exact.Run(exact.Config{
			Policy: fromCatalogue(t, name), Nodes: nodes(2, 8, "v100"), Jobs: jobs, RunTimes: f,
			Clock: exact.NewEventClock(time.Minute, 0, 30*time.Second), OmitsReasons: true,
		})
		if err != nil || f.moments == 0 || (f.asked > 0) != asks {
			t.Errorf("%s: asked %d times at %d moments: %v", name, f.asked, f.moments, err)
		}
	}
}
