package astraea

import (
	"cmp"
	"math"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/share"
)

// tenant is an account of a round. Amounts are whole GPUs and
// GPU-seconds.
type tenant struct {
	name              string
	quota             float64
	windowEntitlement float64 // GPU-seconds its quota yields in the window and one lease
	recentService     float64 // GPU-seconds received in the window, and charged for leases
	leasedGPUs        float64 // GPUs held by leases, and granted in this round
	favourThreshold   float64 // part of its quota below which it is served first

	jobs        []*job // to be served, in order
	skippedJobs []*job // there was no room for a lease
}

// heldQuotaFraction is what the account holds and was granted against its quota.
func (t *tenant) heldQuotaFraction() float64 { return ratio(t.leasedGPUs, t.quota) }

// servedFraction is what it received against what its quota yields.
func (t *tenant) servedFraction() float64 { return ratio(t.recentService, t.windowEntitlement) }

// ratio is a over b, +Inf where b is nothing.
func ratio(a, b float64) float64 {
	if b > 0 {
		return a / b
	}
	return math.Inf(1)
}

// compare puts the account to be served next first: those far below their
// quota, by how far; then by service received.
func (t *tenant) compare(u *tenant) int {
	low, ulow := t.heldQuotaFraction() < t.favourThreshold, u.heldQuotaFraction() < u.favourThreshold
	switch {
	case low && !ulow:
		return -1
	case ulow && !low:
		return 1
	case low:
		return cmp.Or(cmp.Compare(t.heldQuotaFraction(), u.heldQuotaFraction()), cmp.Compare(t.servedFraction(), u.servedFraction()), cmp.Compare(t.name, u.name))
	}
	return cmp.Or(cmp.Compare(t.servedFraction(), u.servedFraction()), cmp.Compare(t.heldQuotaFraction(), u.heldQuotaFraction()), cmp.Compare(t.name, u.name))
}

// chargeLease counts a lease of the job.
func (t *tenant) chargeLease(gpus float64, lease time.Duration) {
	t.leasedGPUs += gpus
	t.recentService += gpus * lease.Seconds()
}

// newTenant returns the tenant of an account.
func (l *leases) newTenant(name string, quota float64) *tenant {
	t := &tenant{name: name, quota: quota, favourThreshold: l.Favour, windowEntitlement: quota * (l.Window + l.Lease).Seconds()}
	if a := l.Account(name); a != nil {
		t.recentService = float64(a.RecentService)
	}
	return t
}

// tenantHeap is a heap, the account to be served next first.
type tenantHeap []*tenant

func (q tenantHeap) Len() int { return len(q) }

func (q tenantHeap) Less(i, j int) bool { return q[i].compare(q[j]) < 0 }

func (q tenantHeap) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push implements heap.Interface.
func (q *tenantHeap) Push(x any) { *q = append(*q, x.(*tenant)) }

// Pop implements heap.Interface.
func (q *tenantHeap) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}

// quotaByAccount returns every account's part of the cluster by weight, rounded down
// to whole GPUs. The paper's formula gives nothing to an account whose part is
// less than one GPU; it keeps its fraction here.
func quotaByAccount(s *policy.Snapshot) map[string]float64 {
	want, parent := map[string]bool{}, map[string]bool{}
	for _, a := range s.Accounts {
		parent[a.Parent] = true
	}
	for _, a := range s.Accounts {
		want[a.Name] = !parent[a.Name]
	}
	for i := range s.Jobs {
		want[s.Jobs[i].Account] = true
	}
	for name, leaf := range want {
		if !leaf {
			delete(want, name)
		}
	}
	gpus := 0.0
	for i := range s.Nodes {
		if s.Nodes[i].DownReason == "" {
			gpus += max(s.Nodes[i].WholeGPUs(), 0)
		}
	}
	q := share.WeightsAmong(s, want)
	for name, part := range q {
		q[name] = part * gpus
		if whole := math.Floor(part*gpus + 1e-9); whole >= 1 {
			q[name] = whole
		}
	}
	return q
}
