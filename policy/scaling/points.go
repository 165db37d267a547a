package scaling

import (
	"fairbridge/policy"
)

// speedAmong returns the speed on a size from points: linear between the numbers of devices
// that were measured; outside of them as a serial part has it that is scaled through the
// nearest, and where there is none (0) in proportion below the least and no faster beyond the
// most. Points of the size's type come before those of any type, and points of its number of
// nodes before all others.
func speedAmong(points []policy.SpeedPoint, s Size, serialPart float64) float64 {
	var below, above *policy.SpeedPoint
	for i := range points {
		p := &points[i]
		if !countsFor(points, p, s) {
			continue
		}
		if p.Devices <= s.Devices && (below == nil || p.Devices >= below.Devices) {
			below = p
		}
		if p.Devices >= s.Devices && (above == nil || p.Devices < above.Devices) {
			above = p
		}
	}
	switch {
	case below == nil && above == nil:
		return 0
	case below == nil:
		return above.StepsPerSecond * amdahl(serialPart, s.Devices) / amdahl(serialPart, above.Devices)
	case above == nil && serialPart > 0:
		return below.StepsPerSecond * amdahl(serialPart, s.Devices) / amdahl(serialPart, below.Devices)
	case above == nil || above.Devices == below.Devices:
		return below.StepsPerSecond
	}
	part := float64(s.Devices-below.Devices) / float64(above.Devices-below.Devices)
	return below.StepsPerSecond + part*(above.StepsPerSecond-below.StepsPerSecond)
}

// amdahl is the speed on so many devices relative to that on one, when a part of a step does
// not get faster with them.
func amdahl(serialPart float64, devices int) float64 {
	return float64(devices) / (1 + serialPart*float64(devices-1))
}

// countsFor reports whether a point says something of a size.
func countsFor(points []policy.SpeedPoint, p *policy.SpeedPoint, s Size) bool {
	if p.Type != typeAmong(points, s.Type) {
		return false
	}
	if p.Nodes == s.Nodes {
		return true
	}
	for i := range points {
		if o := &points[i]; o.Type == p.Type && o.Devices == p.Devices && o.Nodes == s.Nodes {
			return false // that one counts
		}
	}
	return p.Nodes == 0 || s.Nodes == 0
}

// typeAmong is the type whose points are read for a type: itself, else "", else the first.
func typeAmong(points []policy.SpeedPoint, typ string) string {
	for _, want := range []string{typ, ""} {
		for i := range points {
			if points[i].Type == want {
				return want
			}
		}
	}
	return points[0].Type
}
