package reminders

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge/slurm"
)

// State is what was known before a look, and what readings say now.
type State struct {
	Readings []Reading
	Spells   []Spell                 // as of the last look
	Told     map[int64]time.Duration // by job: the last step that was told
	Open     []int64                 // jobs whose last reminder had no outcome yet, sorted
	// Messages by owner in 24 hours, and in all in the last hour.
	MessagesByUser map[string]int
	MessagesInHour int
}

// Outcome is what became of a job after its owner was told.
type Outcome string

// The outcomes.
const (
	OutcomeIdle  Outcome = "idle"  // it holds idle GPUs still, or nothing is known of them
	OutcomeBusy  Outcome = "busy"  // GPUs of it were read, and none is idle
	OutcomeEnded Outcome = "ended" // it does not run any more
)

// Progress is what came of a reminder since the last look.
type Progress struct {
	Job         int64
	IdleGPUTime time.Duration // more of it
	Outcome     Outcome
}

// Decision is what follows of a look.
type Decision struct {
	Spells   []Spell
	Progress []Progress
	Messages []Message // by how much is idle, most first
	Withheld []Withheld
}

// Withheld is a message that is not sent now because enough were; at the next look it may be.
type Withheld struct {
	User string `json:"user"`
	Jobs int    `json:"jobs"`
	Why  string `json:"why"`
}

// Decide decides what a look at the jobs' GPUs leads to. Jobs are those that Slurm shows.
func Decide(r *Rules, s *State, jobs []slurm.Job, at time.Time) Decision {
	spells, added := extendSpells(s.Spells, s.Readings)
	d := Decision{Spells: spells, Progress: findProgress(s, jobs, added, at)}
	var due []Message
	for i := range jobs {
		j := &jobs[i]
		if e, ok := r.findDue(s, j, spells, at); ok {
			due = addEntry(due, j.User, r.address(j), e)
		}
	}
	slices.SortFunc(due, func(a, b Message) int {
		return cmp.Or(-cmp.Compare(a.idleGPUTime(at), b.idleGPUTime(at)), cmp.Compare(a.User, b.User), cmp.Compare(a.Address, b.Address))
	})
	byUser := map[string]int{}
	for _, m := range due {
		switch {
		case s.MessagesByUser[m.User]+byUser[m.User] >= r.MessagesPerOwner:
			d.Withheld = append(d.Withheld, Withheld{m.User, len(m.Jobs), fmt.Sprintf("the owner had %d messages in 24 hours", r.MessagesPerOwner)})
		case s.MessagesInHour+len(d.Messages) >= r.MessagesInAll:
			d.Withheld = append(d.Withheld, Withheld{m.User, len(m.Jobs), fmt.Sprintf("%d messages were sent in an hour", r.MessagesInAll)})
		default:
			byUser[m.User]++
			d.Messages = append(d.Messages, r.complete(m, at))
		}
	}
	return d
}

// findDue returns what the owner of a job is to be told: the highest step that enough of its GPUs reached, if that
// was not told. Lower ones are not told after it.
func (r *Rules) findDue(s *State, j *slurm.Job, spells []Spell, at time.Time) (e Entry, due bool) {
	first, _ := slices.BinarySearchFunc(spells, j.ID, func(s Spell, job int64) int { return cmp.Compare(s.Job, job) })
	own := spells[first:]
	own = own[:len(own)-len(own[countWhile(own, func(s *Spell) bool { return s.Job == j.ID }):])]
	if len(own) == 0 || r.silence(j, at) != "" || !s.isOfJob(j) {
		return e, false
	}
	for _, step := range slices.Backward(r.Steps) {
		var reached []Spell
		for _, x := range own {
			if x.Restarts == j.Restarts && !x.Since.Before(j.Start.Add(-time.Minute)) && x.Until.Sub(x.Since) >= step {
				reached = append(reached, x)
			}
		}
		if len(reached) >= max(r.MinGPUs, 1) {
			return newEntry(j, step, reached, s.countMeasured(j.ID)), s.Told[j.ID] < step
		}
	}
	return e, false
}

func countWhile(list []Spell, is func(*Spell) bool) int {
	for i := range list {
		if !is(&list[i]) {
			return i
		}
	}
	return len(list)
}

// isOfJob reports whether the readings of a job's id are of its user: Slurm uses ids again.
func (s *State) isOfJob(j *slurm.Job) bool {
	return !slices.ContainsFunc(s.Readings, func(r Reading) bool { return r.Job == j.ID && r.User != j.User })
}

func (s *State) countMeasured(job int64) (n int) {
	for i := range s.Readings {
		if s.Readings[i].Job == job {
			n++
		}
	}
	return n
}

// findProgress says of each job that its owner was told of what came of it.
func findProgress(s *State, jobs []slurm.Job, added map[GPU]time.Duration, at time.Time) (all []Progress) {
	runs := map[int64]bool{}
	for i := range jobs {
		runs[jobs[i].ID] = jobs[i].IsRunning()
	}
	for _, job := range s.Open {
		p := Progress{Job: job, Outcome: OutcomeIdle}
		idle, fresh := false, false
		for i := range s.Readings {
			if r := &s.Readings[i]; r.Job == job {
				p.IdleGPUTime += added[r.GPU]
				idle, fresh = idle || r.isIdle(), fresh || r.isFresh(at)
			}
		}
		switch {
		case !runs[job]:
			p.Outcome = OutcomeEnded
		case !idle && fresh:
			p.Outcome = OutcomeBusy
		}
		all = append(all, p)
	}
	return all
}

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

// LeastSpell is the shortest time that counts as idle: that of report idle-now.
const LeastSpell = 10 * time.Minute

// Rules say who is told when.
type Rules struct {
	Cluster string
	// Steps are how long GPUs of a job are idle until its owner is told, ascending; none: no owner is told.
	Steps      []time.Duration
	Partitions []string // whose jobs are looked at
	// MinGPUs is how many of a job's GPUs must have been idle so long, at least.
	MinGPUs                     int
	ExemptUsers, ExemptAccounts []string
	InteractiveGrace            time.Duration // so long after its start no interactive job (salloc, srun) counts
	MessagesPerOwner            int           // in 24 hours
	MessagesInAll               int           // in an hour
	MailDomain                  string        // of addresses, where a job has none of its own; "": owners have no address
	OtherMailDomains            []string      // of which an owner's own address (--mail-user) may be besides
}

// silence says why nothing is told of a job; "" when something may be.
func (r *Rules) silence(j *slurm.Job, at time.Time) string {
	switch {
	case j.UntrustedReason != "":
		return "its record cannot be trusted"
	case j.State != "RUNNING" || j.HasFlag("COMPLETING"):
		return "it does not run, or ends"
	case !slices.ContainsFunc(r.Partitions, j.IsInPartition):
		return "its partition is not looked after"
	case j.Directive.Quiet:
		return "its owner said fairbridge:quiet"
	case j.Directive.Service != "":
		return "it is a replica of a service, which may wait for requests"
	case slices.Contains(r.ExemptUsers, j.User):
		return "its user is exempt"
	case slices.Contains(r.ExemptAccounts, j.Account):
		return "its account is exempt"
	case j.Start.IsZero() || j.Start.After(at):
		return "its start is not known"
	case !j.IsBatch && at.Sub(j.Start) < r.InteractiveGrace:
		return "it is interactive, and young"
	}
	return ""
}
