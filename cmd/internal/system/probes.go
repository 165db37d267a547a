package system

import (
	"time"

	"fairbridge/accounting/samples"
	"fairbridge/bridge"
	"fairbridge/bridge/probes"
	"fairbridge/cmd/settings"
	"fairbridge/nodeprobe/client"
	"fairbridge/nodeprobe/secure"
	"fairbridge/policy"
)

// Probes returns the node probes of the configuration. What they show is given to
// keep, unless that is nil.
func Probes(f *settings.File, keep func([]samples.Reading)) (bridge.Probes, error) {
	s := &f.Probes
	if s.URL == "" {
		return bridge.NoProbes{}, nil
	}
	c := client.Config{Timeout: s.Timeout}
	var err error
	if c.TLS, err = secure.Client(s.CAFile, s.CertFile, s.KeyFile); err != nil {
		return nil, err
	}
	if s.TokenFile != "" {
		c.Token = secure.Token(s.TokenFile)
	}
	p := probes.New(client.New(c), s.URL, s.MaxAge, time.Now)
	p.Believe = s.Believe
	if keep != nil {
		p.Keep = func(list []probes.Reading) { keep(readingsFrom(list)) }
	}
	return p, nil
}

// readingsFrom returns what was seen as the database keeps it.
func readingsFrom(list []probes.Reading) []samples.Reading {
	out := make([]samples.Reading, len(list))
	for i, s := range list {
		out[i] = samples.Reading{
			At: s.At, Node: s.Node, UUID: s.UUID, Type: s.Type, Job: policy.JobID(s.Job), Busy: s.Busy, Mem: s.Mem, Draw: s.Watts,
			Procs: s.Procs, Sharing: s.Sharing, Sick: s.Sick, Throttled: s.Throttled,
		}
	}
	return out
}
