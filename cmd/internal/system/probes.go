package system

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/probes"
	"fairbridge/cmd/settings"
	"fairbridge/nodeprobe/client"
	"fairbridge/nodeprobe/secure"
)

// ProbeKeepers are given what probes show, those that are not nil.
type ProbeKeepers struct {
	Readings func([]probes.Reading)
	Speeds   func([]bridge.SpeedReport)   // what jobs report of their speed
	Losses   func([]bridge.LossReport)    // and of their training loss
	Requests func([]bridge.RequestReport) // and, as replicas, of their requests
	Profiles func([]bridge.ProfileReport) // what is seen of jobs on their GPUs
}

// NewProbes returns the node probes of the configuration.
func NewProbes(f *settings.File, keep ProbeKeepers) (bridge.Probes, error) {
	s := &f.Probes
	if s.URL == "" {
		return bridge.NoProbes{}, nil
	}
	c := client.Config{Timeout: s.Timeout}
	var err error
	if c.TLS, err = secure.NewClientTLS(s.CAFile, s.CertFile, s.KeyFile); err != nil {
		return nil, err
	}
	if s.TokenFile != "" {
		c.Token = secure.NewTokenReader(s.TokenFile)
	}
	p := probes.New(client.New(c), s.URL, s.MaxAge, time.Now)
	p.TrustProgressReports, p.OnNewReadings, p.OnNewSpeeds, p.OnNewLosses, p.OnNewRequests, p.OnNewProfiles = s.BelieveProgress, keep.Readings, keep.Speeds, keep.Losses, keep.Requests, keep.Profiles
	return p, nil
}
