package symphony

import (
	"cmp"
	"errors"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/interference"
	"fairbridge/policy/pack"
)

// mostWeighed is how many hosts that suit a job are weighed against each other, the calmest first.
const mostWeighed = 64

var errNoCalmHost = errors.New("no running job that is alone on as many GPUs is sure to be slowed so little by this one")

// besideCalmest is an engine.Packer of one round: a job joins the running one with which it loses least,
// caution included.
type besideCalmest struct {
	*Policy
	hosts map[int][]*engine.Entry // alone on so many devices and not joined yet, the calmest first; nil: not listed yet
}

// Pack implements engine.Packer.
func (b *besideCalmest) Pack(r *engine.Round, e *engine.Entry) (engine.SharedPlace, error) {
	if !mayShare(e) {
		return engine.SharedPlace{}, errNoCalmHost
	}
	if b.hosts == nil {
		b.listHosts(r)
	}
	list := b.hosts[e.WantedDeviceCount]
	best, least, weighed := -1, b.MaxLoss, 0
	for i, h := range list {
		loss, sigma := (*interference.Table)(nil).Risk(h.Job, e.Job)
		if loss += b.Caution * sigma; loss > least || best >= 0 && loss == least || !pack.JoinsSingle(r, h, e) {
			continue
		}
		best, least = i, loss
		if weighed++; weighed == mostWeighed || loss == 0 {
			break
		}
	}
	if best < 0 {
		return engine.SharedPlace{}, errNoCalmHost
	}
	h := list[best]
	b.hosts[e.WantedDeviceCount] = slices.Delete(list, best, best+1)
	return engine.SharedPlace{On: slices.Clone(h.On), Beside: h.ID}, nil
}

// listHosts lists the jobs that may be joined.
func (b *besideCalmest) listHosts(r *engine.Round) {
	b.hosts = map[int][]*engine.Entry{}
	for _, h := range pack.Singles(r) {
		if mayShare(h) && pack.KnowsMemory(r, h.On) {
			b.hosts[h.On.Count()] = append(b.hosts[h.On.Count()], h)
		}
	}
	for _, list := range b.hosts {
		slices.SortStableFunc(list, func(x, y *engine.Entry) int { return cmp.Compare(usedBy(x), usedBy(y)) })
	}
}

// mayShare reports whether the job may share GPUs: its owner accepts that, and what it uses of them is known.
func mayShare(e *engine.Entry) bool {
	return e.Shareable && e.Sharing.UsedMemMB() > 0 && interference.Utilisation(e.Job).Known && (!e.HoldsGPUs() || e.State == policy.Running)
}

func usedBy(e *engine.Entry) float64 { return interference.Utilisation(e.Job).Value }
