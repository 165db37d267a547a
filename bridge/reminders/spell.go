package reminders

import (
	"cmp"
	"slices"
	"time"
)

// GPU is a GPU, or a slice of one, that a run of a job holds.
type GPU struct {
	Job      int64
	Restarts int
	Node     string
	UUID     string
	Type     string
}

// Spell is a time in which a GPU was idle, from one reading to another, without a gap.
type Spell struct {
	GPU
	Since, Until time.Time
}

// Reading is what the last readings of a GPU say: idle in all of them from Since to Until, the last. Since
// and Until are equal where it is not idle, or was not read of late.
type Reading struct {
	Spell
	User string
	// Doubt says why the reading does not count: something else says that the job works; "" when nothing does.
	Doubt string
}

// isIdle reports whether the reading is one of an idle GPU, as report idle-now has it.
func (r *Reading) isIdle() bool { return r.Doubt == "" && r.Until.Sub(r.Since) >= LeastSpell }

// isFresh reports whether the GPU was read of late, by the same measure as fairbridge_v1.idle_gpus.
func (r *Reading) isFresh(at time.Time) bool { return at.Sub(r.Until) < 5*time.Minute }

// extendSpells returns the spells that go on or began, sorted, and how long each GPU was idle since the spell as it
// was before. Readings reach back half an hour. A spell goes on where they reach back to its end: then
// there is no moment between without an idle reading. Anything else begins anew, so that absent
// readings never make a spell longer.
func extendSpells(before []Spell, readings []Reading) (now []Spell, added map[GPU]time.Duration) {
	earlier := make(map[GPU]Spell, len(before))
	for _, s := range before {
		earlier[s.GPU] = s
	}
	added = map[GPU]time.Duration{}
	for i := range readings {
		r := &readings[i]
		if !r.isIdle() {
			continue
		}
		s := r.Spell
		if b, ok := earlier[s.GPU]; ok && !s.Since.After(b.Until) && !b.Since.After(s.Since) {
			added[s.GPU] = max(s.Until.Sub(b.Until), 0)
			s.Since = b.Since
		}
		now = append(now, s)
	}
	slices.SortFunc(now, compareSpells)
	return now, added
}

func compareSpells(a, b Spell) int {
	return cmp.Or(cmp.Compare(a.Job, b.Job), cmp.Compare(a.Node, b.Node), cmp.Compare(a.UUID, b.UUID), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Restarts, b.Restarts))
}
