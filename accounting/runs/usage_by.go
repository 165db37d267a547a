package runs

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/policy"
	"fairbridge/sql"
)

var qUsageBy = sql.QueryText("usage_by")

// UsageQuery says what use is asked for. Zero fields mean the defaults.
type UsageQuery struct {
	Cluster  string
	Now      time.Time
	HalfLife time.Duration // default: the HalfLife of the Store
	Window   time.Duration // default a day
	// What use is told apart by; the rest is summed up.
	SplitsByUser, SplitsByAccount, SplitsByQOS, SplitsByType bool
}

// Usage is what somebody used, in seconds of whole GPUs. Users, accounts, QOS and
// types that were not asked for are "".
type Usage struct {
	User    string            `json:"user,omitempty"`
	Account string            `json:"account,omitempty"`
	QOS     string            `json:"qos,omitempty"`
	GPUType string            `json:"type,omitempty"`
	Decayed policy.GPUSeconds `json:"decayed"` // past use counting half after each half-life
	Charged policy.GPUSeconds `json:"charged"` // the same times the billing weights that held
	// Within the window, undecayed: allocated, the part of it that node probes
	// measured, and the part of that in which the GPUs were busy.
	Allocated policy.GPUSeconds `json:"allocated"`
	Measured  policy.GPUSeconds `json:"measured"`
	Busy      policy.GPUSeconds `json:"busy"`
}

// Usage returns use as of a moment, sorted by user, account, QOS and type. It is
// computed from the same segments as what policies see.
func (s *Store) Usage(ctx context.Context, of UsageQuery) ([]Usage, error) {
	if of.HalfLife <= 0 {
		of.HalfLife = s.halfLife()
	}
	if of.Window <= 0 {
		of.Window = 24 * time.Hour
	}
	horizon := of.Now.Add(-max(MaxHalfLives*of.HalfLife, of.Window))
	out, err := accounting.CollectRows(ctx, s.DB, func(r pgx.CollectableRow) (u Usage, err error) {
		err = r.Scan(&u.User, &u.Account, &u.QOS, &u.GPUType, &u.Decayed, &u.Charged, &u.Allocated, &u.Measured, &u.Busy)
		return u, err
	}, qUsageBy, of.Cluster, of.Now, of.HalfLife.Seconds(), horizon, of.Window.Seconds(), of.SplitsByUser, of.SplitsByAccount, of.SplitsByQOS, of.SplitsByType)
	return out, accounting.WrapError("reading use", err)
}
