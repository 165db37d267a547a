package identity

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"fairbridge/api"
	"fairbridge/api/credential"
	"fairbridge/bridge/slurm/safefile"
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

// peer is who is at the other end of a unix socket.
type peer struct {
	uid uint32
	err error // why the kernel did not tell
}

type peerKey struct{}

func peerOf(ctx context.Context) *peer {
	p, _ := ctx.Value(peerKey{}).(*peer)
	return p
}

// ConnContext notes who is at the other end of a unix socket, for http.Server.ConnContext.
func (i *Identifier) ConnContext(ctx context.Context, c net.Conn) context.Context {
	unix, ok := c.(*net.UnixConn)
	if !ok {
		return ctx
	}
	uid, err := readPeer(unix)
	return context.WithValue(ctx, peerKey{}, &peer{uid, err})
}

func readPeer(c *net.UnixConn) (uint32, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *syscall.Ucred
	if outer := raw.Control(func(fd uintptr) {
		cred, err = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}); outer != nil {
		return 0, outer
	}
	if err != nil {
		return 0, err
	}
	return cred.Uid, nil
}

// proveByPeer tells who is at the other end of a unix socket.
func (i *Identifier) proveByPeer(r *http.Request) (proof, error) {
	p := peerOf(r.Context())
	switch {
	case p == nil:
		return proof{}, nil
	case p.err != nil:
		return proof{}, refuse("the kernel did not tell who is at the other end of the socket", "try again")
	case !credential.IsUser(p.uid):
		return proof{}, refuse("the user id at the other end of the socket stands for no user", "ask as a user of this host, outside of containers with users of their own")
	}
	name, err := i.users.nameOf(r.Context(), p.uid)
	return proof{name, api.OriginSocket}, err
}

// SecretHeader is where a proxy shows its secret.
const SecretHeader = "X-Fairbridge-Secret"

// A secret of a proxy has so many bytes.
const minSecret, maxSecret = 16, 4096

// proxy is a reverse proxy that is trusted to say who asks. Its secret is kept as a hash, so
// that nothing can print it.
type proxy struct {
	header string
	secret [sha256.Size]byte
}

// newProxy reads the secret from a file that nobody else may read or change.
func newProxy(header, path string) (*proxy, error) {
	secret, err := safefile.ReadSecret(path, minSecret, maxSecret)
	if err != nil {
		return nil, err
	}
	return &proxy{http.CanonicalHeaderKey(header), sha256.Sum256(secret)}, nil
}

// proveByProxy tells whom the proxy names. Without a secret the header says nothing; a wrong
// one is refused, lest a proxy that is set up wrongly serves everybody as nobody.
func (i *Identifier) proveByProxy(r *http.Request) (proof, error) {
	secrets := r.Header.Values(SecretHeader)
	if len(secrets) == 0 {
		return proof{}, nil
	}
	if i.proxy == nil || r.TLS == nil {
		return proof{}, refuse("no proxy is trusted here (api.proxy_header)", "leave "+SecretHeader+" out")
	}
	shown := sha256.Sum256([]byte(secrets[0]))
	if len(secrets) > 1 || subtle.ConstantTimeCompare(shown[:], i.proxy.secret[:]) != 1 {
		return proof{}, refuse("the secret of the proxy is wrong", "see api.proxy_secret_file")
	}
	names := r.Header.Values(i.proxy.header)
	if len(names) != 1 || names[0] == "" {
		return proof{}, refuse("the proxy does not name one user in "+i.proxy.header, "have it replace the header that clients send")
	}
	return proof{names[0], api.OriginProxy}, i.users.check(r.Context(), names[0])
}
