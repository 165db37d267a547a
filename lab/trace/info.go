package trace

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/replica/cluster"
	"fairbridge/replica/workload"
)

// Summary is what is in a trace, in figures. Fractions are 0..1.
type Summary struct {
	Name               string         `json:"name"`
	Format             string         `json:"format"`
	JobCount           int            `json:"jobs"`
	TrainingJobCount   int            `json:"training_jobs,omitempty"` // whose speed stands in throughput tables
	Start              time.Time      `json:"start,omitzero"`
	ArrivalSpanSeconds float64        `json:"span_s"` // from the first arrival to the last
	GPUHours           float64        `json:"gpu_hours"`
	Sizes              []SizeInfo     `json:"sizes"`
	RunTimes           *Quantiles     `json:"run_time_s,omitempty"` // of jobs that say how long they run
	LimitedShare       float64        `json:"limited_share"`        // of jobs that have a time limit
	DeadlineShare      float64        `json:"deadline_share"`       // of jobs that have a deadline
	FailedShare        float64        `json:"failed_share"`
	CancelledShare     float64        `json:"cancelled_share"`
	UserCount          int            `json:"users"`
	Accounts           []AccountInfo  `json:"accounts,omitempty"` // by GPU time, the largest first
	JobsByGPUType      map[string]int `json:"gpu_types,omitempty"`
	IgnoredByReason    map[string]int `json:"ignored,omitempty"`
	SkippedCount       int            `json:"skipped,omitempty"`
	Notes              []string       `json:"notes,omitempty"`
	// The figures of InfoOnCluster; zero without it.
	Cluster     string  `json:"cluster,omitempty"`
	ClusterGPUs int     `json:"cluster_gpus,omitempty"`
	Load        float64 `json:"load,omitempty"`    // GPU time of the jobs over that of the cluster between first and last arrival; 0: all arrive at once
	Misfits     string  `json:"misfits,omitempty"` // jobs that cannot run there
}

// SizeInfo are the jobs of one number of GPUs.
type SizeInfo struct {
	GPUs         int     `json:"gpus"`
	JobCount     int     `json:"jobs"`
	JobShare     float64 `json:"share"`          // of all jobs
	GPUTimeShare float64 `json:"gpu_time_share"` // of the GPU time of all jobs
}

// AccountInfo are the jobs of one account.
type AccountInfo struct {
	Name     string  `json:"name"`
	Weight   float64 `json:"weight,omitempty"` // 0: the file gives none
	JobCount int     `json:"jobs"`
	GPUHours float64 `json:"gpu_hours"`
}

// Quantiles are those of run times in seconds, with their mean.
type Quantiles struct {
	Min    float64 `json:"least"`
	P10    float64 `json:"p10"`
	P25    float64 `json:"p25"`
	Median float64 `json:"median"`
	P75    float64 `json:"p75"`
	P90    float64 `json:"p90"`
	P99    float64 `json:"p99"`
	Max    float64 `json:"most"`
	Mean   float64 `json:"mean"`
}

// Summary counts what is in the trace.
func (t *Trace) Info() Summary {
	i := Summary{
		Name: t.Name, Format: t.Format, JobCount: len(t.Jobs), Start: t.Start, JobsByGPUType: map[string]int{},
		IgnoredByReason: t.IgnoredByReason, SkippedCount: t.SkippedCount, Notes: t.Notes, Sizes: sumBySize(t.Jobs), RunTimes: runTimeQuantiles(t.Jobs), Accounts: sumByAccount(t),
	}
	if len(t.Jobs) == 0 {
		return i
	}
	i.ArrivalSpanSeconds = t.Jobs[len(t.Jobs)-1].Arrive - t.Jobs[0].Arrive
	users, part := map[string]bool{}, 1/float64(len(t.Jobs))
	for k := range t.Jobs {
		j := &t.Jobs[k]
		i.GPUHours += jobGPUSeconds(j) / 3600
		i.countJob(j, part)
		if j.User != "" {
			users[j.User] = true
		}
	}
	i.UserCount = len(users)
	return i
}

// countJob counts one job, which is a part of all.
func (i *Summary) countJob(j *workload.Job, part float64) {
	if j.Training != nil {
		i.TrainingJobCount++
	}
	if j.GPUType != "" {
		i.JobsByGPUType[j.GPUType]++
	}
	if j.TimeLimit > 0 {
		i.LimitedShare += part
	}
	if j.Deadline > 0 {
		i.DeadlineShare += part
	}
	switch j.End {
	case workload.Failed:
		i.FailedShare += part
	case workload.Cancelled:
		i.CancelledShare += part
	}
}

// InfoOnCluster is Info, and how the trace fits a cluster.
func (t *Trace) InfoOnCluster(name string, nodes []policy.Node) Summary {
	i := t.Info()
	i.Cluster, i.ClusterGPUs = name, cluster.CountGPUs(nodes)
	if i.ClusterGPUs == 0 {
		return i
	}
	if i.ArrivalSpanSeconds > 0 {
		i.Load = i.GPUHours * 3600 / (float64(i.ClusterGPUs) * i.ArrivalSpanSeconds)
	}
	if err := t.CheckFits(cluster.CountGPUsByType(nodes)); err != nil {
		i.Misfits = err.Error()
	}
	return i
}

func jobGPUSeconds(j *workload.Job) float64 { return float64(j.GPUs) * j.Duration }

func sumBySize(jobs []workload.Job) []SizeInfo {
	var all []SizeInfo
	sum := 0.0
	for k := range jobs {
		j := &jobs[k]
		sum += jobGPUSeconds(j)
		i, found := slices.BinarySearchFunc(all, j.GPUs, func(s SizeInfo, gpus int) int { return cmp.Compare(s.GPUs, gpus) })
		if !found {
			all = slices.Insert(all, i, SizeInfo{GPUs: j.GPUs})
		}
		all[i].JobCount++
		all[i].GPUTimeShare += jobGPUSeconds(j)
	}
	for i := range all {
		all[i].JobShare = float64(all[i].JobCount) / float64(len(jobs))
		if sum > 0 {
			all[i].GPUTimeShare /= sum
		}
	}
	return all
}

func runTimeQuantiles(jobs []workload.Job) *Quantiles {
	var all []float64
	sum := 0.0
	for i := range jobs {
		if d := jobs[i].Duration; d > 0 {
			all = append(all, d)
			sum += d
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	q := func(p float64) float64 { return all[int(p*float64(len(all)-1)+.5)] }
	return &Quantiles{q(0), q(.1), q(.25), q(.5), q(.75), q(.9), q(.99), q(1), sum / float64(len(all))}
}

func sumByAccount(t *Trace) []AccountInfo {
	at := map[string]int{}
	var all []AccountInfo
	find := func(name string) *AccountInfo {
		i, known := at[name]
		if !known {
			i = len(all)
			at[name] = i
			all = append(all, AccountInfo{Name: name})
		}
		return &all[i]
	}
	for _, a := range t.Accounts {
		find(a.Name).Weight = a.Weight
	}
	for i := range t.Jobs {
		if j := &t.Jobs[i]; j.Account != "" {
			a := find(j.Account)
			a.JobCount++
			a.GPUHours += jobGPUSeconds(j) / 3600
		}
	}
	slices.SortFunc(all, func(a, b AccountInfo) int {
		return cmp.Or(cmp.Compare(b.GPUHours, a.GPUHours), cmp.Compare(a.Name, b.Name))
	})
	return all
}
