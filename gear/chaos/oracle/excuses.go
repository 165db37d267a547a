package oracle

import "fairbridge/bridge/slurm"

// The excuses for which a breach is let pass: what no process of ours could know. Each is counted where it does.
const (
	ExcuseDatabasePutBack = "the database was put back behind our write"
	ExcuseLateCall        = "a call that came late took the place of what stood there"
	ExcuseLateUnread      = "a call that came late took the place of a node list that was not read before"
	ExcuseUnread          = "our write took the place of what was set after our reading"
	ExcuseNoAnswer        = "a write to the field had no answer"
	ExcuseChangedSince    = "somebody changed the job after our reading"
	ExcuseStoodStill      = "the process stood still after it was given leave, or its call came late"
)

// fieldExcuses say what of a field could not be known.
var fieldExcuses = []struct {
	name string
	flag func(*fieldState) *bool
}{
	{ExcuseDatabasePutBack, func(m *fieldState) *bool { return &m.isLostByRestore }},
	{ExcuseLateCall, func(m *fieldState) *bool { return &m.isWrittenLate }},
	{ExcuseLateUnread, func(m *fieldState) *bool { return &m.isLostToLate }},
	{ExcuseUnread, func(m *fieldState) *bool { return &m.isLostUnread }},
	{ExcuseNoAnswer, func(m *fieldState) *bool { return &m.lackedAnswer }},
}

// countExcuse counts an excuse that let a breach pass.
func (o *Oracle) countExcuse(name string) { o.verdict.ExcuseCountByName[name]++ }

// isUnknowable reports whether the ledger cannot know whose the value of ours in the field is, which it then counts.
func (o *Oracle) isUnknowable(m *fieldState) bool {
	for _, x := range fieldExcuses {
		isOfWrites := x.name == ExcuseLateUnread || x.name == ExcuseNoAnswer // not of what is left
		if !isOfWrites && *x.flag(m) {
			o.countExcuse(x.name)
			return true
		}
	}
	return false
}

// countExcuses counts the excuses without which the write, which no rule was broken by, would have broken one.
func (s *sendContext) countExcuses(r rule) {
	try := func(name string, without *sendContext) {
		if r.check(without) != "" {
			s.oracle.countExcuse(name)
		}
	}
	if s.wasChangedAfterReread && !s.IsLate {
		without := *s
		without.wasChangedAfterReread = false
		try(ExcuseChangedSince, &without)
	}
	if s.IsLate {
		without, call := *s, *s.Call
		call.IsLate, without.wasChangedAfterReread = false, false
		without.Call = &call
		try(ExcuseStoodStill, &without)
	}
	if len(s.lostSpans) > 0 {
		without := *s
		without.lostSpans = nil
		try(ExcuseDatabasePutBack, &without)
	}
	for _, x := range fieldExcuses {
		if entry := s.jobEntry.without(x.flag); entry != nil {
			without := *s
			without.jobEntry = entry
			try(x.name, &without)
		}
	}
}

// without returns the entry with no field excused so; nil: none is.
func (e *jobEntry) without(flag func(*fieldState) *bool) *jobEntry {
	is := false
	for _, m := range e.stateByField {
		is = is || *flag(m)
	}
	if !is {
		return nil
	}
	out := *e
	out.stateByField = map[Field]*fieldState{}
	for f, m := range e.stateByField {
		kept := *m
		*flag(&kept) = false
		out.stateByField[f] = &kept
	}
	return &out
}

// noteRequeue notes what a requeue that is sent is about, once it was judged.
func (s *sendContext) noteRequeue() {
	if s.Edit.Kind != slurm.EditRequeue {
		return
	}
	if _, again := s.oracle.requeueTimeByRun[s.runText()]; !again {
		s.oracle.requeueTimeByRun[s.runText()] = s.now
	}
	if s.isIdleStop() && !s.IsLate {
		s.oracle.verdict.IdleStopCount++
	}
}
