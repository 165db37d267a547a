package power

import (
	"fmt"
	"math"
	"time"

	"fairbridge/policy"
)

// Look is what was needed at a moment, and what began since the look before.
type Look struct {
	At     time.Time
	Needed int // nodes with jobs, and those that jobs which could start wait for
	Starts int // jobs that started
}

// Forecast is what is expected of the nodes needed, so many steps ahead.
type Forecast struct {
	Mean, Sigma []float64 // nodes, by step from now (0) on
}

// leastPast is what has to be known before anything is forecast: each hour of the day twice.
const leastPast = 48 * time.Hour

// seasonCount is that of the hours of a workday and of a weekend's day.
const seasonCount = 2 * 24

func seasonOf(at time.Time) int {
	if day := at.Weekday(); day == time.Saturday || day == time.Sunday {
		return 24 + at.Hour()
	}
	return at.Hour()
}

// Model forecasts nodes needed. It is a value that was fitted to looks, and is not changed by being
// asked.
type Model struct {
	step   time.Duration
	season [seasonCount]float64 // mean need
	kept   []float64            // by step ahead: what part of the distance from the season is left
	sigma  []float64            // by step ahead: standard deviation of what was forecast so
}

// Fit fits a model to looks that are a step apart, for so long ahead. It fails where they tell less
// than two days.
func Fit(looks []Look, step, ahead time.Duration) (*Model, error) {
	if past := time.Duration(len(looks)) * step; past < leastPast {
		return nil, fmt.Errorf("forecasting the need of nodes: %s of looks, want %s at least; give a longer past", policy.FormatDuration(past), policy.FormatDuration(leastPast))
	}
	m := &Model{step: step, kept: make([]float64, ahead/step+1), sigma: make([]float64, ahead/step+1)}
	m.fitSeason(looks)
	off := make([]float64, len(looks))
	for i := range looks {
		off[i] = float64(looks[i].Needed) - m.season[seasonOf(looks[i].At)]
	}
	for k := range m.kept {
		m.kept[k], m.sigma[k] = regress(off, k)
	}
	return m, nil
}

// fitSeason takes means by the hour of workdays and weekends; an hour of a weekend that was never seen is
// that of a workday, and the other way round.
func (m *Model) fitSeason(looks []Look) {
	var sum, n [seasonCount]float64
	for i := range looks {
		s := seasonOf(looks[i].At)
		sum[s], n[s] = sum[s]+float64(looks[i].Needed), n[s]+1
	}
	for s := range m.season {
		at := s
		if n[at] == 0 {
			at = (s + 24) % seasonCount
		}
		m.season[s] = sum[at] / max(n[at], 1)
	}
}

// regress returns by how much each value, so many steps later, is what it was before (0 to 1, by least
// squares), and the standard deviation of what is left.
func regress(off []float64, later int) (kept, sigma float64) {
	var xy, xx, rest float64
	n := len(off) - later
	for i := range max(n, 0) {
		xy, xx = xy+off[i]*off[i+later], xx+off[i]*off[i]
	}
	if xx > 0 {
		kept = min(max(xy/xx, 0), 1)
	}
	for i := range max(n, 0) {
		d := off[i+later] - kept*off[i]
		rest += d * d
	}
	return kept, math.Sqrt(rest / float64(max(n, 1)))
}

// Forecast says what is expected after the last look.
func (m *Model) Forecast(last Look) Forecast {
	f := Forecast{make([]float64, len(m.kept)), m.sigma}
	off := float64(last.Needed) - m.season[seasonOf(last.At)]
	for k := range m.kept {
		f.Mean[k] = max(m.season[seasonOf(last.At.Add(time.Duration(k)*m.step))]+m.kept[k]*off, 0)
	}
	return f
}

// Peak is the most that is needed in all that time, so many standard deviations above the mean.
func (f *Forecast) Peak(margin float64) float64 {
	most := 0.
	for k := range f.Mean {
		most = max(most, f.Mean[k]+margin*f.Sigma[k])
	}
	return most
}
