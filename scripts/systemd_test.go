package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fairbridge/scripts/executable"
)

func unit(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("systemd", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// setting returns the only value of a key of a unit; "" when it has none.
func setting(t *testing.T, text, key string) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^`+key+`=(.*)$`).FindAllStringSubmatch(text, -1)
	if len(found) > 1 {
		t.Fatalf("%s= is there %d times", key, len(found))
	}
	if len(found) == 0 {
		return ""
	}
	return found[0][1]
}

// TestACrashIsNotTheEnd: what OnFailure= names is started at each failure by some
// releases of systemd and when they give up by others. Either way everything is
// given back only when the daemon will not be started again: the script that
// decides is tried here with a systemctl that answers as systemd does in each
// state.
func TestACrashIsNotTheEnd(t *testing.T) {
	daemon := unit(t, "fairbridge.service")
	if got := setting(t, daemon, "OnFailure"); got != "fairbridge-gaveup.service" {
		t.Errorf("OnFailure=%s", got)
	}
	if got := setting(t, daemon, "RestartMode"); got != "" {
		t.Errorf("RestartMode=%s: systemd before 254 does not know it", got)
	}
	command := setting(t, unit(t, "fairbridge-gaveup.service"), "ExecStart")
	script := strings.TrimSuffix(strings.TrimPrefix(command, "/bin/sh -c '"), "'")
	if script == command || strings.Contains(script, "'") {
		t.Fatalf("ExecStart=%s", command)
	}
	for state, want := range map[string]string{
		"activating": "", "active": "", "inactive": "",
		"failed": "start --no-block fairbridge-release.service\n",
	} {
		if got := systemctlCalls(t, script, state); got != want {
			t.Errorf("while the daemon is %s: systemctl %q, want %q", state, got, want)
		}
	}
}

// systemctlCalls runs the script with a systemctl that finds the daemon in the state and
// returns what else was asked of it.
func systemctlCalls(t *testing.T, script, state string) string {
	t.Helper()
	dir := t.TempDir()
	fake := "#!/bin/sh\nif [ \"$*\" = 'is-failed --quiet fairbridge.service' ]; then test " + state + " = failed; else echo \"$*\"; fi\n"
	if err := executable.Write(filepath.Join(dir, "systemctl"), []byte(fake)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Env = []string{"PATH=" + dir + ":/bin:/usr/bin"}
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%s: %v", state, err)
	}
	return string(out)
}

// TestUsersReachTheSocket wants the folder of the API's socket to be open to users, and what
// the daemon keeps not to be.
func TestUsersReachTheSocket(t *testing.T) {
	daemon := unit(t, "fairbridge.service")
	for key, want := range map[string]string{
		"RuntimeDirectory": "fairbridge", "RuntimeDirectoryMode": "0755", "StateDirectory": "fairbridge", "StateDirectoryMode": "0700", "UMask": "0077",
	} {
		if got := setting(t, daemon, key); got != want {
			t.Errorf("%s=%s, want %s", key, got, want)
		}
	}
}

// TestUnits has systemd-analyze read every unit, the programs replaced by one
// that is there.
func TestUnits(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("needs systemd-analyze")
	}
	files, err := filepath.Glob("systemd/*")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	dir, argv := t.TempDir(), []string{"verify", "--man=no"}
	for _, name := range files {
		text := regexp.MustCompile(`(?m)^(ExecStart=)/usr/s?bin/\S+`).ReplaceAllString(unit(t, filepath.Base(name)), "${1}/bin/true")
		text = regexp.MustCompile(`(?m)^Documentation=.*\n`).ReplaceAllString(text, "")
		path := filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		argv = append(argv, path)
	}
	out, err := exec.Command(analyze, argv...).CombinedOutput()
	if err != nil || strings.Contains(string(out), dir) {
		t.Errorf("systemd-analyze: %v\n%s", err, out)
	}
}

// TestSlurmrestdIsReachedByItsGroupOnly: the token is sent where only root and the unit's own user can listen.
func TestSlurmrestdIsReachedByItsGroupOnly(t *testing.T) {
	restd := unit(t, "slurmrestd-fairbridge.service")
	for key, want := range map[string]string{
		"RuntimeDirectory": "slurmrestd-fairbridge", "RuntimeDirectoryMode": "0750", "UMask": "0007",
		"ExecStart": "/usr/sbin/slurmrestd -a rest_auth/jwt -t 4 unix:/run/slurmrestd-fairbridge/rest.sock",
	} {
		if got := setting(t, restd, key); got != want {
			t.Errorf("%s=%s, want %s", key, got, want)
		}
	}
}

// TestTheGuardComesWithTheDaemon: who starts the daemon has its harm guard, and the pages enable it.
func TestTheGuardComesWithTheDaemon(t *testing.T) {
	if got := setting(t, unit(t, "fairbridge.service"), "Wants"); !strings.Contains(got, "fairbridge-guard.timer") {
		t.Errorf("Wants=%s", got)
	}
	const enable = "systemctl enable --now fairbridge fairbridge-expire.timer fairbridge-guard.timer"
	for _, page := range []string{"admin-quickstart.md", "install.md"} {
		text, err := os.ReadFile(filepath.Join("../docs", page))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), enable) {
			t.Errorf("%s does not enable the guard's timer", page)
		}
	}
}
