package intake

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// silence is for how long a replica that runs may report no requests before those of its service count as unknown.
const silence = 5 * time.Minute

// addReplica says of which service the job is a replica: the one that it declares, of its account and user.
func addReplica(a *snapshotAssembler, out *policy.Job, j *slurm.Job, mine bool) {
	switch name := j.Directive.Service; {
	case name == "" || !mine:
	case a.partition.ServiceOf(j) == nil:
		out.IgnoredReason = joinReasons(out.IgnoredReason, fmt.Sprintf("service=%s does not count: nothing is configured for it in partition %s and account %s: it is a job as any other", name, a.partition.Name, j.Account))
	case !j.IsBatch:
		out.IgnoredReason = joinReasons(out.IgnoredReason, "service="+name+" does not count: replicas are batch jobs")
	default:
		out.ReplicaOf = bridge.ServiceKey(j.Account, j.User, name)
	}
}

// listServices returns the services that jobs of the snapshot are replicas of, with what is known of their requests.
func listServices(a *snapshotAssembler, s *policy.Snapshot) []policy.InferenceService {
	jobsByService := map[string][]*policy.Job{}
	var all []policy.InferenceService
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.ReplicaOf == "" {
			continue
		}
		if jobsByService[j.ReplicaOf] == nil {
			terms := a.partition.ServiceOf(a.View.Job(int64(j.ID))).Terms
			all = append(all, policy.InferenceService{Name: j.ReplicaOf, Partition: s.Jobs[i].Partition, Scaling: &terms})
		}
		jobsByService[j.ReplicaOf] = append(jobsByService[j.ReplicaOf], j)
	}
	slices.SortFunc(all, func(x, y policy.InferenceService) int { return cmp.Compare(x.Name, y.Name) })
	for i := range all {
		c := all[i].Scaling
		c.RateWindow = rateWindow
		if a.Past != nil {
			c.Usual = listUsual(a.Past.UsualRequests[all[i].Name], s.Now, c.SetupTime)
		}
		c.Rates, c.UnknownReason = readRates(a, jobsByService[all[i].Name], c.SetupTime, s.Now)
	}
	return all
}

// readRates returns the requests a second that the replicas reported, or why they are not known.
func readRates(a *snapshotAssembler, jobs []*policy.Job, setup time.Duration, now time.Time) (rates []float64, unknown string) {
	end := now
	var counts [][]bridge.RequestCount
	reporting := 0
	for _, j := range jobs {
		list := requestsOf(a, j)
		counts = append(counts, list)
		if j.State != policy.Running {
			continue
		}
		var last time.Time
		if n := len(list); n > 0 && list[n-1].At.After(j.Start) {
			last = list[n-1].At
		}
		switch {
		case now.Sub(last) <= silence:
			reporting++
			if last.Before(end) {
				end = last
			}
		case j.Ran(now) > setup+silence:
			return nil, fmt.Sprintf("its replica %s reported none for %s", j.Label(), policy.FormatDuration(now.Sub(cmp.Or(last, j.Start)).Round(time.Second)))
		}
	}
	if rates = sumRates(counts, end); reporting == 0 || rates == nil {
		return nil, "its replicas have not reported any for a minute (fairbridge progress --requests)"
	}
	return rates, ""
}

// requestsOf returns what the job reported, by time, beginning with none where a run began since.
func requestsOf(a *snapshotAssembler, j *policy.Job) []bridge.RequestCount {
	var list []bridge.RequestCount
	if a.Past != nil && a.Past.RequestsOf != nil {
		list = slices.Clone(a.Past.RequestsOf(j))
	}
	if now := a.UseByJob[int64(j.ID)].Requests; now != nil && j.HoldsGPUs() && (len(list) == 0 || now.At.After(list[len(list)-1].At)) {
		list = append(list, *now)
	}
	if i := slices.IndexFunc(list, func(c bridge.RequestCount) bool { return c.At.After(j.Start) }); j.HoldsGPUs() && i >= 0 && a.View.At.Sub(j.Start) < rateWindow*mostRates {
		list = slices.Insert(list, i, bridge.RequestCount{At: j.Start})
	}
	return list
}

// listUsual returns what is usual from this hour on until two after a replica that starts now is ready.
func listUsual(byHour map[int]float64, now time.Time, setup time.Duration) (usual []policy.UsualRate) {
	for at := now.Truncate(time.Hour); len(byHour) > 0 && at.Before(now.Add(setup+2*time.Hour)); at = at.Add(time.Hour) {
		usual = append(usual, policy.UsualRate{From: at, PerSecond: byHour[at.UTC().Hour()]})
	}
	return usual
}
