package antman

import (
	"cmp"
	"errors"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/interference"
	"fairbridge/policy/pack"
	"fairbridge/policy/pool"
)

// besideGuaranteed is an engine.Packer: it finds GPUs of guaranteed jobs for opportunistic ones, the
// least busy first. It serves one round.
type besideGuaranteed struct {
	*classes
	devices *pack.Devices
}

var errNoRoom = errors.New("no GPUs whose guaranteed job keeps its speed beside it")

// oneInTen is how many standard errors below what is expected one in ten is.
const oneInTen = 1.2816

// Pack implements engine.Packer.
func (b *besideGuaranteed) Pack(r *engine.Round, e *engine.Entry) (engine.SharedPlace, error) {
	if !b.Share || !b.isOpportunistic(e) {
		return engine.SharedPlace{}, errNoRoom
	}
	if b.devices == nil {
		b.devices = pack.ListDevices(r)
	}
	var candidates []*pack.Device
	for _, d := range b.devices.Current() {
		if e.AcceptsType(d.Slot.Type) && b.takes(r, d, e) {
			candidates = append(candidates, d)
		}
	}
	slices.SortStableFunc(candidates, func(x, y *pack.Device) int {
		return cmp.Or(cmp.Compare(busy(x), busy(y)), x.Slot.Compare(y.Slot), cmp.Compare(x.Slot.Devices, y.Slot.Devices))
	})
	chosen := choose(r, e, candidates)
	if chosen == nil {
		return engine.SharedPlace{}, errNoRoom
	}
	return b.devices.Share(e, chosen...), nil
}

func busy(d *pack.Device) float64 { return interference.Utilisation(d.Jobs[0].Job).Value }

// takes reports whether the device has one job, a guaranteed one that runs, leaves enough and is expected
// to keep its speed beside the entry.
func (b *besideGuaranteed) takes(r *engine.Round, d *pack.Device, e *engine.Entry) bool {
	host := d.Jobs[0]
	if len(d.Jobs) > 1 || b.isOpportunistic(host) || host.State != policy.Running || d.Slot.Devices == 0 || b.was.isHurt(host.ID) {
		return false
	}
	u, used := interference.Utilisation(host.Job), host.Sharing.UsedMemMB()
	if !u.Known || u.Value >= b.Busy || used <= 0 || float64(used) > b.MemoryMB || e.Sharing.UsedMemMB() <= 0 {
		return false
	}
	return interference.JobBeside(host.Job, e.Job).Low(oneInTen) >= 1-b.Slowdown && pack.Accepts(r, d.Jobs, policy.Alloc{d.Slot}, e)
}

// choose takes the first devices that make a lawful place for the gang: of all, else of the node where the
// busiest of them is least so; nil: there are none.
func choose(r *engine.Round, e *engine.Entry, from []*pack.Device) []*pack.Device {
	n := e.WantedDeviceCount
	if len(from) < n || n == 0 {
		return nil
	}
	if isLawful(r, e, from[:n]) {
		return from[:n]
	}
	byNode := map[string][]*pack.Device{}
	for _, d := range from {
		at := d.Slot.Node + "\x00" + d.Slot.Type
		byNode[at] = append(byNode[at], d)
		if len(byNode[at]) == n && isLawful(r, e, byNode[at]) {
			return byNode[at]
		}
	}
	return nil
}

// isLawful reports whether the gang may run on the devices.
func isLawful(r *engine.Round, e *engine.Entry, on []*pack.Device) bool {
	gang := e.GangAsk()
	gang.GPUs.Type = cmp.Or(gang.GPUs.Type, on[0].Slot.Type)
	return pool.AllowsAlloc(r.FreePool, pack.AllocOf(on), e.Partition, gang)
}
