package multifactor

import (
	"cmp"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
)

// decayedUsage is what every user used, fading with a half-life as in Slurm's
// accounting. It is kept in Plan.Memo, for snapshots that do not say.
type decayedUsage struct {
	At             time.Time                               `json:"at"`
	AttainedBefore map[policy.JobID]policy.GPUSeconds      `json:"had,omitempty"`  // by jobs of the last snapshot
	Used           map[string]map[string]policy.GPUSeconds `json:"used,omitempty"` // by account and user
}

// updateDecayedUsage adds what jobs received since the last snapshot. It returns nil
// where the snapshot knows better.
func updateDecayedUsage(s *policy.Snapshot, half time.Duration) (*decayedUsage, error) {
	last, err := policy.Recall[*decayedUsage](s.Memo)
	if err != nil || snapshotReportsUsage(s) {
		return nil, err
	}
	d := &decayedUsage{At: s.Now, AttainedBefore: map[policy.JobID]policy.GPUSeconds{}, Used: map[string]map[string]policy.GPUSeconds{}}
	if last != nil {
		fade := math.Exp2(-max(s.Now.Sub(last.At).Seconds(), 0) / max(half.Seconds(), 1))
		for account, users := range last.Used {
			for user, x := range users {
				d.addUsage(account, user, policy.GPUSeconds(float64(x)*fade))
			}
		}
	}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.Attained <= 0 {
			continue
		}
		d.AttainedBefore[j.ID] = j.Attained
		gained := j.Attained
		if last != nil {
			gained = max(j.Attained-last.AttainedBefore[j.ID], 0)
		}
		d.addUsage(j.Account, j.User, gained)
	}
	return d, nil
}

// snapshotReportsUsage reports whether the snapshot says what was used.
func snapshotReportsUsage(s *policy.Snapshot) bool {
	return slices.ContainsFunc(s.Accounts, func(a policy.Account) bool { return a.UsedService > 0 }) ||
		slices.ContainsFunc(s.Users, func(u policy.User) bool { return u.UsedService > 0 })
}

func (d *decayedUsage) addUsage(account, user string, x policy.GPUSeconds) {
	if d.Used[account] == nil {
		d.Used[account] = map[string]policy.GPUSeconds{}
	}
	if sum := d.Used[account][user] + x; sum >= 1 { // less is forgotten
		d.Used[account][user] = sum
	}
}

// snapshotWithUsage returns s with what every user used.
func (d *decayedUsage) snapshotWithUsage(s *policy.Snapshot) *policy.Snapshot {
	if d == nil {
		return s
	}
	c := *s
	c.Users = nil
	for account, users := range d.Used {
		for user, x := range users {
			c.Users = append(c.Users, policy.User{Name: user, Account: account, UsedService: x})
		}
	}
	slices.SortFunc(c.Users, func(a, b policy.User) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Account, b.Account))
	})
	return &c
}

func (d *decayedUsage) memo() policy.Memo {
	if d == nil || len(d.Used) == 0 {
		return policy.Memo{}
	}
	return policy.Remember(d)
}
