package measure

import (
	"math"
	"slices"
)

// PredictionErrors returns by which part of the predicted time from arrival to completion each
// job's true one was off, in their order; nil where nothing was predicted.
func (r *Run) PredictionErrors() []float64 {
	var errs []float64
	for i := range r.JobOutcomes {
		j := &r.JobOutcomes[i]
		if j.PredictedFinish > j.Arrive {
			errs = append(errs, math.Abs(j.PredictedFinish-j.Finish)/(j.PredictedFinish-j.Arrive))
		}
	}
	return errs
}

// setPredictionErrors fills in the figures of predictions; -1: there are none.
func (s *Summary) setPredictionErrors(errs []float64) {
	s.MeanPredictionError, s.P99PredictionError = -1, -1
	if len(errs) > 0 {
		slices.Sort(errs)
		s.MeanPredictionError, s.P99PredictionError = Mean(errs), Quantile(errs, 0.99)
	}
}

// ListMetrics lists the columns of a table of such summaries: all, but those of predictions
// where nothing was predicted.
func ListMetrics(summaries []*Summary) []*Metric {
	return slices.DeleteFunc(slices.Clone(AllMetrics), func(m *Metric) bool {
		return m.IsOfPredictions() && !slices.ContainsFunc(summaries, func(s *Summary) bool { return m.ValueOf(s) >= 0 })
	})
}

// IsOfPredictions reports whether it says how good predictions were.
func (f *Metric) IsOfPredictions() bool {
	return f.ColumnHead == "PRED ERR" || f.ColumnHead == "P99 ERR"
}
