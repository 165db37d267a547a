package throwaway

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// onChangedHost gets the scripts' directory and one for Slurm. It puts a copy of /etc over this machine's, so that what
// follows cannot touch that one, and then does to it what useradd and packages do: new files are renamed over old ones.
const onChangedHost = `set -eu
mount -t tmpfs host /mnt
cp -a /etc/. /mnt/
mount --bind /mnt /etc
"$1/up" "$2" 1 1 --foreground-pid $$
for f in passwd group hosts nsswitch.conf; do
	echo "root:x:0:0::/root:/bin/sh" >/etc/$f.new
	mv /etc/$f.new /etc/$f
done
rm -rf /etc/slurm /etc/munge
! getent passwd postgres alice >/dev/null || { echo "the host did not change" >&2; exit 1; }
"$1/in" "$2" getent passwd mysql munge slurm rest
AS=alice "$1/in" "$2" srun -p gpu --gres=gpu:1 --mem=10 -t 1 id -un
"$1/in" "$2" sacctmgr -nP list user alice format=user
"$1/down" "$2"
`

func TestSlurmOutlivesChangesOfTheHostsEtc(t *testing.T) {
	if testing.Short() {
		t.Skip("brings up a Slurm; not with -short")
	}
	dir := shortDir(t)
	skipUnlessPossible(t, checkPrerequisites(t.Context(), filepath.Join(dir, toolsDir), ""))
	if os.Geteuid() != 0 {
		t.Skip("needs root for a host of its own")
	}
	before := read(t, "/etc/passwd")
	cmd := exec.CommandContext(t.Context(), "unshare", "-m", "bash", "-c", onChangedHost, "host", filepath.Join(dir, toolsDir), dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.HasSuffix(string(out), "\nalice\nalice\n") {
		t.Errorf("alice ran no job, or is not known:\n%s", out)
	}
	if read(t, "/etc/passwd") != before {
		t.Error("this machine's own /etc/passwd changed")
	}
}

// shortDir is a directory for a Slurm, with the scripts in it, that goes with the test.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := prepareDir("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("../slurm/down", dir, "--wipe").CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	return dir
}

// TestStartEndsWithItsDaemons: it does not wait for what cannot come any more, and the log it names is there, also in a
// directory that it would remove at the end.
func TestStartEndsWithItsDaemons(t *testing.T) {
	if testing.Short() {
		t.Skip("brings up parts of a Slurm; not with -short")
	}
	t.Setenv("FAIRBRIDGE_SLURM_WAIT", "3600")
	dir := shortDir(t)
	tables, key := dir+"/var/mysql/mysql", dir+"/etc/slurm/jwt.key"
	makeDir(t, tables) // a database without its tables
	startEnds(t, dir, "", "mariadbd", "mariadb.log")

	for _, path := range []string{dir + "/var/mysql", key} {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	makeDir(t, key) // no key to check tokens by
	startEnds(t, dir, "", "slurmdbd", "slurmdbd.out")

	log := startEnds(t, "", "SchedulerType=sched/nosuch", "slurmctld", "slurmctld.out")
	if err := os.RemoveAll(filepath.Join(filepath.Dir(log), "../..")); err != nil {
		t.Error(err)
	}
}

func makeDir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

// startEnds starts a Slurm whose daemon ends at its start, and returns the log that the error names.
func startEnds(t *testing.T, dir, extraConf, daemon, log string) string {
	t.Helper()
	c, err := StartSlurm(t.Context(), dir, Options{NodeCount: 1, GPUsPerNode: 1, ExtraConf: extraConf})
	if err == nil {
		_ = c.Stop()
		t.Fatalf("a Slurm is up without %s", daemon)
	}
	skipUnlessPossible(t, unlessUnavailable(err))
	_, path, ok := strings.Cut(err.Error(), daemon+" has exited; read ")
	path, _, _ = strings.Cut(path, "\n")
	if !ok || filepath.Base(path) != log || read(t, path) == "" {
		t.Fatalf("the error names no log of %s: %v", daemon, err)
	}
	processesGone(t, filepath.Join(filepath.Dir(path), "../.."))
	return path
}

// unlessUnavailable is the error if it says that no Slurm can run here, else nil.
func unlessUnavailable(err error) error {
	if errors.Is(err, ErrUnavailable) {
		return err
	}
	return nil
}
