package chaos

import (
	"time"

	"fairbridge/bridge/sim"
	"fairbridge/bridge/sim/memory"
)

// store is the database: a ledger and a history in memory, and a leader row with an
// epoch that fences, as package accounting's does. It is backed up now and then.
type store struct {
	*memory.Store
	world    *sim.World
	unfenced bool // it lets every epoch write
	lead     row
	beat     time.Time // when the timer last ran
	led      time.Time // when a daemon last led, as the timer knows
	backups  []backup
}

// row is the leader's.
type row struct {
	holder string
	epoch  int64
	until  time.Time
}

type backup struct {
	at    time.Time
	store *memory.Store
	lead  row
}

// ever is a half-life so long that recorded usage is all that ever was used.
const ever = 1_000_000 * time.Hour

func newStore(w *sim.World, unfenced bool) *store {
	return &store{Store: memory.New(w.Now, nil, ever), world: w, unfenced: unfenced, led: w.Now()}
}

// backUp keeps a copy; the last dozen are kept.
func (s *store) backUp() {
	s.backups = append(s.backups, backup{s.world.Now(), s.Clone(), s.lead})
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
	s.Store, s.lead = b.store.Clone(), b.lead
	s.backups = nil
	return b.at
}

// leads reports whether the epoch may write.
func (s *store) leads(epoch int64) bool {
	return s.unfenced || s.lead.epoch == epoch && s.world.Now().Before(s.lead.until)
}

// Leader implements oracle.Database.
func (s *store) Leader() (holder string, epoch int64, until time.Time) {
	return s.lead.holder, s.lead.epoch, s.lead.until
}
