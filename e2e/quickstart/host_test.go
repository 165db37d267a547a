package quickstart

import (
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/pglocal"
	"fairbridge/scripts/throwaway"
)

// host is where the page is followed: the inside of a throw-away Slurm.
type host struct {
	t      *testing.T
	slurm  *throwaway.Cluster
	filled *strings.Replacer // what the reader of the page puts in its place
	jobs   []string          // as a user names them
}

func newHost(t *testing.T) *host {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a real Slurm; not with -short")
	}
	bin, err := pglocal.FindServerPrograms()
	if errors.Is(err, pglocal.ErrNoPostgres) {
		t.Skip(err)
	}
	c, err := throwaway.StartSlurm(t.Context(), "", throwaway.Options{NodeCount: 2, GPUsPerNode: 4})
	if errors.Is(err, throwaway.ErrUnavailable) && os.Getenv("FAIRBRIDGE_REQUIRE_SLURM") != "1" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Stop() })
	metrics := sparePort(t, c)
	h := &host{t: t, slurm: c}
	today := time.Now().UTC().Add(-24 * time.Hour)
	h.filled = strings.NewReplacer(
		"/usr/bin/", "/usr/local/bin/", "/tmp/", "/run/tmp/", // the machine's own stay as they are
		"cluster: mycluster\n", "cluster: lab\ninterval: 2s\nlisten: localhost:"+metrics+"\n",
		"2026-01-01", today.Format(time.DateOnly), "2026-02-01", today.Add(72*time.Hour).Format(time.DateOnly))
	programs := t.TempDir()
	build := exec.CommandContext(
		t.Context(),
		"go",
		"build",
		"-o",
		programs+"/",
		"fairbridge/cmd/fairbridge",
		"fairbridge/cmd/fairbridge-lab",
	)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	h.run("bash", "testdata/host", bin, workDir, filepath.Join(programs, "fairbridge"), h.scripts(), "testdata/bin")
	return h
}

// workDir is where the page's commands are typed, inside.
const workDir = "/run/clone"

// sparePort returns a port of the block of 16 that scripts/slurm/ports.sh reserves for a cluster, which uses five of it: one that was
// free a moment ago could be somebody else's by the time that it is listened on.
func sparePort(t *testing.T, c *throwaway.Cluster) string {
	t.Helper()
	u, err := url.Parse(c.URL)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := strconv.Atoi(u.Port()) // the third of the block
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(rest + 6)
}

// scripts returns a copy of the project's units with the places filled in.
func (h *host) scripts() string {
	dir := filepath.Join(h.t.TempDir(), "scripts")
	if err := os.MkdirAll(dir+"/systemd", 0o755); err != nil {
		h.t.Fatal(err)
	}
	units, err := filepath.Glob("../../scripts/systemd/*")
	if err != nil || len(units) == 0 {
		h.t.Fatalf("no units: %v", err)
	}
	for _, unit := range units {
		text, err := os.ReadFile(unit)
		if err == nil {
			err = os.WriteFile(
				filepath.Join(dir, "systemd", filepath.Base(unit)),
				[]byte(h.filled.Replace(string(text))),
				0o644,
			)
		}
		if err != nil {
			h.t.Fatal(err)
		}
	}
	return dir
}

// run runs a command inside as root.
func (h *host) run(argv ...string) string {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 5*time.Minute)
	defer cancel()
	wd, err := os.Getwd()
	if err != nil {
		h.t.Fatal(err)
	}
	argv = append(
		[]string{"env", "-C", wd, "PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"},
		argv...)
	out, err := h.slurm.Run(ctx, "root", argv...)
	if err != nil {
		h.t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// root types lines as root, each of which must succeed.
func (h *host) root(text string) string {
	h.t.Helper()
	return h.run("bash", "-euo", "pipefail", "-c", "cd "+workDir+"\n"+text)
}

// try types lines as root that may fail.
func (h *host) try(text string) string { return h.root(text + " 2>&1 || true") }

// user types a line as a user of Slurm.
func (h *host) user(name, line string) string {
	h.t.Helper()
	return strings.TrimSpace(
		h.run("setpriv", "--reuid", name, "--regid", name, "--init-groups", "--", "bash", "-ec", "cd ~"+name+"; "+line),
	)
}

// write writes a file inside.
func (h *host) write(path, text string) {
	h.t.Helper()
	h.root("cat >" + path + " <<'END'\n" + text + "END\n")
}

// sql asks the database as its superuser.
func (h *host) sql(query string) string {
	h.t.Helper()
	return strings.TrimSpace(h.root(`sudo -u postgres psql -Atd fairbridge -c "` + query + `"`))
}

// until waits for what must come.
func (h *host) until(what string, ok func() bool) {
	h.t.Helper()
	for looks := 0; !ok(); looks++ { // not seconds: on a busy machine a look takes some
		if looks == 360 {
			h.t.Fatalf("not in 360 looks: %s\n%s\n%s", what, h.try("squeue"), h.try("journalctl -u fairbridge"))
		}
		time.Sleep(500 * time.Millisecond)
	}
}
