package fluid

import (
	"cmp"
	"slices"

	"fairbridge/policy/solve/queues"
	"fairbridge/policy/solve/tournament"
)

// Rule divides the GPUs among the jobs that are there.
type Rule interface {
	// divide sets the share of every job. It may sort them.
	divide(now micro, gpus float64, active []*job)
	// classOf is the class of a job that arrives and needs so many GPU-seconds.
	classOf(service float64) int
	// period is how long after anything happened the GPUs are divided again; 0: not.
	period() micro
}

// FIFO is first come, first served.
func FIFO() Rule { return firstCome{} }

// SRSF serves first the job that needs the least service yet.
func SRSF() Rule { return leastService{} }

// Themis serves first the job that is worst off, and divides anew every ten minutes.
func Themis() Rule { return finishTimeFair{} }

// AFS gives whole GPUs one after the other, by package tournament.
func AFS() Rule { return tournaments{} }

// PCS has a queue for each class of service, bounded by thresholds in GPU-seconds, ascending,
// and one beyond; see package queues.
func PCS(thresholds []float64, s queues.Settings) Rule {
	return weightedQueues{plain{}, func(service float64) int { return queues.ClassOf(service, thresholds) }, s}
}

// plain is what rules have in common that neither have classes nor divide again.
type plain struct{}

func (plain) classOf(float64) int { return 0 }
func (plain) period() micro       { return 0 }

// giveInLine gives every job what it can use while there is something left.
func giveInLine(left float64, line []*job) {
	for _, j := range line {
		j.share = min(left, j.mostGPUs)
		left -= j.share
	}
}

// firstCome is first come, first served.
type firstCome struct{ plain }

func (firstCome) divide(_ micro, gpus float64, active []*job) {
	slices.SortStableFunc(active, func(a, b *job) int { return cmp.Compare(a.arrive, b.arrive) })
	giveInLine(gpus, active)
}

// leastService serves first the job that needs the least service yet.
type leastService struct{ plain }

func (leastService) divide(_ micro, gpus float64, active []*job) {
	slices.SortStableFunc(active, func(a, b *job) int {
		return cmp.Compare(a.mostGPUs*a.lengthOn(a.mostGPUs), b.mostGPUs*b.lengthOn(b.mostGPUs))
	})
	giveInLine(gpus, active)
}

// finishTimeFair serves first, as Themis, the job that would end latest of all, in relation to
// how long it would take on its equal part of the cluster.
type finishTimeFair struct{ plain }

// themisLease is how long after anything happened Themis divides again.
const themisLease micro = 600 * 1e6

func (finishTimeFair) period() micro { return themisLease }

func (finishTimeFair) divide(now micro, gpus float64, active []*job) {
	left := gpus
	for unserved := active; len(unserved) > 0; unserved = unserved[1:] {
		if left <= 0 {
			giveInLine(0, unserved)
			return
		}
		for _, j := range unserved {
			j.sortKey = j.finishTimeRatio(now, gpus, min(left, j.mostGPUs))
		}
		slices.SortStableFunc(unserved, func(a, b *job) int { return cmp.Compare(b.sortKey, a.sortKey) })
		giveInLine(left, unserved[:1])
		left -= unserved[0].share
	}
}

// finishTimeRatio is ρ of a job that gets so many of the GPUs.
func (j *job) finishTimeRatio(now micro, gpus, gets float64) float64 {
	contention := j.contentionSum / j.contentionCount
	return ((now - j.arrive).seconds() + j.remaining/gets) / (j.service / min(gpus/contention, j.mostGPUs))
}

// tournaments gives the GPUs one by one, as AFS.
type tournaments struct{ plain }

// lengthPad is added to lengths, in seconds, before they are inverted, as PCS' simulator does.
const lengthPad = 1e-7

func (tournaments) divide(_ micro, gpus float64, active []*job) {
	all := make([]tournament.Contestant, len(active))
	for i, j := range active {
		all[i] = tournament.Contestant{Next: j.nextWhole, Pace: func(n int) float64 { return 1 / (j.lengthOn(float64(n)) + lengthPad) }}
	}
	for i, n := range tournament.Divide(int(gpus), all, tournament.ToLonger) {
		active[i].share = float64(n)
	}
}

// weightedQueues divides by classes of service, as PCS.
type weightedQueues struct {
	plain
	classes  func(service float64) int
	settings queues.Settings
}

func (q weightedQueues) classOf(service float64) int { return q.classes(service) }

func (q weightedQueues) divide(_ micro, gpus float64, active []*job) {
	claims := make([]queues.Claim, len(active))
	for i, j := range active {
		claims[i] = queues.Claim{Class: j.class, Most: j.mostGPUs, EfficientMost: j.efficientMost}
	}
	for i, share := range queues.Divide(gpus, claims, q.settings) {
		active[i].share = share
	}
}

// nextWhole is the next whole number of GPUs that the job can use; 0: none.
func (j *job) nextWhole(n int) int {
	if n+1 < len(j.speeds) {
		return n + 1
	}
	return 0
}
