// Package system joins the parts that a configuration names: the database,
// slurmrestd with its writer, the node probes, and the loop over them.
package system

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fairbridge/accounting"
	"fairbridge/accounting/runs"
	"fairbridge/accounting/stores"
	"fairbridge/api"
	"fairbridge/api/actions"
	"fairbridge/api/answers"
	"fairbridge/api/identity"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/probes"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/live"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/bridge/slurm/scontrol"
	"fairbridge/bridge/slurm/slurmdb"
	"fairbridge/bridge/slurm/writer"
	"fairbridge/cmd/internal/version"
	"fairbridge/cmd/settings"
	"fairbridge/nodeprobe/client"
	"fairbridge/nodeprobe/secure"
)

// System is everything that a command or the daemon works with.
type System struct {
	File     *settings.File
	DB       *stores.Stores
	Cluster  *live.LazyCluster
	Loop     *cycle.Loop
	Registry *prometheus.Registry // of the loop's metrics

	Stop *push.StopSwitch // of the loop

	BackfillPatience time.Duration // of views, see live.Cluster; set before the first look

	handsBack       bool // it is no daemon: it only gives back, under a leadership of its own
	ignoresStopFile bool // it writes while a STOP file exists
}

// Open joins the parts, over a database that stays the caller's to close. Slurm is
// not asked yet: the first look connects.
func Open(f *settings.File, db *stores.Stores, log *slog.Logger) (*System, error) {
	s := &System{File: f, DB: db, Registry: prometheus.NewRegistry(), Stop: &push.StopSwitch{}}
	config, err := f.LoopConfig()
	if err != nil {
		return nil, err
	}
	mayStop := slices.ContainsFunc(config.Partitions, func(p bridge.Partition) bool {
		return p.PlanMode().Allows(bridge.ModePreempt)
	})
	s.Cluster = live.NewLazyCluster(func(ctx context.Context) (*live.Cluster, error) {
		return s.dialCluster(ctx, mayStop)
	})
	probes, err := NewProbes(f, ProbeKeepers{})
	if err != nil {
		return nil, err
	}
	s.Loop, err = cycle.New(config, cycle.Parts{
		Cluster: s.Cluster, Journal: db, Leadership: db, History: db, ExpirerStatus: db, Demotions: db, OperatorActions: db, StopSwitch: s.Stop, Probes: probes,
		Metrics: cycle.NewMetrics(s.Registry), Log: log, Now: time.Now,
	})
	return s, err
}

// OpenDB returns the database of the configuration. It is not asked anything yet:
// an error is one of the connection string.
func OpenDB(ctx context.Context, f *settings.File) (*stores.Stores, error) {
	return openDB(ctx, f, accounting.Config{})
}

// Connections of a daemon's answers: questions that take long wait for each other, not the loop for them.
const (
	answersMaxConns         = 4
	answersStatementTimeout = 5 * time.Second
)

// OpenAnswersDB is OpenDB for answers to users beside the loop: with connections of their own, so that
// no question keeps the loop from its database, and less time for a statement.
func OpenAnswersDB(ctx context.Context, f *settings.File) (*stores.Stores, error) {
	return openDB(ctx, f, accounting.Config{MaxConns: answersMaxConns, StatementTimeout: answersStatementTimeout})
}

// openDB opens the database of the configuration with some connections.
func openDB(ctx context.Context, f *settings.File, c accounting.Config) (*stores.Stores, error) {
	var err error
	if c.DSN, err = f.DSN(); err != nil {
		return nil, err
	}
	db, err := stores.Open(ctx, c)
	if err == nil {
		db.HalfLife = f.Database.HalfLife
	}
	return db, err
}

// OpenREST returns the client of the slurmrestd of the configuration.
func OpenREST(ctx context.Context, f *settings.File) (*rest.Client, error) {
	return rest.Open(ctx, f.RESTConfig(), rest.PollConfig{FullEvery: f.Slurm.Refresh})
}

// checkMayWrite is asked by the writer before each write.
func (s *System) checkMayWrite(ctx context.Context) error {
	if s.handsBack {
		return ctx.Err()
	}
	return s.Loop.CheckMayPush(ctx)
}

