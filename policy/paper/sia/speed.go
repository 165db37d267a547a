package sia

import (
	"cmp"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/scaling"
)

// speeds says how fast one job is, in a unit of its own, on every size of every type.
type speeds struct {
	*policy.Job
	round     *engine.Round
	kinds     []kind
	reference string // a type the job accepts; where nothing else is known, others are held against it
}

// goodput is the job's progress on so many devices of a type; 0: it cannot run there. What was
// measured on one type holds for one on which less was measured, in proportion of what is
// known of both.
func (s speeds) goodput(k *kind, devices int) float64 {
	curve := scaling.New(s.Job)
	switch sc := s.Scaling; {
	case sc != nil && len(sc.StepTimes) > 0:
		size := scaling.Size{Type: typeWithStepTimes(sc, k.gpuType), Devices: devices, Nodes: s.measuredKind(k).fewestNodes(devices)}
		return curve.Goodput(size) * s.ratio(k.gpuType, size.Type)
	case sc != nil && len(sc.Points) > 0:
		return s.byPoints(k.gpuType, devices)
	}
	return curve.Speed(scaling.Size{Devices: devices}) * s.ratio(k.gpuType, s.reference)
}

// measuredKind is the type on which was measured what is known of the job on a type: itself, or
// where nothing was measured on it the first of those with measurements, whose nodes may be of
// another size.
func (s speeds) measuredKind(k *kind) *kind {
	from := ""
	for _, p := range s.Scaling.Points {
		if p.Type == k.gpuType || p.Type == "" {
			return k
		}
		from = cmp.Or(from, p.Type)
	}
	return cmp.Or(kindOf(s.kinds, from), k)
}

// typeWithStepTimes is the type whose step times are used for a type: itself, or that of which
// there are any.
func typeWithStepTimes(sc *policy.Scaling, gpuType string) string {
	for _, t := range sc.StepTimes {
		if t.Type == gpuType || t.Type == "" {
			return gpuType
		}
	}
	return sc.StepTimes[0].Type
}

// byPoints is the speed by what was measured: on the type itself up to the most devices there,
// beyond in proportion to the type on which most were.
func (s speeds) byPoints(gpuType string, devices int) float64 {
	most := map[string]int{}
	for _, p := range s.Scaling.Points {
		most[p.Type] = max(most[p.Type], p.Devices)
	}
	from := s.Scaling.Points[0].Type
	for _, p := range s.Scaling.Points {
		if most[p.Type] > most[from] {
			from = p.Type
		}
	}
	switch own := most[gpuType]; {
	case own == 0 && from == "":
		return s.measured("", devices) * s.ratio(gpuType, s.reference)
	case own == 0:
		return s.measured(from, devices) * s.ratio(gpuType, from)
	case devices > own && most[from] > own:
		return s.measured(gpuType, own) * s.measured(from, devices) / s.measured(from, own)
	}
	return s.measured(gpuType, devices)
}

// measured is the speed by the points of one type.
func (s speeds) measured(gpuType string, devices int) float64 {
	only := *s.Scaling
	only.Points = slices.DeleteFunc(slices.Clone(only.Points), func(p policy.SpeedPoint) bool { return p.Type != gpuType })
	first := only.Points[0]
	at := policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Type: gpuType, Count: first.Devices}}, Scaling: &only}
	return first.StepsPerSecond * scaling.New(&at).Speed(scaling.Size{Type: gpuType, Devices: devices})
}

// ratio is how much faster the job is on a type than on another, on equally many devices: by
// what it reports, else as the snapshot and data sheets have it, else 1.
func (s speeds) ratio(gpuType, than string) float64 {
	if gpuType == than {
		return 1
	}
	if t := s.Training; t != nil {
		here, ok := t.Rate(gpuType)
		there, known := t.Rate(than)
		if ok && known && here > 0 && there > 0 {
			return here / there
		}
	}
	here, ok := s.round.SpeedOf(gpuType)
	there, known := s.round.SpeedOf(than)
	if !ok || !known || there <= 0 {
		return 1
	}
	return here / there
}
