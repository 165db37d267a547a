package system

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"fairbridge/api/identity"
	"fairbridge/bridge/slurm/scontrol"
	"fairbridge/bridge/slurm/slurmdb"
	"fairbridge/cmd/settings"
)

// NewIdentifier returns what tells who asks the daemon, as the configuration says. Its Run must
// run for anybody to have rights from Slurm, and for PrivateData to be known. Over TLS munge is believed
// for the daemon's own hosts only, nil: for none.
func NewIdentifier(f *settings.File, hosts identity.Hosts, log *slog.Logger) (*identity.Identifier, error) {
	command, toldBad := scontrol.Command(f.Slurm.Scontrol), ""
	return identity.New(identity.Config{
		Unmunge: f.API.Unmunge, ProxyHeader: f.API.ProxyHeader, ProxySecretFile: f.API.ProxySecretFile,
		Operators: f.API.Operators, Private: f.API.Private, URL: browserURL(f), Hosts: hosts,
		ReadUsers: func(ctx context.Context) ([]slurmdb.User, error) {
			client, err := OpenREST(ctx, f) // anew: it may be another release by now
			if err != nil {
				return nil, err
			}
			users, bad, err := slurmdb.New(client, f.Cluster).Users(ctx)
			if text := fmt.Sprint(bad); len(bad) > 0 && text != toldBad {
				log.Warn("users of slurmdbd make no sense and have no rights from it", "count", len(bad), "users", bad)
				toldBad = text
			}
			return users, err
		},
		ReadSlurmConf: command.ReadConfig,
		ReadSlurmdbdConf: func(ctx context.Context) (map[string]string, error) {
			conf, err := command.ReadConfig(ctx)
			if err != nil {
				return nil, err
			}
			return command.ReadSlurmdbdConfig(ctx, conf)
		},
		Now: time.Now, Log: log,
	})
}

// browserURL is where browsers reach the daemon, "" where they do not.
func browserURL(f *settings.File) string {
	if f.API.Listen == "" {
		return ""
	}
	return cmp.Or(f.API.URL, "https://"+f.API.Listen)
}
