package identity

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"fairbridge/api"
	"fairbridge/bridge/slurm/slurmdb"
)

// Config is how it is told who asks. Only Now and Log must be given.
type Config struct {
	Unmunge         []string // the command that decodes a credential of munge; empty: none is accepted
	ProxyHeader     string   // names who asks where a proxy shows the secret; "": no proxy is trusted
	ProxySecretFile string
	Operators       []string // users, and @groups of this host
	Private         []string // jobs, usage, nodes, or none; empty: as PrivateData of slurm.conf and slurmdbd.conf
	URL             string   // where browsers reach the daemon, for links; "": nowhere
	Hosts           Hosts    // the daemon's own names; nil: no credential of munge is believed over TLS
	// ReadUsers asks slurmdbd what its users may do; nil: nobody has rights from there.
	ReadUsers func(context.Context) ([]slurmdb.User, error)
	// ReadSlurmConf asks for slurmctld's settings; nil: PrivateData is not known.
	ReadSlurmConf func(context.Context) (map[string]string, error)
	// ReadSlurmdbdConf asks for slurmdbd's settings, none where there is no slurmdbd; nil: it is not asked.
	ReadSlurmdbdConf func(context.Context) (map[string]string, error)
	Now              func() time.Time
	Log              *slog.Logger
}

// Hosts tells by which names the daemon may be asked over TLS.
type Hosts interface {
	IsOwn(hostPort string) bool // a request's Host names this daemon
	List() []string             // addresses by which it may be asked, the best first
}

// Identifier tells who sends a request. Its methods may be called at the same time.
type Identifier struct {
	cfg       Config
	users     *hostUsers
	proxy     *proxy // nil: none is trusted
	munge     *mungeDecoder
	links     *tokenStore
	sessions  *tokenStore
	rights    *refreshed[map[string]slurmdb.User]
	slurmConf *refreshed[map[string]string]
	dbdConf   *refreshed[map[string]string]
}

// New returns an Identifier. It fails where the proxy's secret cannot be read, or should not be
// believed. Run must run for anybody to have rights from Slurm.
func New(cfg Config) (*Identifier, error) {
	i := &Identifier{
		cfg: cfg, users: newHostUsers(cfg.Now), munge: newMungeDecoder(cfg.Unmunge, cfg.Now),
		links: newTokenStore(cfg.Now, linkLife, maxLinksOfUser), sessions: newTokenStore(cfg.Now, sessionLife, maxSessionsOfUser),
		rights:    &refreshed[map[string]slurmdb.User]{name: "what users may do in Slurm", now: cfg.Now, log: cfg.Log},
		slurmConf: &refreshed[map[string]string]{name: "PrivateData of slurm.conf", now: cfg.Now, log: cfg.Log},
		dbdConf:   &refreshed[map[string]string]{name: "PrivateData of slurmdbd.conf", now: cfg.Now, log: cfg.Log},
	}
	if cfg.ReadUsers != nil {
		i.rights.read = func(ctx context.Context) (map[string]slurmdb.User, error) { return readRights(ctx, cfg.ReadUsers) }
	}
	i.slurmConf.read = cfg.ReadSlurmConf
	if len(cfg.Private) == 0 {
		i.dbdConf.read = cfg.ReadSlurmdbdConf
	}
	if cfg.ProxyHeader == "" {
		return i, nil
	}
	p, err := newProxy(cfg.ProxyHeader, cfg.ProxySecretFile)
	if err != nil {
		return nil, fmt.Errorf("reading the secret of the proxy (api.proxy_secret_file): %w", err)
	}
	i.proxy = p
	return i, nil
}

// Run keeps what is known of rights and of PrivateData fresh until the context ends.
func (i *Identifier) Run(ctx context.Context) {
	var all sync.WaitGroup
	for _, run := range []func(context.Context){i.slurmConf.run, i.dbdConf.run, i.rights.run} {
		all.Go(func() { run(ctx) })
	}
	all.Wait()
}

// proof is a user that a part of a request proves, and how.
type proof struct{ user, origin string }

// Identify tells who sends a request, and their role. It reads the body where a munge
// credential is bound to it, and leaves it to be read again. Its errors have an *api.Error: for
// no proof, one that is not good, or several of different users.
func (i *Identifier) Identify(r *http.Request) (api.Viewer, error) {
	if r.TLS == nil && peerOf(r.Context()) == nil {
		return api.Viewer{}, refuse("the connection is neither a unix socket nor TLS", "ask over https")
	}
	var found []proof
	for _, prove := range []func(*http.Request) (proof, error){i.proveByMunge, i.proveByPeer, i.proveByProxy, i.proveByCookie} {
		p, err := prove(r)
		if err != nil {
			return api.Viewer{}, err
		}
		if p.user != "" {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		return api.Viewer{}, refuse("it is not proven who asks", tryProve)
	}
	for _, p := range found[1:] {
		if p.user != found[0].user {
			return api.Viewer{}, refuse("the request has credentials of different users ("+found[0].origin+" and "+p.origin+")", "send one")
		}
	}
	return i.newViewer(r.Context(), found[0]), nil
}

const tryProve = "ask by the fairbridge command on a host of the cluster where munge runs; for a browser, fairbridge link there"

func refuse(message, try string) *api.Error {
	return &api.Error{Code: api.CodeUnauthenticated, Message: message, Try: try}
}
