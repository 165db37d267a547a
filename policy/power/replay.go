package power

import (
	"math"
	"slices"
	"time"
)

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
