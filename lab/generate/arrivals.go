// Package generate makes up workloads as papers and clusters describe them. The
// same value and seed give the same jobs, to the bit; a field that is zero
// means its default. Jobs are sorted by arrival and numbered from 1.
package generate

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// relativeRateByHour is how many jobs people submit in each hour of the day compared to the
// mean, as measured in four clusters over six months (Hu et al., Helios, SC 2021).
var relativeRateByHour = [24]float64{
	.90, .84, .68, .60, .56, .56, .55, .51, .56, .82, 1.12, 1.24,
	1.20, 1.22, 1.33, 1.43, 1.49, 1.33, 1.10, 1.20, 1.31, 1.23, 1.14, 1.09,
}

// weekendFactor is how busy its two days are compared to the other five.
const weekendFactor = .75 / 1.1

// hourlyRate is how busy submitters are, of at most 1, so many seconds after a Monday
// began.
func hourlyRate(at float64) float64 {
	h := int(at/3600) % (24 * 7)
	v := relativeRateByHour[h%24] / slices.Max(relativeRateByHour[:])
	if h >= 24*5 {
		v *= weekendFactor
	}
	return v
}

// constantRate is the rate of submitters who never sleep.
func constantRate(float64) float64 { return 1 }

// arrivalTimes draws n times of a Poisson process within a span, sorted. The rate is
// relative to its highest, which is 1.
func arrivalTimes(r *rand.Rand, n int, span float64, rate func(float64) float64) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = math.Floor(r.Float64() * span)
		for r.Float64() > rate(all[i]) {
			all[i] = math.Floor(r.Float64() * span)
		}
	}
	slices.Sort(all)
	return all
}

// poissonArrivals draws n times with a mean gap between them; the first is 0.
func poissonArrivals(r *rand.Rand, n int, gap float64) []float64 {
	all := make([]float64, n)
	at := 0.0
	for i := range all {
		all[i] = math.Floor(at)
		at += r.ExpFloat64() * gap
	}
	return all
}

// sumGPUSeconds is the GPU time of jobs in GPU-seconds.
func sumGPUSeconds(jobs []workload.Job) float64 {
	sum := 0.0
	for i := range jobs {
		sum += float64(jobs[i].GPUs) * jobs[i].Duration
	}
	return sum
}

// spanForLoad is how long so many GPUs need for the jobs when that load keeps them
// busy.
func spanForLoad(jobs []workload.Job, gpus int, load float64) float64 {
	return sumGPUSeconds(jobs) / (float64(gpus) * load)
}

// setArrivals gives the jobs their arrivals, in order, and numbers them.
func setArrivals(jobs []workload.Job, at []float64) []workload.Job {
	for i := range jobs {
		jobs[i].Arrive = at[i]
	}
	return assignIDs(jobs)
}

// assignIDs sorts jobs by arrival and gives them their ids.
func assignIDs(jobs []workload.Job) []workload.Job {
	slices.SortStableFunc(jobs, func(a, b workload.Job) int {
		switch {
		case a.Arrive < b.Arrive:
			return -1
		case a.Arrive > b.Arrive:
			return 1
		}
		return 0
	})
	for i := range jobs {
		jobs[i].ID = int64(i + 1)
	}
	return jobs
}

// RelativeRateAt returns how busy people are so many seconds after a midnight, of at most 1, without
// weekends; between two hours' middles it goes straight.
func RelativeRateAt(seconds float64) float64 {
	hour := math.Mod(seconds/3600-.5+24, 24)
	before := int(hour)
	part := hour - float64(before)
	a, b := relativeRateByHour[before%24], relativeRateByHour[(before+1)%24]
	return (a + part*(b-a)) / slices.Max(relativeRateByHour[:])
}

// MultiTenantDrawer draws a cluster that accounts of unequal weights share: each asks for
// about its part, at any time, but the first one floods the cluster in bursts.
type MultiTenantDrawer struct {
	AccountCount int // 8
	ClusterGPUs  int // of the cluster; 64
	// OfferedLoad is the GPU time that all but the first account ask for, as a part of
	// what the GPUs have; .6.
	OfferedLoad float64
	// ArrivalHours in which jobs arrive; 48.
	ArrivalHours float64
	BurstCount   int // of the first account, spread evenly; 4
	// BurstLoad is the GPU time of one burst as a part of what the cluster has
	// between two bursts; .8.
	BurstLoad float64
	// MedianRunSeconds of the run times in seconds; 1,800. They spread log-normally by 1.1
	// and are at most ten times as long.
	MedianRunSeconds float64
}

// tenantWeights repeat; the flooding account has the first.
var tenantWeights = []float64{1, 4, 2, 1, 2}

func (t MultiTenantDrawer) withDefaults() MultiTenantDrawer {
	t.AccountCount, t.ClusterGPUs, t.BurstCount = max(orDefault(t.AccountCount, 8), 2), orDefault(t.ClusterGPUs, 64), orDefault(t.BurstCount, 4)
	t.OfferedLoad, t.ArrivalHours, t.BurstLoad, t.MedianRunSeconds = orDefault(t.OfferedLoad, .6), orDefault(t.ArrivalHours, 48), orDefault(t.BurstLoad, .8), orDefault(t.MedianRunSeconds, 1800)
	return t
}

