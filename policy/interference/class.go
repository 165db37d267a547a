package interference

import "fairbridge/policy"

// Class is how much of a GPU a job uses, alone on it.
type Class int

// The classes, by their sharing score: the sum of two says how much two jobs slow each other.
const (
	Tiny Class = iota
	Medium
	Jumbo
)

// MaxTiny and MaxMedium are the shares of the time in which the GPU computes from which on a job is of
// the next class.
const (
	MaxTiny   = 0.25
	MaxMedium = 0.53
)

// String returns tiny, medium or jumbo, which is what any other is taken for.
func (c Class) String() string {
	switch c {
	case Tiny:
		return "tiny"
	case Medium:
		return "medium"
	}
	return "jumbo"
}

// ClassAt returns the class of a job by the share of the time, 0..1, in which its GPU computes.
func ClassAt(utilisation float64) Class {
	switch {
	case utilisation < MaxTiny:
		return Tiny
	case utilisation < MaxMedium:
		return Medium
	}
	return Jumbo
}

// Utilisation returns the share of the time in which the job's GPUs compute, 0..1: what is
// known of it alone, else what is measured on its GPUs now. Beside neighbours the latter is
// theirs too, and so rather too much than too little.
func Utilisation(j *policy.Job) policy.OptionalValue {
	if j.Sharing != nil && j.Sharing.Utilisation.Known {
		return j.Sharing.Utilisation
	}
	return j.Utilisation
}

// ClassOf returns the class of a job, and whether it is known. Where nothing was measured it is
// Jumbo, which gets no neighbour of any weight.
func ClassOf(j *policy.Job) (c Class, known bool) {
	u := Utilisation(j)
	if !u.Known {
		return Jumbo, false
	}
	return ClassAt(u.Value), true
}
