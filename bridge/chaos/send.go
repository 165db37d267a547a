package chaos

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/sim"
	"fairbridge/bridge/slurm"
)

// send is a write at the moment it is sent, with what is true then.
type send struct {
	*call
	*oracle
	j     *slurm.Job
	b     *entry
	raced bool // somebody changed the job after we read it: no release of Slurm could notice
}

// rule judges a write that is sent. What it returns is what is wrong, "" nothing.
type rule struct {
	id    string
	check func(*send) string
}

// sendRules are asked in order about every write.
var sendRules = []rule{
	{"I1", (*send).toHeld}, {"I2", (*send).oneField}, {"I3", (*send).overwrites}, {"I4", (*send).leaseBounds}, {"I5", (*send).requeueOnce},
	{"I6", (*send).ranEnough}, {"I8", (*send).beneficiary}, {"I9", (*send).pingPong}, {"I10", (*send).tooMuch}, {"I12", (*send).nodeLists},
	{"I13", (*send).badView}, {"I14", (*send).notLeader}, {"I15", (*send).exempt}, {"I16", (*send).waitedLong}, {"I20", (*send).beyondMode},
	{"I21", (*send).reserved}, {"I22", (*send).inVain},
	{"journal", (*send).unwritten}, {"reread", (*send).unread}, {"stop", (*send).stopFile},
}

// sends judges a write right before it leaves.
func (o *oracle) sends(k *call) {
	o.sent[string(k.e.Kind)]++
	k.p.wrote += max(k.e.Tasks, 1)
	j := o.truthOf(k.e.Run.Job)
	if j == nil {
		return
	}
	k.row = o.rowOf(k.e)
	s := &send{call: k, oracle: o, j: j, b: o.book.of(j)}
	s.raced = k.late || s.b.edited > k.p.read[j.ID]
	for _, r := range sendRules {
		if why := r.check(s); why != "" {
			o.breach(unsureOf(r.id, s), j.ID, "%s sends %v: %s", k.p.name, k.e, why)
		}
	}
	o.written[fieldOf{j.ID, fieldOfKind(k.e.Kind)}] = o.w.Now()
}

// unsureOf is the name of a rule that is broken by a write.
func unsureOf(id string, s *send) string {
	if id != "I3" {
		return id
	}
	return unsure(id, s.b.marks[fieldOfKind(s.e.Kind)])
}

// repeats reports whether the edit was decided in an earlier cycle and had no
// answer: the same value twice does what it does once.
func (s *send) repeats() bool { return s.row != nil && s.row.Made.Before(s.p.truth.At) }

// fieldOfKind is the field a kind of edit writes; "" for a requeue.
func fieldOfKind(k slurm.Kind) Field {
	switch k {
	case slurm.Lease, slurm.Unlease:
		return Begin
	case slurm.Nice:
		return Nice
	case slurm.SiteFactor:
		return Site
	case slurm.Priority, slurm.HandBack, slurm.HardHold:
		return Priority
	case slurm.Require:
		return Required
	case slurm.Exclude:
		return Excluded
	}
	return ""
}

// I1: no mutation is ever sent to a job that has priority 0.
func (s *send) toHeld() string {
	if s.j.Held && !s.raced {
		return "it is held: " + s.j.Reason
	}
	return ""
}

// I2: no hold, no priority, no key but those of the order, leases and node lists in
// the default configuration.
func (s *send) oneField() string {
	direct := s.Lever == bridge.LeverPriority || s.Lever == bridge.LeverAuto && s.Release < "24"
	switch s.e.Kind {
	case slurm.SiteFactor, slurm.Nice, slurm.Lease, slurm.Unlease, slurm.Require, slurm.Exclude, slurm.Requeue:
		return ""
	case slurm.Priority, slurm.HandBack:
		if direct {
			return ""
		}
	}
	return "this site's configuration writes no " + string(s.e.Kind)
}

// onlyAsked is I2 at Slurm's end: a call writes the one field of its edit, and the
// value of the intent.
func (o *oracle) onlyAsked(k *call, w *sim.Write) {
	fields := asked(&w.Asked)
	want := fieldOfKind(k.e.Kind)
	switch {
	case w.Do != "update":
	case k.e.Kind == slurm.HandBack: // a hold, a release and the owner's nice, in three calls
	case len(fields) != 1 || fields[0] != want:
		o.breach("I2", w.Job, "%v wrote %v", k.e, fields)
	}
}

// I3: undo only values equal to what we wrote; whatever somebody else wrote after
// us is theirs, for a day.
func (s *send) overwrites() string {
	f := fieldOfKind(s.e.Kind)
	m := s.b.marks[f]
	if m == nil || s.raced || f == Site || f == Priority {
		return ""
	}
	if v := s.wanted(f); m.foreign && v != m.owner && !m.lost {
		return fmt.Sprintf("somebody set its %s to %q after we had set %q: %s", f, m.owner, m.ours, s.story(s.j.ID, f))
	}
	if f == Required || f == Excluded {
		now := map[Field]string{Required: nodeList(s.j.Required), Excluded: nodeList(s.j.Excluded)}[f]
		if m.stands && now != m.ours {
			return fmt.Sprintf("its %s are %q, ours were %q", f, now, m.ours)
		}
	}
	return ""
}

