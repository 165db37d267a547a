package throwaway

import (
	"bufio"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// portHolder is a shell that has reserved ports, or failed to, and holds them until its input ends.
type portHolder struct {
	cmd    *exec.Cmd
	input  io.WriteCloser
	output *bufio.Reader
}

// reservePorts starts one. The ports are those from 16 on, in so many blocks of 16, of which 33 is in use.
func reservePorts(t *testing.T, locks, blocks, count string) *portHolder {
	t.Helper()
	file, err := filepath.Abs("../slurm/ports.sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", `die() { echo "$*"; exit 1; }
		. "$1"; ports_in_use() { echo 33; }
		reserve_ports "$2"; sleep 1000 & keeper=$!; echo "$PORT_BASE"; read -r _ || true; kill $keeper; wait $keeper || true`, "bash", file, count)
	cmd.Env = append(cmd.Environ(), "PORT_LOCKS="+locks, "PORT_FIRST=16", "PORT_BLOCKS="+blocks)
	h := &portHolder{cmd: cmd}
	if h.input, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	h.output = bufio.NewReader(out)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.end)
	return h
}

func (h *portHolder) answer() string {
	line, _ := h.output.ReadString('\n')
	return strings.TrimSpace(line)
}

func (h *portHolder) end() {
	_ = h.input.Close()
	_ = h.cmd.Wait()
}

// TestPortsAreReserved: clusters that start at the same moment get ports of their own, and a
// cluster that has ended gives its ports back.
func TestPortsAreReserved(t *testing.T) {
	locks := filepath.Join(t.TempDir(), "locks")
	var holders []*portHolder
	for range 8 {
		holders = append(holders, reservePorts(t, locks, "9", "7")) // one block is in use
	}
	holderByPort := map[string]*portHolder{}
	for _, h := range holders {
		port := h.answer()
		if holderByPort[port] != nil || port == "32" {
			t.Errorf("port %s was handed out twice, or is in use", port)
		}
		holderByPort[port] = h
	}
	if got := reservePorts(t, locks, "9", "7").answer(); !strings.Contains(got, "no 7 free ports") {
		t.Errorf("with all taken: %q", got)
	}
	for port, h := range holderByPort {
		h.end()
		if got := reservePorts(t, locks, "9", "7").answer(); got != port {
			t.Errorf("after %s was given back: %q", port, got)
		}
		break
	}
	if got := reservePorts(t, filepath.Join(t.TempDir(), "others"), "4", "20").answer(); got != "48" {
		t.Errorf("two blocks in a row beside one in use: %q, want 48", got)
	}
}
