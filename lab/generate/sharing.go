package generate

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// SharingDrawer draws the jobs of another drawer, and how they do beside neighbours: how much of the
// time their GPUs compute, as in Philly (Jeon et al., ATC 2019), and the memory they use there.
// Jobs of one name of one user are alike. The distribution of memory is ours.
type SharingDrawer struct {
	JobDrawer
	GPUMemMB int64 // memory of a GPU, megabytes; 24 GiB. No job uses more.
	// OwnerShare is the share of users who accept neighbours, of all users, for all their jobs; 1. Negative: none.
	OwnerShare float64
}

// busyKinds are the kinds of jobs by how much of the time their GPUs compute: nearly idle, anything, nearly
// always; their shares, and the parameters of a beta distribution.
var busyKinds = []struct{ share, alpha, beta float64 }{{.25, .5, 10}, {.45, 2, 2}, {.30, 8, 1.5}}

// Memory that jobs use is spread log-normally.
const (
	medianGPUMemMB = 6 << 10
	gpuMemSigma    = .7
	leastGPUMemMB  = 1 << 10
)

// DrawJobs returns the jobs.
func (d SharingDrawer) DrawJobs(seed int64) []workload.Job {
	jobs, r := d.JobDrawer.DrawJobs(seed), newRandom(seed, sharingRandomStream)
	accepts, known := map[string]bool{}, map[[2]string]policy.Sharing{}
	for i := range jobs {
		j := &jobs[i]
		if _, ok := accepts[j.User]; !ok {
			accepts[j.User] = r.Float64() < orDefault(d.OwnerShare, 1)
		}
		kind := [2]string{j.User, j.Name}
		profile, ok := known[kind]
		if !ok {
			profile = policy.Sharing{AcceptsOtherUsers: true, Utilisation: policy.KnownValue(drawBusy(r)),
				MemMB: int64(drawLogNormal(r, medianGPUMemMB, gpuMemSigma, leastGPUMemMB, float64(orDefault(int(d.GPUMemMB), 24<<10))))}
			known[kind] = profile
		}
		j.IsShareable, j.Sharing = accepts[j.User], &profile
	}
	return jobs
}

// drawBusy draws which share of the time the GPUs of a job compute.
func drawBusy(r *rand.Rand) float64 {
	weights := make([]float64, len(busyKinds))
	for i, k := range busyKinds {
		weights[i] = k.share
	}
	k := busyKinds[pickIndex(r, weights)]
	return distuv.Beta{Alpha: k.alpha, Beta: k.beta, Src: r}.Rand()
}