// DrawAccounts returns the accounts and their weights; they are the same for each
// seed.
func (t MultiTenantDrawer) DrawAccounts(int64) []policy.Account {
	var all []policy.Account
	for i := range t.withDefaults().AccountCount {
		all = append(all, policy.Account{Name: accountName(i), Weight: tenantWeights[i%len(tenantWeights)]})
	}
	return all
}

// DrawJobs returns the jobs.
func (t MultiTenantDrawer) DrawJobs(seed int64) []workload.Job {
	t = t.withDefaults()
	r := newRandom(seed, jobRandomStream)
	accounts := t.DrawAccounts(seed)
	sum := 0.0
	for _, a := range accounts[1:] {
		sum += a.Weight
	}
	all := float64(t.ClusterGPUs) * t.ArrivalHours * 3600
	var jobs []workload.Job
	for _, a := range accounts[1:] {
		own := t.drawJobs(r, a.Name, all*t.OfferedLoad*a.Weight/sum)
		at := arrivalTimes(r, len(own), t.ArrivalHours*3600, constantRate)
		for i := range own {
			own[i].Arrive = at[i]
		}
		jobs = append(jobs, own...)
	}
	return assignIDs(append(jobs, t.drawBursts(r, accounts[0].Name, all)...))
}

// drawBursts draws the bursts of an account. Each comes within ten minutes.
func (t *MultiTenantDrawer) drawBursts(r *rand.Rand, account string, all float64) []workload.Job {
	var jobs []workload.Job
	for b := range t.BurstCount {
		begin := (float64(b) + .5) / float64(t.BurstCount) * t.ArrivalHours * 3600
		own := t.drawJobs(r, account, all*t.BurstLoad/float64(t.BurstCount))
		at := arrivalTimes(r, len(own), 600, constantRate)
		for i := range own {
			own[i].Arrive = begin + at[i]
		}
		jobs = append(jobs, own...)
	}
	return jobs
}

// drawJobs makes jobs of an account's three users until they ask for so many
// GPU-seconds.
func (t *MultiTenantDrawer) drawJobs(r *rand.Rand, account string, target float64) []workload.Job {
	var jobs []workload.Job
	for left := target; left > 0; {
		gpus := drawPowerOfTwo(r, gavelSizeShares, t.ClusterGPUs/2)
		long := roundUpSeconds(drawLogNormal(r, t.MedianRunSeconds, 1.1, 60, 10*t.MedianRunSeconds))
		jobs = append(jobs, workload.Job{
			Name: "train", User: fmt.Sprintf("%s-%d", account, 1+r.IntN(3)), Account: account, GPUs: gpus, Duration: long,
		})
		left -= float64(gpus) * long
	}
	return jobs
}

// user is a user; the weight is how much of the GPU time is theirs.
type user struct {
	name, account string
	weight        float64
}

// population are the users of a cluster and their accounts.
type population struct {
	users             []user
	cumulativeWeights []float64 // weight of the users up to each
	accounts          []policy.Account
}

// newPopulation draws n users, their activity spread log-normally by sigma, and
// puts them into so many accounts, of which the largest is some times as active
// as the smallest. An account's shares are what its users use, more or less.
func newPopulation(seed int64, n, accounts int, sigma float64) *population {
	r := newRandom(seed, peopleRandomStream)
	p := &population{users: make([]user, n)}
	for i := range p.users {
		p.users[i] = user{name: fmt.Sprintf("user%03d", i+1), weight: math.Exp(sigma * r.NormFloat64())}
	}
	used, room := make([]float64, accounts), make([]float64, accounts)
	for a := range room {
		room[a] = drawUniform(r, .3, 1.7)
	}
	for _, i := range indicesByWeight(p.users) {
		a := pickEmptierAccount(r, used, room)
		used[a] += p.users[i].weight
		p.users[i].account = accountName(a)
	}
	sum := 0.0
	for i := range p.users {
		sum += p.users[i].weight
		p.cumulativeWeights = append(p.cumulativeWeights, sum)
	}
	p.accounts = drawAccounts(r, used)
	return p
}

// indicesByWeight returns the indices of the users, the most active first.
func indicesByWeight(users []user) []int {
	all := make([]int, len(users))
	for i := range all {
		all[i] = i
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(users[b].weight, users[a].weight) })
	return all
}

// pickEmptierAccount returns the account, of two drawn, that is less used for its size.
func pickEmptierAccount(r *rand.Rand, used, room []float64) int {
	a, b := r.IntN(len(used)), r.IntN(len(used))
	if used[b]/room[b] < used[a]/room[a] {
		return b
	}
	return a
}

// drawAccounts gives accounts 70 to 130 % of what their users use, of 100 in all.
func drawAccounts(r *rand.Rand, used []float64) []policy.Account {
	sum := 0.0
	for _, u := range used {
		sum += u
	}
	var all []policy.Account
	for i, u := range used {
		all = append(all, policy.Account{Name: accountName(i), Weight: max(math.Round(100*u/sum*drawUniform(r, .7, 1.3)), 1)})
	}
	return all
}

func accountName(i int) string { return fmt.Sprintf("lab%02d", i+1) }

// pickUser draws who submits.
func (p *population) pickUser(r *rand.Rand) *user {
	at := r.Float64() * p.cumulativeWeights[len(p.cumulativeWeights)-1]
	i, _ := slices.BinarySearch(p.cumulativeWeights, at)
	return &p.users[i]
}
