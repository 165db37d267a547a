package chaos

import (
	"time"

	"fairbridge/bridge/sim"
	"fairbridge/bridge/sim/memstore"
)

// store is the database. It is backed up now and then.
type store struct {
	*memstore.Store
	world   *sim.World
	backups []backup
}

type backup struct {
	at    time.Time
	store *memstore.Store
}

// never is a half-life so long that recorded usage is all that ever was used.
const never = 1_000_000 * time.Hour

func newStore(w *sim.World, unfenced bool) *store {
	s := memstore.New(w.Now, nil, never)
	s.AllowsAnyEpoch = unfenced
	return &store{Store: s, world: w}
}

// addBackup keeps a copy; the last dozen are kept.
func (s *store) addBackup() {
	s.backups = append(s.backups, backup{s.world.Now(), s.Clone()})
	if len(s.backups) > 12 {
		s.backups = s.backups[1:]
	}
}

// restore puts an older copy in place and returns when it was made.
func (s *store) restore(back int) time.Time {
	if len(s.backups) == 0 {
		return s.world.Now()
	}
	b := s.backups[max(0, len(s.backups)-1-back)]
	s.Store, s.backups = b.store.Clone(), nil
	return b.at
}
