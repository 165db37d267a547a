package memory

import (
	"cmp"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
)

// span is a stretch in which a run held GPUs.
type span struct {
	user  who
	gpus  int
	start time.Time
	stop  time.Time
}

// usage is decayed service per user. Spans that ended long ago are folded into
// one sum: decay makes that exact.
type usage struct {
	half  time.Duration
	spans []span
	old   []policy.User // every user seen, sorted, with what is folded, decayed as of at
	place map[who]int   // in old
	at    time.Time
}

// begin takes what users had used before.
func (u *usage) begin(users []policy.User, at time.Time) {
	u.at = at
	for i := range users {
		u.old[u.of(who{users[i].Name, users[i].Account})].Used += users[i].Used
	}
}

// who is a user in an account.
type who struct{ name, account string }

// of returns the user's place in old.
func (u *usage) of(w who) int {
	if i, ok := u.place[w]; ok {
		return i
	}
	i, _ := slices.BinarySearchFunc(u.old, w, func(x policy.User, w who) int {
		return cmp.Or(cmp.Compare(x.Name, w.name), cmp.Compare(x.Account, w.account))
	})
	u.old = slices.Insert(u.old, i, policy.User{Name: w.name, Account: w.account})
	u.place = make(map[who]int, len(u.old))
	for k := range u.old {
		u.place[who{u.old[k].Name, u.old[k].Account}] = k
	}
	return i
}

// day is the time that counts undecayed; spans are folded an hour later.
const day, fold = 24 * time.Hour, 25 * time.Hour

// sum returns the decayed use of every user, sorted, and the undecayed use of
// the last day of every account, with the spans of open runs counted in.
func (u *usage) sum(open []span, now time.Time) ([]policy.User, map[string]policy.GPUSeconds) {
	u.fold(now)
	for _, list := range [][]span{u.spans, open} {
		for i := range list {
			u.of(list[i].user) // so that every user has a place
		}
	}
	users, recent := slices.Clone(u.old), map[string]policy.GPUSeconds{}
	for _, list := range [][]span{u.spans, open} {
		for i := range list {
			s := &list[i]
			users[u.of(s.user)].Used += policy.GPUSeconds(s.worth(now, u.half))
			from := latest(s.start, now.Add(-day))
			recent[s.user.account] += policy.Service(float64(s.gpus), max(s.stop.Sub(from), 0))
		}
	}
	return users, recent
}

// fold brings the old sum up to now and adds the spans that are old by now.
func (u *usage) fold(now time.Time) {
	if u.at.IsZero() {
		u.at = now
	}
	fade := math.Exp2(-now.Sub(u.at).Seconds() / u.half.Seconds())
	for i := range u.old {
		u.old[i].Used *= policy.GPUSeconds(fade)
	}
	u.at = now
	u.spans = slices.DeleteFunc(u.spans, func(s span) bool {
		if now.Sub(s.stop) < fold {
			return false
		}
		u.old[u.of(s.user)].Used += policy.GPUSeconds(s.worth(now, u.half))
		return true
	})
}

// worth is the integral of 2^(-age/half) over the span, as of now.
func (s *span) worth(now time.Time, half time.Duration) float64 {
	h := half.Seconds()
	old, young := now.Sub(s.start).Seconds(), now.Sub(s.stop).Seconds()
	return float64(s.gpus) * h / math.Ln2 * (math.Exp2(-young/h) - math.Exp2(-old/h))
}
