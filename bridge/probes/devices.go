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
	modelName   string
	migProfile  string // MIG profile; "": a whole GPU
	isSick      bool
	utilisation policy.OptionalValue
	memMB       int64 // 0: not known
}

// devicesFromGPUs lists what the sample shows, a divided GPU as its slices.
func devicesFromGPUs(gpus []nodeprobe.GPU) []device {
	var out []device
	for i := range gpus {
		g := &gpus[i]
		if !g.IsMIG {
			out = append(out, device{modelName: g.Model, isSick: g.SickReason != "", utilisation: validUtilisation(g.Busy), memMB: validMemMB(g.MemTotalMB)})
		}
		for _, p := range g.Slices {
			out = append(out, device{modelName: g.Model, migProfile: p.Profile, isSick: g.SickReason != ""})
		}
	}
	return out
}

// validUtilisation believes a utilisation only when it is one.
func validUtilisation(m nodeprobe.OptionalValue) policy.OptionalValue {
	if !m.Known || m.Value < 0 || m.Value > 1 {
		return policy.OptionalValue{}
	}
	return policy.KnownValue(m.Value)
}

// validMemMB believes an amount of memory only when a GPU could have it.
func validMemMB(m nodeprobe.OptionalValue) int64 {
	if !m.Known || m.Value < 1 || m.Value > 1<<24 {
		return 0
	}
	return int64(m.Value)
}

// devicesByType sums the devices by Slurm's types. What Slurm has configured and the
// driver does not show is sick.
func devicesByType(configured []slurm.GRES, gpus []nodeprobe.GPU) []policy.NodeDevices {
	by := map[string][]device{}
	for _, c := range configured {
		by[c.Type] = nil // a type of which nothing is left is told too
	}
	for _, dev := range devicesFromGPUs(gpus) {
		typ := slurmType(dev, configured)
		by[typ] = append(by[typ], dev)
	}
	var out []policy.NodeDevices
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

// sumDevices describes the devices of a type: the mean utilisation, and the least memory, are known
// only when every healthy one's is.
func sumDevices(typ string, devices []device, configured int) policy.NodeDevices {
	d := policy.NodeDevices{Type: typ, Count: max(len(devices), configured), SickCount: max(configured-len(devices), 0)}
	total, well, known := 0.0, 0, true
	for _, dev := range devices {
		if dev.isSick {
			d.SickCount++
			continue
		}
		if well++; well == 1 || dev.memMB < d.MemMB {
			d.MemMB = dev.memMB
		}
		known = known && dev.utilisation.Known
		total += dev.utilisation.Value
	}
	if known && well > 0 {
		d.Utilisation = policy.KnownValue(total / float64(well))
	}
	return d
}

// slurmType names a device as Slurm does: a node's only type; else the longest
// configured type that the driver's name contains, as Slurm's own detection
// matches; else the driver's name.
func slurmType(d device, configured []slurm.GRES) string {
	if len(configured) == 1 {
		return configured[0].Type
	}
	name := normalizeName(d.modelName)
	if d.migProfile != "" {
		name += "_" + d.migProfile
	}
	var fit []string
	for _, c := range configured {
		if matchesType(name, d.migProfile, normalizeName(c.Type)) {
			fit = append(fit, c.Type)
		}
	}
	if len(fit) == 0 {
		return cmp.Or(d.migProfile, d.modelName)
	}
	return slices.MaxFunc(fit, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(b, a)) })
}

// matchesType reports whether a type of Slurm's is the device's: a slice needs its
// profile at the end of the type, a whole GPU a type that is in its name.
func matchesType(name, slice, typ string) bool {
	if slice == "" {
		return typ != "" && strings.Contains(name, typ)
	}
	return typ == slice || strings.HasSuffix(typ, "_"+slice) || strings.HasSuffix(typ, "-"+slice)
}

func normalizeName(s string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), " ", "_")
}
