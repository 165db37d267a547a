package power

import (
	"fmt"
	"math"
	"slices"
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

// Rules say when nodes could be off.
type Rules struct {
	Step   time.Duration // between looks
	Ahead  time.Duration // how far ahead is forecast: a node is off only if it is not needed for so long
	Margin float64       // standard deviations of the forecast that stay on
	Spare  int           // nodes that stay on in any case, above what is needed
	Behind time.Duration // nodes that were needed within so long stay on, so that they are not switched all the time
	Refit  time.Duration // how often the model is fitted anew
}

// DefaultRules forecast three hours ahead every ten minutes, as the paper does. The nodes that were needed within the last four
// hours and one more are the margin.
func DefaultRules() Rules {
	return Rules{Step: 10 * time.Minute, Ahead: 3 * time.Hour, Spare: 1, Behind: 4 * time.Hour, Refit: 24 * time.Hour}
}

// nodesOn is how many of so many nodes stay on after looks.
func (r *Rules) nodesOn(m *Model, looks []Look, total int) int {
	lately := looks[max(len(looks)-1-int(r.Behind/r.Step), 0):]
	most := slices.MaxFunc(lately, func(a, b Look) int { return a.Needed - b.Needed }).Needed
	f := m.Forecast(looks[len(looks)-1])
	return min(max(int(math.Ceil(f.Peak(r.Margin))), most+r.Spare), total)
}

// Saving is what would have come of the rules in a past, forecasting at each moment from what was known
// by then.
type Saving struct {
	Days          float64 `json:"days"`             // that the rules were tried on
	IdleNodeHours float64 `json:"idle_node_h"`      // that nodes stood without being needed
	OffNodeHours  float64 `json:"off_node_h"`       // of them, off
	WakeUps       int     `json:"wake_ups"`         // times at which nodes were switched on,
	NodesWoken    int     `json:"nodes_woken"`      // and how many in all
	Starts        int     `json:"starts"`           // jobs that started
	LateStarts    int     `json:"late_starts"`      // of them, in a step in which more nodes were needed than were on: they would have waited for a boot
	MeanError     float64 `json:"mean_error_nodes"` // of the forecast so far ahead, nodes
}

// Replay goes through looks that are a step apart, of a group of so many nodes. It fails where they
// tell less than two days.
func (r Rules) Replay(looks []Look, total int) (Saving, error) {
	first := int(leastPast / r.Step)
	m, err := Fit(looks[:min(first, len(looks))], r.Step, r.Ahead)
	if err != nil {
		return Saving{}, err
	}
	hours, on, s := r.Step.Hours(), total, Saving{}
	ahead, compared := int(r.Ahead/r.Step), 0.
	for i := first; i < len(looks); i++ {
		if (i-first)%max(int(r.Refit/r.Step), 1) == 0 {
			if m, err = Fit(looks[:i], r.Step, r.Ahead); err != nil {
				return Saving{}, err
			}
		}
		l := looks[i]
		s.Days += hours / 24
		s.addStep(l, on, total, hours)
		if i+ahead < len(looks) {
			f := m.Forecast(l)
			s.MeanError, compared = s.MeanError+math.Abs(f.Mean[ahead]-float64(looks[i+ahead].Needed)), compared+1
		}
		next := r.nodesOn(m, looks[:i+1], total)
		if next > on {
			s.WakeUps, s.NodesWoken = s.WakeUps+1, s.NodesWoken+next-on
		}
		on = next
	}
	s.MeanError /= max(compared, 1)
	return s, nil
}

// addStep counts a step in which so many nodes were on.
func (s *Saving) addStep(l Look, on, total int, hours float64) {
	s.IdleNodeHours += float64(total-l.Needed) * hours
	s.OffNodeHours += float64(min(total-on, total-l.Needed)) * hours
	s.Starts += l.Starts
	if l.Needed > on {
		s.LateStarts += l.Starts
	}
}