// wanted is the value an edit writes.
func (s *send) wanted(f Field) string {
	switch f {
	case Begin:
		return stamp(s.e.Until)
	case Nice, Site:
		return strconv.FormatInt(s.e.Value, 10)
	}
	return strings.Join(s.e.Nodes, ",")
}

// I4: every lease lies in (now, now+Lmax], and total leased time per job is capped;
// none ends before the owner's own begin time.
func (s *send) leaseBounds() string {
	own, _ := time.Parse(time.RFC3339, s.b.marks[Begin].owner)
	now := s.w.Now()
	if s.b.marks[Begin].lost || s.tardy[s.j.ID] { // a call that Slurm carried out late wrote over it
		own = time.Time{}
	}
	if fieldOfKind(s.e.Kind) != Begin || s.raced {
		return ""
	}
	if own.After(now) && s.e.Until.Before(own) {
		return fmt.Sprintf("its owner wants it to begin at %s", stamp(own))
	}
	length := s.e.Until.Sub(now)
	switch {
	case s.e.Kind == slurm.Unlease:
	case length <= 0 || length > s.Gate.LeaseMax:
		return fmt.Sprintf("it is %v long", length)
	case s.b.leased > s.Gate.LeaseTotal+interval && s.back.IsZero():
		return fmt.Sprintf("it was leased %v already, at most %v", s.b.leased, s.Gate.LeaseTotal)
	}
	return ""
}

// I10: mutations are at most M per interval (and 2 % of jobs), at most 5 a second;
// tasks count, not calls. A field is not written again at once.
func (s *send) tooMuch() string {
	if s.late || s.p.tool {
		return ""
	}
	c, live := &s.Gate, 0
	for i := range s.p.truth.Jobs {
		if !s.p.truth.Jobs[i].Done() {
			live++
		}
	}
	most := min(c.Mutations, max(int(c.MutationPercent*float64(live)/100), c.MutationFloor), int(c.MutationRate*interval.Seconds()))
	if s.p.wrote > most && s.p.wrote > max(s.e.Tasks, 1) {
		return fmt.Sprintf("%d tasks were written in this cycle, at most %d", s.p.wrote, most)
	}
	f := fieldOfKind(s.e.Kind)
	last, again := s.written[fieldOf{s.j.ID, f}]
	if again && s.w.Now().Sub(last) < c.EditCooldown && !s.restores() && !s.repeats() {
		return fmt.Sprintf("its %s was written %v ago", f, s.w.Now().Sub(last))
	}
	return ""
}

// restores reports whether the edit may be one that gives back: those do not wait.
func (s *send) restores() bool {
	f := fieldOfKind(s.e.Kind)
	m := s.b.marks[f]
	return s.e.Kind == slurm.Unlease || s.e.Kind == slurm.HandBack || s.e.Kind == slurm.Requeue ||
		f == Site && s.e.Value == 0 || m != nil && s.wanted(f) == m.owner
}

// I12: node lists leave enough nodes, and keep every exclusion and requirement of
// the user.
func (s *send) nodeLists() string {
	if s.raced || s.e.Kind != slurm.Require && s.e.Kind != slurm.Exclude {
		return ""
	}
	list := func(v string) []string { return strings.FieldsFunc(v, func(r rune) bool { return r == ',' }) }
	required, excluded := list(s.b.marks[Required].owner), list(s.b.marks[Excluded].owner)
	up := 0
	for _, n := range s.p.truth.Nodes {
		in := slices.Contains(s.e.Nodes, n.Name)
		open := (n.State == "IDLE" || n.State == "MIXED" || n.State == "ALLOCATED") && len(n.Flags) == 0
		switch {
		case open && !in:
			up++
		case !open && in && s.e.Kind == slurm.Require && !slices.Contains(required, n.Name):
			return n.Name + " cannot start jobs"
		}
	}
	for _, n := range s.e.Nodes {
		if s.e.Kind == slurm.Require && slices.Contains(excluded, n) || s.e.Kind == slurm.Exclude && slices.Contains(required, n) {
			return "its owner says otherwise of " + n
		}
	}
	own := map[slurm.Kind][]string{slurm.Require: required, slurm.Exclude: excluded}[s.e.Kind]
	for _, n := range own {
		if !slices.Contains(s.e.Nodes, n) && !s.b.marks[fieldOfKind(s.e.Kind)].lost {
			return "its owner named " + n
		}
	}
	if s.e.Kind == slurm.Exclude && !s.restores() && float64(up) < s.Gate.NodeFactor*float64(max(1, s.j.NodeCount)) {
		return fmt.Sprintf("%d nodes are left", up)
	}
	return ""
}