func (s *System) dialCluster(ctx context.Context, mayStop bool) (*live.Cluster, error) {
	f, stop := s.File, s.File.StopFile
	if s.ignoresStopFile {
		stop = ""
	}
	client, err := OpenREST(ctx, f)
	if err != nil {
		return nil, err
	}
	if t, err := client.Token(); err == nil && t.WeaknessWarning(time.Now()) != "" {
		s.Loop.Log.Warn(t.WeaknessWarning(time.Now()), "see", "fairbridge doctor")
	}
	c := live.New(client, writer.New(client, writer.Config{
		CheckMayWrite: s.checkMayWrite, StopFile: stop, Rate: f.Slurm.Rate, Scontrol: f.Slurm.Scontrol, Scancel: f.Slurm.Scancel,
		LeaseMax: f.Gate.LeaseMax, AllowHardHold: f.Gate.IAcceptOrphanHolds,
	}))
	c.Scontrol, c.ReadsLimits, c.BackfillPatience = f.Slurm.Scontrol, mayStop, s.BackfillPatience
	return c, nil
}

// ImportReport says what an import brought.
type ImportReport struct {
	Cluster string `json:"cluster"`
	runs.ImportResult
	SharesRead int `json:"shares"` // accounts and users whose shares were read
}

// ImportSlurmdbd reads shares and, window by window, records from slurmdbd into the
// database. The cluster goes by Slurm's own name for it, as in the daemon.
func ImportSlurmdbd(ctx context.Context, f *settings.File, db *stores.Stores, im runs.Import) (ImportReport, error) {
	out := ImportReport{Cluster: im.Cluster}
	client, err := OpenREST(ctx, f)
	if err != nil {
		return out, err
	}
	view, err := client.Observe(ctx)
	if err != nil {
		return out, err
	}
	if view.Cluster != "" {
		out.Cluster, im.Cluster = view.Cluster, view.Cluster
	}
	reader := slurmdb.New(client, im.Cluster)
	shares, bad, err := reader.Associations(ctx)
	if err != nil {
		return out, fmt.Errorf("is slurmdbd there, and may our user read all of it (AdminLevel Operator)? %w", err)
	}
	if err := db.SetSlurmShares(ctx, im.Cluster, shares); err != nil {
		return out, err
	}
	out.SharesRead = len(shares)
	im.TypeByNode = deviceTypesByNode(view.Nodes)
	out.ImportResult, err = db.Import(ctx, reader, im)
	out.AddBad(bad)
	return out, err
}

// deviceTypesByNode returns the type of the GPUs of each node that has only one.
func deviceTypesByNode(nodes []slurm.Node) map[string]string {
	types := map[string]string{}
	for _, n := range nodes {
		if all := n.GPUs(); len(all) == 1 {
			types[n.Name] = all[0].Type
		}
	}
	return types
}

// ReadSacct reads what sacct printed of a cluster, with times in a zone unless they
// are seconds since 1970. bad are the rows that make no sense. A text that holds none that does,
// or other clusters only, is refused.
func ReadSacct(in io.Reader, name, cluster string, zone *time.Location) (rows []slurmdb.Job, bad []error, err error) {
	all, bad, err := slurmdb.ReadSacct(in, name, "", zone)
	if err == nil && len(all) == 0 && len(bad) > 0 {
		err = bad[0]
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w (nothing was imported)", err)
	}
	for _, r := range all {
		if r.Cluster == "" || r.Cluster == cluster {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 && len(all) > 0 {
		return nil, nil, fmt.Errorf("%s holds jobs of the cluster %s only, and the configuration's is %s", name,
			all[0].Cluster, cluster)
	}
	return rows, bad, nil
}

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

// NewActions returns what does what operators ask for: at once in this system's loop, elsewhere by
// the record. It reads Slurm by connections of its own, so that it is in no cycle's way.
func (s *System) NewActions() *actions.Service {
	return actions.New(actions.Parts{
		Config: s.Loop.Config, Record: s.DB, Demotions: s.DB, Ledger: s.DB, Cluster: slurmReader{s.File}, Now: time.Now, Stop: s.Stop,
	})
}

// slurmReader reads Slurm once, and connects for that: operators act seldom.
type slurmReader struct {
	file *settings.File
}

// Observe reads all of it.
func (r slurmReader) Observe(ctx context.Context) (*slurm.View, error) {
	client, err := OpenREST(ctx, r.file)
	if err != nil {
		return nil, err
	}
	return client.Observe(ctx)
}

// NewAnswers returns what answers the API's questions from a record and this system's Slurm. What
// is private is asked for each answer. The record of a daemon's answers is OpenAnswersDB, not the loop's.
func (s *System) NewAnswers(record *stores.Stores, private func() api.Privacy) *answers.Service {
	return answers.New(answers.Config{
		Cluster: s.File.Cluster, Version: version.ReadInfo().Version, Partitions: s.Loop.Partitions, MaxCycleAge: s.File.MaxCycleAge(),
	}, answers.Parts{Record: record, Slurm: s.Cluster, Privacy: private, Now: time.Now})
}
