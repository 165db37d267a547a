package loginnode

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"fairbridge/accounting/pglocal/pgtest"
	"fairbridge/api/credential/mungetest"
	"fairbridge/gear/slurmtest"
)

// proxySecret is what a reverse proxy would show.
const proxySecret = "a-secret-that-only-the-proxy-knows"

// stage is a cluster's host ctl with the daemon, and a login node.
type stage struct {
	t          *testing.T
	dir        string
	ctl, login *host
	munged     *mungetest.Munged // of the login node
	program    string
	daemonPID  int
	log        *syncBuffer
	play       play
	slurm      *slurmtest.Server
	stopSlurm  func() error
}

// play is what a stage is for: who waits in its queue, and what fairbridge may do about it.
type play struct {
	mode     string // of the partition
	interval string
	jobs     int    // in the queue, among which a few are alice's
	more     string // lines of the configuration
}

// writes counts the requests to Slurm that were to change something.
func (s *stage) writes() (n int) {
	for _, call := range s.slurm.Calls() {
		if call.IsWrite {
			n++
		}
	}
	return n
}

// newStage builds all of it and waits for the first cycle.
func newStage(t *testing.T, p play) *stage {
	t.Helper()
	requireNamespaces(t)
	dir, err := os.MkdirTemp("/tmp", "fairbridge-login-")
	if err == nil {
		err = os.Chmod(dir, 0o711)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &stage{t: t, dir: dir, log: &syncBuffer{}, play: p}
	s.build()
	s.ctl = newHost(t, s.folder("ctl"), "alice", "bob", "carol", "oper", "fairbridge")
	s.login = newHost(t, s.folder("login"), "alice", "bob", "carol", "oper", "mallory")
	connect(t, s.ctl, s.login)
	key := mungetest.NewKey(t, s.folder("key"))
	s.ctl.startMunged(key)
	s.munged = s.login.startMunged(key)
	s.startDaemon()
	s.writeClient()
	s.awaitCycle()
	return s
}

func (s *stage) folder(name string) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.Mkdir(path, 0o755); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// write writes a file of the daemon's user.
func (s *stage) write(name, text string, mode os.FileMode) string {
	s.t.Helper()
	path := filepath.Join(s.dir, "conf", name)
	err := os.WriteFile(path, []byte(text), mode)
	if err == nil {
		err = os.Chown(path, users["fairbridge"], users["fairbridge"])
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return path
}

func (s *stage) build() {
	s.t.Helper()
	s.program = filepath.Join(s.dir, "fairbridge")
	cmd := exec.Command("go", "build", "-o", s.program, "fairbridge/cmd/fairbridge")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("building fairbridge: %v\n%s", err, out)
	}
}

// newCertificate makes a certificate of ctl.
func (s *stage) newCertificate() (cert, key string) {
	s.t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), DNSNames: []string{"ctl"}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, c, c, private.Public(), private)
	if err != nil {
		s.t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}))
}

const configText = `
cluster: lab
slurm: {url: %q, scontrol: [%q], accounting: 0s}
database: {dsn_file: %q}
partitions: [{name: gpu, mode: %s}]
interval: %s
listen: ""
journal: %q
stop_file: %q
api:
  socket: %q
  listen: 10.0.0.1:9812
  url: https://ctl:9812
  cert_file: %q
  key_file: %q
  proxy_header: X-Remote-User
  proxy_secret_file: %q
  rate: 1000
  burst: 1000
%s`

// startDaemon starts fairbridge run on ctl, as a user without rights.
func (s *stage) startDaemon() {
	s.t.Helper()
	conf := s.folder("conf")
	if err := os.Chown(conf, users["fairbridge"], users["fairbridge"]); err != nil {
		s.t.Fatal(err)
	}
	dsn := pgtest.NewDatabase(s.t)
	if u, err := url.Parse(dsn); err != nil || os.Chmod(u.Query().Get("host"), 0o711) != nil { // its folder is Postgres's user's alone
		s.t.Fatal(err)
	}
	cert, key := s.newCertificate()
	s.login.root("mkdir", "-p", "/etc/fairbridge")
	if err := os.WriteFile(filepath.Join(s.login.etc, "fairbridge", "ca.pem"), []byte(cert), 0o644); err != nil {
		s.t.Fatal(err)
	}
	var slurmURL string
	s.slurm, slurmURL, s.stopSlurm = startSlurm(s.t, s.dir, s.play.jobs)
	config := s.write("fairbridge.yaml", fmt.Sprintf(configText, slurmURL, newScontrol(s.t, s.dir), s.write("dsn", dsn, 0o600), s.play.mode, s.play.interval,
		filepath.Join(conf, "journal"), filepath.Join(conf, "STOP"), filepath.Join(conf, "api.sock"),
		s.write("cert.pem", cert, 0o644), s.write("key.pem", key, 0o600), s.write("secret", proxySecret, 0o600), s.play.more), 0o600)
	if out, err := s.ctl.command(s.t.Context(), "fairbridge", nil, s.program, "-c", config, "db", "init").CombinedOutput(); err != nil {
		s.t.Fatalf("making the database: %v\n%s", err, out)
	}
	s.runDaemon(config)
}

// watch ends a program when its standard input ends, which it does with this process.
const watch = `"$@" <&- >&2 & echo $!; read -r _; kill $!; wait $!`

func (s *stage) runDaemon(config string) {
	s.t.Helper()
	cmd := s.ctl.command(context.Background(), "fairbridge", nil, "sh", "-c", watch, "daemon", s.program, "-c", config, "run")
	cmd.Stderr = s.log
	in, err := cmd.StdinPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	t := s.t
	t.Cleanup(func() {
		in.Close()
		kill := time.AfterFunc(time.Minute, func() { _ = syscall.Kill(s.daemonPID, syscall.SIGKILL) })
		_ = cmd.Wait()
		kill.Stop()
		if t.Failed() {
			t.Logf("the daemon said:\n%s", s.log)
		}
	})
	if _, err := fmt.Fscan(out, &s.daemonPID); err != nil {
		t.Fatal(err)
	}
}

// writeClient installs the login node's client.yaml: all that its users have.
func (s *stage) writeClient() {
	s.t.Helper()
	text := "url: https://ctl:9812\nca_file: /etc/fairbridge/ca.pem\n"
	if err := os.WriteFile(filepath.Join(s.login.etc, "fairbridge", "client.yaml"), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// awaitCycle waits until the daemon answers with jobs, and knows what is private.
func (s *stage) awaitCycle() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 3*time.Minute)
	defer cancel()
	for {
		out, err := s.login.command(ctx, "oper", nil, s.program, "queue", "--json").CombinedOutput()
		if err == nil && strings.Contains(string(out), `"alice"`) {
			return
		}
		select {
		case <-ctx.Done():
			s.t.Fatalf("no answer within three minutes: %v\n%s", err, out)
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// syncBuffer is text that a process writes while others read it.
type syncBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
