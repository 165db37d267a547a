package policy

// Scratch is what one decision leaves for the next so that no work is done twice. No answer depends on it. Who puts
// the same one into several snapshots promises that Nodes and Speeds are the very slices of the snapshots before, with
// nothing in them changed, that no Alloc was written to, and that one decision at a time is made. The zero Scratch has
// nothing.
type Scratch struct{ left any }

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
