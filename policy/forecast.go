package policy

import "time"

// Forecast predicts run times when it is asked, for a snapshot of which most policies ask little. Throughout
// one decision it answers the same.
type Forecast interface {
	// PredictTimeLeft returns what remains of a job and its standard error; 0: nothing is predicted.
	PredictTimeLeft(j *Job) (left, sigma time.Duration)
	// PredictionTrust returns how far what is predicted has proved true; see Snapshot.PredictionTrust.
	PredictionTrust() float64
}

// PredictedTimeLeft returns what remains of a job by Forecast, where there is one, else by the job itself.
func (s *Snapshot) PredictedTimeLeft(j *Job) (left, sigma time.Duration) {
	if s.Forecast != nil {
		return s.Forecast.PredictTimeLeft(j)
	}
	return j.PredictedLeft, j.PredictedSigma
}

// TrustInPredictions returns PredictionTrust, by Forecast where there is one.
func (s *Snapshot) TrustInPredictions() float64 {
	if s.Forecast != nil {
		return s.Forecast.PredictionTrust()
	}
	return s.PredictionTrust
}

// WriteForecast asks the Forecast about all jobs and writes the answers into the snapshot, which then has none.
func (s *Snapshot) WriteForecast() {
	if s.Forecast == nil {
		return
	}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		j.PredictedLeft, j.PredictedSigma = s.Forecast.PredictTimeLeft(j)
	}
	s.PredictionTrust, s.Forecast = s.Forecast.PredictionTrust(), nil
}
