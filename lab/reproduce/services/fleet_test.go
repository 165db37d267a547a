package services

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/solve/servers"
	"fairbridge/replica/workload"
)

// Fleet is services in one partition, each with a day of requests and with jobs as replicas, one GPU each: as many as its
// busiest minute of that day needs. Its ServicesAt tells policies what services would report.
type Fleet struct {
	Promise
	SetupSeconds float64
	Days         []Day
	Replicas     []int // of each service
}

// The services report a rate a minute, of which the last half hour is kept.
const (
	reportSteps = 60 / StepSeconds
	reportsKept = 30
)

// DrawFleet draws so many services. Their busiest hours need 2 to 8 replicas without margins and lie within six hours;
// each has four bursts a day in the mean.
func DrawFleet(seed uint64, n int, p Promise, setupSeconds float64) *Fleet {
	f, r := &Fleet{Promise: p, SetupSeconds: setupSeconds}, rand.New(rand.NewPCG(seed, 7))
	for i := range n {
		q := Requests{PeakPerSecond: 2 / p.ServiceSeconds * math.Pow(4, r.Float64()), ShiftHours: 6*r.Float64() - 3, BurstsPerDay: 4}
		day := q.Draw(seed, uint64(100+i))
		f.Days = append(f.Days, day)
		busiest := slices.Max(day.MeanRates(len(day.Counts), reportSteps, len(day.Counts)))
		requests := servers.Requests{PerSecond: busiest, ServiceSeconds: p.ServiceSeconds, WithinSeconds: p.WithinSeconds}
		most, _ := requests.LeastServers(p.Part, 1000)
		f.Replicas = append(f.Replicas, most)
	}
	return f
}

func serviceName(i int) string { return fmt.Sprintf("service%02d", i+1) }

// Jobs are the replicas of all services, numbered from a first id on, in the order of the services. They come at the beginning
// of the day, never end and may be stopped.
func (f *Fleet) Jobs(firstID int64, gpuType string) []workload.Job {
	var jobs []workload.Job
	for i, n := range f.Replicas {
		for range n {
			jobs = append(jobs, workload.Job{ID: firstID + int64(len(jobs)), Name: serviceName(i), User: "web", Account: "web", ReplicaOf: serviceName(i),
				GPUs: 1, GPUType: gpuType, Duration: 10 * 24 * 3600})
		}
	}
	return jobs
}

// ServicesAt implements exact.InferenceForecaster.
func (f *Fleet) ServicesAt(seconds float64) []policy.InferenceService {
	var all []policy.InferenceService
	step, hour := int(seconds/StepSeconds), int(seconds/3600)
	for i := range f.Days {
		d := &f.Days[i]
		c := &policy.ReplicaScaling{Least: 1, ResponseWithin: policy.DurationFromSeconds(f.WithinSeconds), ResponsePart: f.Part,
			ServiceTime: policy.DurationFromSeconds(f.ServiceSeconds), SetupTime: policy.DurationFromSeconds(f.SetupSeconds),
			Rates: d.MeanRates(min(step, len(d.Counts)), reportSteps, reportsKept), RateWindow: time.Minute}
		for h := hour; h < min(hour+2, len(d.Usual)); h++ {
			c.Usual = append(c.Usual, policy.UsualRate{From: workload.CalendarTimeAt(float64(h) * 3600), PerSecond: d.Usual[h]})
		}
		all = append(all, policy.InferenceService{Name: serviceName(i), Partition: "gpu", OwnGPUs: f.Replicas[i], Scaling: c})
	}
	return all
}

// Log notes from decisions when replicas run. Its Watch is for exact.Config.WatchDecision.
type Log struct {
	SetupSeconds float64
	Servers      map[string][]Server // by service; of those that run the last is without an end
	open         map[policy.JobID]int
}

// Watch notes what a plan does to replicas.
func (l *Log) Watch(s *policy.Snapshot, plan *policy.Plan) {
	if l.Servers == nil {
		l.Servers, l.open = map[string][]Server{}, map[policy.JobID]int{}
	}
	for i := range plan.Decisions {
		d, j := &plan.Decisions[i], &s.Jobs[i]
		switch {
		case j.ReplicaOf == "":
		case d.Verb == policy.Start:
			l.open[d.Job] = len(l.Servers[j.ReplicaOf])
			l.Servers[j.ReplicaOf] = append(l.Servers[j.ReplicaOf], Server{s.ClockSeconds + l.SetupSeconds, math.Inf(1)})
		case d.Verb == policy.Stop:
			l.Servers[j.ReplicaOf][l.open[d.Job]].Until = s.ClockSeconds
		}
	}
}

// CountKept returns in how many minutes from a minute on the services kept their promises together, and of how many, and how
// many of their requests were answered late, and of how many. Of each service every third hour is looked at.
func (f *Fleet) CountKept(l *Log, from int, seed uint64) (kept, of, late, requests int) {
	for i := range f.Days {
		m := f.Answer(&f.Days[i], l.Servers[serviceName(i)], seed, i%3)
		k, n := m.CountKept(from, f.Part)
		kept, of = kept+k, of+n
		for minute := from; minute < len(m.Requests); minute++ {
			late, requests = late+m.Late[minute], requests+m.Requests[minute]
		}
	}
	return kept, of, late, requests
}
