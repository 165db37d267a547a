package main

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"fairbridge/accounting"
	"fairbridge/bridge"
	"fairbridge/bridge/probes"
	"fairbridge/bridge/slurm"
	"fairbridge/cmd/fairbridge/settings"
	"fairbridge/nodeprobe"
	"fairbridge/nodeprobe/client"
	"fairbridge/policy"
)

// unmeasured stands for probes where there are none.
type unmeasured struct{}

func (unmeasured) Sample(context.Context, *slurm.View) (map[string][]policy.Devices, error) {
	return nil, nil
}

// probesOf returns the node probes of the configuration. What they measure is
// kept by keep, unless that is nil.
func probesOf(f *settings.File, keep *accounting.DB) bridge.Probes {
	if f.Probes.URL == "" {
		return unmeasured{}
	}
	pull := puller{client.New(client.Config{Timeout: f.Probes.Timeout}), keep, f.Cluster}
	return probes.New(pull, f.Probes.URL, f.Probes.MaxAge, time.Now)
}

// puller asks the probes and keeps what they say.
type puller struct {
	*client.Client
	keep    *accounting.DB
	cluster string
}

// Pull implements probes.Puller.
func (p puller) Pull(ctx context.Context, addresses map[string]string) (map[string]nodeprobe.Sample, error) {
	samples, err := p.Client.Pull(ctx, addresses)
	list := readings(samples)
	if p.keep == nil || len(list) == 0 {
		return samples, err
	}
	return samples, errors.Join(err, p.keep.RecordReadings(ctx, p.cluster, list))
}

// readings returns what the samples show of each GPU, in order of node.
func readings(samples map[string]nodeprobe.Sample) []accounting.Reading {
	var list []accounting.Reading
	for _, node := range slices.Sorted(maps.Keys(samples)) {
		s := samples[node]
		for i := range s.GPUs {
			g := &s.GPUs[i]
			list = append(list, accounting.Reading{
				At: s.At, Node: node, UUID: g.UUID, Type: g.Model, Job: policy.JobID(ownerOf(g)),
				Busy: policy.Measure(g.Busy), Mem: memory(g), Draw: policy.Measure(g.Watts),
			})
		}
	}
	return list
}

// ownerOf returns the job whose process runs on the GPU, 0 when there is none.
func ownerOf(g *nodeprobe.GPU) int64 {
	for _, p := range g.Procs {
		if p.Owner.Job != 0 {
			return p.Owner.Job
		}
	}
	return 0
}

func memory(g *nodeprobe.GPU) policy.Measure {
	if !g.MemUsedMB.Known || !g.MemTotalMB.Known || g.MemTotalMB.Value <= 0 {
		return policy.Measure{}
	}
	return policy.Known(g.MemUsedMB.Value / g.MemTotalMB.Value)
}
