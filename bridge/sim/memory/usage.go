package memory

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
)

// span is a stretch in which a run held GPUs.
type span struct {
	user  policy.User // Used is zero
	gpus  int
	start time.Time
	stop  time.Time
}

// usage is decayed service per user. Spans that ended long ago are folded into
// one sum: decay makes that exact.
type usage struct {
	half  time.Duration
	spans []span
	old   map[policy.User]float64 // decayed as of at
	at    time.Time
}

// day is the time that counts undecayed; spans are folded an hour later.
const day, fold = 24 * time.Hour, 25 * time.Hour

// sum returns the decayed use of every user, sorted, and the undecayed use of
// the last day of every account, with the spans of open runs counted in.
func (u *usage) sum(open []span, now time.Time) ([]policy.User, map[string]policy.GPUSeconds) {
	u.fold(now)
	use := maps.Clone(u.old)
	recent := map[string]policy.GPUSeconds{}
	for _, list := range [][]span{u.spans, open} {
		for i := range list {
			s := &list[i]
			use[s.user] += s.worth(now, u.half)
			from := latest(s.start, now.Add(-day))
			recent[s.user.Account] += policy.Service(float64(s.gpus), max(s.stop.Sub(from), 0))
		}
	}
	users := make([]policy.User, 0, len(use))
	for k, v := range use {
		k.Used = policy.GPUSeconds(v)
		users = append(users, k)
	}
	slices.SortFunc(users, func(a, b policy.User) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Account, b.Account))
	})
	return users, recent
}

// fold brings the old sum up to now and adds the spans that are old by now.
func (u *usage) fold(now time.Time) {
	if u.at.IsZero() {
		u.at = now
	}
	fade := math.Exp2(-now.Sub(u.at).Seconds() / u.half.Seconds())
	for k := range u.old {
		u.old[k] *= fade
	}
	u.at = now
	u.spans = slices.DeleteFunc(u.spans, func(s span) bool {
		if now.Sub(s.stop) < fold {
			return false
		}
		u.old[s.user] += s.worth(now, u.half)
		return true
	})
}

// worth is the integral of 2^(-age/half) over the span, as of now.
func (s *span) worth(now time.Time, half time.Duration) float64 {
	h := half.Seconds()
	old, young := now.Sub(s.start).Seconds(), now.Sub(s.stop).Seconds()
	return float64(s.gpus) * h / math.Ln2 * (math.Exp2(-young/h) - math.Exp2(-old/h))
}
