package loginnode

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"fairbridge/api/credential/mungetest"
)

// host is a host of the test: a network, and files below /etc and /run, of its own. It is there as long as the
// process that holds it, which ends with this one: nothing of it is seen outside or left behind.
type host struct {
	t   *testing.T
	pid int
	etc string // what it sees as /etc
}

// users have the same ids on both hosts; mallory is known on the login node only.
var users = map[string]int{"alice": 70001, "bob": 70002, "carol": 70003, "oper": 70004, "mallory": 70005, "fairbridge": 70010}

// hold is the first process of a host: it lays the host's files over the machine's and waits.
const hold = `set -e
mount --bind "$1" /etc
mount -t tmpfs -o mode=755 none /run
mkdir /run/munge /run/fairbridge
ip link set lo up
echo ready
read -r _ || true`

// requireNamespaces skips the test where hosts cannot be made.
func requireNamespaces(t *testing.T) {
	t.Helper()
	for _, name := range []string{"unshare", "nsenter", "setpriv", "ip", "getent", "munged", "munge", "unmunge"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
	if out, err := exec.Command("unshare", "--net", "--mount", "sh", "-c", "ip link add fairbridge0 type veth peer name fairbridge1").CombinedOutput(); err != nil {
		t.Skipf("namespaces and networks cannot be made here (root can): %v: %s", err, out)
	}
}

// newHost makes a host that knows some of the users.
func newHost(t *testing.T, dir string, known ...string) *host {
	t.Helper()
	h := &host{t: t, etc: filepath.Join(dir, "etc")}
	if out, err := exec.Command("cp", "-a", "/etc", h.etc).CombinedOutput(); err != nil {
		t.Fatalf("copying /etc: %v: %s", err, out)
	}
	_ = os.RemoveAll(filepath.Join(h.etc, "fairbridge"))
	for _, file := range []string{"passwd", "group"} {
		var lines strings.Builder
		for _, user := range known {
			fmt.Fprintf(&lines, map[string]string{"passwd": "%s:x:%[2]d:%[2]d::/:/bin/sh\n", "group": "%s:x:%[2]d:\n"}[file], user, users[user])
		}
		h.append(file, lines.String())
	}
	h.append("hosts", "10.0.0.1 ctl\n10.0.0.2 login\n")
	cmd := exec.Command("unshare", "--net", "--mount", "--propagation", "private", "sh", "-c", hold, "host", h.etc)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("a host does not come up: %q %v", line, err)
	}
	h.pid = cmd.Process.Pid // unshare becomes the shell
	return h
}

// append adds to a file below /etc.
func (h *host) append(name, text string) {
	h.t.Helper()
	f, err := os.OpenFile(filepath.Join(h.etc, name), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		h.t.Fatal(err)
	}
}

// connect lays a cable between two hosts.
func connect(t *testing.T, ctl, login *host) {
	t.Helper()
	ctl.root("ip", "link", "add", "wire0", "type", "veth", "peer", "name", "wire0", "netns", strconv.Itoa(login.pid))
	for h, address := range map[*host]string{ctl: "10.0.0.1/30", login: "10.0.0.2/30"} {
		h.root("ip", "address", "add", address, "dev", "wire0")
		h.root("ip", "link", "set", "wire0", "up")
	}
}

// words are a command that runs another on the host, as a user.
func (h *host) words(user string) []string {
	list := []string{"nsenter", "-t", strconv.Itoa(h.pid), "-n", "-m", "--"}
	if user == "root" {
		return list
	}
	id := strconv.Itoa(users[user])
	return append(list, "setpriv", "--reuid", id, "--regid", id, "--clear-groups", "--")
}

// command runs a program on the host as a user, with nothing in its environment but what is given.
func (h *host) command(ctx context.Context, user string, env []string, argv ...string) *exec.Cmd {
	list := append(h.words(user), argv...)
	cmd := exec.CommandContext(ctx, list[0], list[1:]...)
	cmd.Dir = "/"
	cmd.Env = append([]string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/", "LC_ALL=C.UTF-8"}, env...)
	cmd.WaitDelay = time.Second
	return cmd
}

// root runs a program as root, which must succeed.
func (h *host) root(argv ...string) {
	h.t.Helper()
	if out, err := h.command(h.t.Context(), "root", nil, argv...).CombinedOutput(); err != nil {
		h.t.Fatalf("%v: %v: %s", argv, err, out)
	}
}

// startMunged starts the host's munged, where its commands look for it.
func (h *host) startMunged(key string) *mungetest.Munged {
	h.t.Helper()
	m := mungetest.Start(h.t, key, h.words("root")...)
	h.root("ln", "-s", m.Socket, "/run/munge/munge.socket.2")
	return m
}

// dial connects to an address as a program on the host would.
func (h *host) dial(ctx context.Context, network, address string) (net.Conn, error) {
	type dialled struct {
		conn net.Conn
		err  error
	}
	done := make(chan dialled, 1)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine, as it is on another host now
		ns, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", h.pid))
		if err == nil {
			defer ns.Close()
			err = unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET)
		}
		if err != nil {
			done <- dialled{err: err}
			return
		}
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		done <- dialled{c, err}
	}()
	d := <-done
	return d.conn, d.err
}
