package intake

import (
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// addSharing adds what its owner says of neighbours, and what was measured of the job, or else of its class, on its GPUs.
// Neighbours are of the same user unless the owner accepts others.
func (k *Input) addSharing(out *policy.Job, d *slurm.Directive) {
	var p bridge.Profile
	if k.Past != nil && k.Past.ProfileOf != nil {
		p = k.Past.ProfileOf(out)
	}
	if !d.Shareable && !d.Opportunistic && p == (bridge.Profile{}) {
		return
	}
	busy := p.Busy
	if !busy.Known && d.GPUBusyPercent > 0 {
		busy = policy.KnownValue(float64(d.GPUBusyPercent) / 100)
	}
	out.Sharing = &policy.Sharing{
		IsOpportunistic: d.Opportunistic, AcceptsOtherUsers: d.SharesWithAll, Apart: k.ApartByJob[int64(out.ID)],
		MemMB: max(p.MemMB, d.GPUMemMB), Utilisation: busy, MemUtilisation: p.MemBusy, Source: p.Source,
	}
}
