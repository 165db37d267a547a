package policy

// Scratch is what one decision leaves for the next so that no work is done twice. No answer depends on it. Who puts
// the same one into several snapshots promises that Nodes and Speeds are the very slices of the snapshots before, with
// nothing in them changed, that no Alloc was written to, and that one decision at a time is made. The zero Scratch has
// nothing.
type Scratch struct {
	left      any
	decisions []Decision
}

// TakeLeft returns what was left, if it is a T, and leaves nothing: it has one holder at a time. nil: there is none.
func TakeLeft[T any](s *Scratch) *T {
	if s == nil {
		return nil
	}
	left, _ := s.left.(*T)
	s.left = nil
	return left
}

// Leave leaves a *T for TakeLeft.
func (s *Scratch) Leave(left any) {
	if s != nil {
		s.left = left
	}
}

// Recycle takes back the decisions of a plan that was carried out and will not be read again.
func (s *Scratch) Recycle(p *Plan) {
	if s != nil {
		s.decisions = p.Decisions
	}
}

// NewDecisions returns an empty list with room for so many decisions.
func (s *Scratch) NewDecisions(count int) []Decision {
	if s == nil || s.decisions == nil || cap(s.decisions) < count {
		return make([]Decision, 0, count)
	}
	list := s.decisions[:0]
	s.decisions = nil
	return list
}
