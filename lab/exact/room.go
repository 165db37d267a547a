package exact

// room is the memory of a list of large values that grows and shrinks anywhere: it has space at both ends, so that only
// the shorter part of the list is moved.
type room[T any] struct{ all []T }

// insert inserts a value into the list, which is in the room.
func (r *room[T]) insert(list []T, i int, v T) []T {
	n, before := len(list), cap(r.all)-cap(list) // both end where the room ends
	if toFront := i < n/2; toFront && before == 0 || !toFront && cap(list) == n {
		r.all, before = make([]T, 3*n+8), n+2
		copy(r.all[before:], list)
		list = r.all[before : before+n]
	}
	if i < n/2 {
		list = r.all[before-1 : before+n]
		copy(list[:i], list[1:i+1])
	} else {
		list = list[:n+1]
		copy(list[i+1:], list[i:])
	}
	list[i] = v
	return list
}

// deleteNear deletes a value of a list, of which only the shorter part is moved.
func deleteNear[T any](list []T, i int) []T {
	if i < len(list)/2 {
		copy(list[1:i+1], list[:i])
		clear(list[:1])
		return list[1:]
	}
	copy(list[i:], list[i+1:])
	clear(list[len(list)-1:])
	return list[:len(list)-1]
}
