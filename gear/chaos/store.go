package chaos

import (
	"time"

	"fairbridge/replica/sim"
	"fairbridge/replica/sim/memstore"
)

// backedUpStore is the database. It is backed up now and then.
type backedUpStore struct {
	*memstore.Store
	world   *sim.World
	backups []backup
}

type backup struct {
	madeAt time.Time
	store  *memstore.Store
}

// endlessHalfLife is a half-life so long that recorded usage is all that ever was used.
const endlessHalfLife = 1_000_000 * time.Hour

func newBackedUpStore(w *sim.World, unfenced bool) *backedUpStore {
	s := memstore.New(w.Now, nil, endlessHalfLife)
	s.AllowsAnyEpoch = unfenced
	return &backedUpStore{Store: s, world: w}
}

// addBackup keeps a copy; the last dozen are kept.
func (s *backedUpStore) addBackup() {
	s.backups = append(s.backups, backup{s.world.Now(), s.Clone()})
	if len(s.backups) > 12 {
		s.backups = s.backups[1:]
	}
}

// restore puts an older copy in place and returns when it was made.
func (s *backedUpStore) restore(back int) time.Time {
	if len(s.backups) == 0 {
		return s.world.Now()
	}
	b := s.backups[max(0, len(s.backups)-1-back)]
	s.Store, s.backups = b.store.Clone(), nil
	return b.madeAt
}
