package sharing

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// busyKinds are the kinds of jobs by how much of the time their GPUs compute: nearly idle, anything, nearly
// always; their shares, and the parameters of a beta distribution.
var busyKinds = []struct{ share, alpha, beta float64 }{{.25, .5, 10}, {.45, 2, 2}, {.30, 8, 1.5}}

// sharingStream is the stream of chance for what jobs use: it leaves the others alone.
const sharingStream = 6

// drawSharing draws jobs, all of whose owners accept neighbours, and how the jobs do beside neighbours: how much
// of the time their GPUs compute, as in Philly (Jeon et al., ATC 2019), and the memory they use there.
// Jobs of one name of one user are alike. The distribution of memory is ours.
func drawSharing(d generate.JobDrawer, seed int64) []workload.Job {
	jobs, r := d.DrawJobs(seed), rand.New(rand.NewPCG(uint64(seed), sharingStream))
	users, known := map[string]bool{}, map[[2]string]policy.Sharing{}
	for i := range jobs {
		j := &jobs[i]
		if !users[j.User] {
			users[j.User] = true
			r.Float64() // once decided whether the user accepts neighbours: what is drawn next stays as it was
		}
		kind := [2]string{j.User, j.Name}
		profile, ok := known[kind]
		if !ok {
			profile = policy.Sharing{AcceptsOtherUsers: true, Utilisation: policy.KnownValue(drawBusy(r)), MemMB: drawMemory(r)}
			known[kind] = profile
		}
		j.IsShareable, j.Sharing = true, &profile
	}
	return jobs
}

// drawBusy draws which share of the time the GPUs of a job compute.
func drawBusy(r *rand.Rand) float64 {
	k, at := busyKinds[len(busyKinds)-1], r.Float64()
	for _, next := range busyKinds {
		if at -= next.share; at < 0 {
			k = next
			break
		}
	}
	return distuv.Beta{Alpha: k.alpha, Beta: k.beta, Src: r}.Rand()
}

// drawMemory draws the memory that a job uses on a GPU, megabytes: spread log-normally, and at most the GPU's.
func drawMemory(r *rand.Rand) int64 {
	const median, sigma, least = 6 << 10, .7, 1 << 10
	for {
		if v := median * math.Exp(sigma*r.NormFloat64()); v >= least && v <= gpuMemMB {
			return int64(v)
		}
	}
}
