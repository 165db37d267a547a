package system

import (
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/probes"
	"fairbridge/cmd/settings"
	"fairbridge/nodeprobe/client"
	"fairbridge/nodeprobe/secure"
)

// NewProbes returns the node probes of the configuration. What they show is given to
// keep, unless that is nil.
func NewProbes(f *settings.File, keep func([]probes.Reading)) (bridge.Probes, error) {
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
	p.TrustProgressReports, p.OnNewReadings = s.BelieveProgress, keep
	return p, nil
}
