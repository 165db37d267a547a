package probes

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"fairbridge/bridge/slurm"
	"fairbridge/nodeprobe"
	"fairbridge/policy"
)

// device is one thing Slurm can give out: a GPU or a MIG slice.
type device struct {
	model string
	slice string // MIG profile; "": a whole GPU
	sick  bool
	busy  policy.Measure
}

// devicesIn lists what the sample shows, a divided GPU as its slices.
func devicesIn(gpus []nodeprobe.GPU) []device {
	var out []device
	for i := range gpus {
		g := &gpus[i]
		if !g.MIG {
			out = append(out, device{model: g.Model, sick: g.Sick != "", busy: validShare(g.Busy)})
		}
		for _, p := range g.Parts {
			out = append(out, device{model: g.Model, slice: p.Profile, sick: g.Sick != ""})
		}
	}
	return out
}

// validShare believes a utilisation only when it is one.
func validShare(m nodeprobe.Measure) policy.Measure {
	if !m.Known || m.Value < 0 || m.Value > 1 {
		return policy.Measure{}
	}
	return policy.NewMeasure(m.Value)
}

// devicesByType sums the units by Slurm's types. What Slurm has configured and the
// driver does not show is sick.
func devicesByType(configured []slurm.GRES, gpus []nodeprobe.GPU) []policy.Devices {
	by := map[string][]device{}
	for _, c := range configured {
		by[c.Type] = nil // a type of which nothing is left is told too
	}
	for _, u := range devicesIn(gpus) {
		typ := slurmType(u, configured)
		by[typ] = append(by[typ], u)
	}
	var out []policy.Devices
	for _, typ := range slices.Sorted(maps.Keys(by)) {
		out = append(out, sumDevices(typ, by[typ], configuredCount(configured, typ)))
	}
	return out
}

func configuredCount(configured []slurm.GRES, typ string) int {
	for _, c := range configured {
		if c.Type == typ {
			return c.Count
		}
	}
	return 0
}

// sumDevices describes the devices of a type: the mean utilisation is known only when
// every healthy one's is.
func sumDevices(typ string, units []device, configured int) policy.Devices {
	d := policy.Devices{Type: typ, Count: max(len(units), configured), SickCount: max(configured-len(units), 0)}
	total, well, known := 0.0, 0, true
	for _, u := range units {
		if u.sick {
			d.SickCount++
			continue
		}
		well++
		known = known && u.busy.Known
		total += u.busy.Value
	}
	if known && well > 0 {
		d.Utilisation = policy.NewMeasure(total / float64(well))
	}
	return d
}

// slurmType names a unit as Slurm does: a node's only type; else the longest
// configured type that the driver's name contains, as Slurm's own detection
// matches; else the driver's name.
func slurmType(u device, configured []slurm.GRES) string {
	if len(configured) == 1 {
		return configured[0].Type
	}
	name := normalized(u.model)
	if u.slice != "" {
		name += "_" + u.slice
	}
	var fit []string
	for _, c := range configured {
		if matchesType(name, u.slice, normalized(c.Type)) {
			fit = append(fit, c.Type)
		}
	}
	if len(fit) == 0 {
		return cmp.Or(u.slice, u.model)
	}
	return slices.MaxFunc(fit, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(b, a)) })
}

// matchesType reports whether a type of Slurm's is the unit's: a slice needs its
// profile at the end of the type, a whole GPU a type that is in its name.
func matchesType(name, slice, typ string) bool {
	if slice == "" {
		return typ != "" && strings.Contains(name, typ)
	}
	return typ == slice || strings.HasSuffix(typ, "_"+slice) || strings.HasSuffix(typ, "-"+slice)
}

func normalized(s string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), " ", "_")
}
