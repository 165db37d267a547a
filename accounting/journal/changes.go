package journal

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/bridge"
	"fairbridge/sql"
)

// Change is an intent with whose job it is about.
type Change struct {
	bridge.Intent
	Address, User, Account string // "" where the job's runs are no longer kept
}

// ChangeScope says which changes are wanted; an empty list matches every change.
type ChangeScope struct {
	Since  time.Time // made then or later
	Before int64     // with an id below; 0: from the newest
	Jobs   []int64
	Users  []string
	Kinds  []string
	States []string
	// OnlyUser and OnlyAccounts bound whose they are, where IsBounded: of jobs of the user, or of the accounts.
	IsBounded    bool
	OnlyUser     string
	OnlyAccounts []string
	Limit        int // most of them
}

var qChanges = sql.QueryText("changes")

// Changes returns changes in Slurm, made or meant, newest first.
func (s *Store) Changes(ctx context.Context, cluster string, c ChangeScope) ([]Change, error) {
	jobs := c.Jobs
	if jobs == nil {
		jobs = []int64{}
	}
	list, err := accounting.CollectRows(ctx, s.DB, scanChange, qChanges, cluster, c.Since, c.Before, jobs, emptyIfNil(c.Users), emptyIfNil(c.Kinds),
		emptyIfNil(c.States), !c.IsBounded, c.OnlyUser, emptyIfNil(c.OnlyAccounts), c.Limit)
	return list, accounting.WrapError("reading the changes in Slurm", err)
}

func scanChange(row pgx.CollectableRow) (c Change, err error) {
	c.Intent, err = scanIntent(row, &c.Address, &c.User, &c.Account)
	return c, err
}
