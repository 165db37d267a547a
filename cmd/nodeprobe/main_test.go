package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"fairbridge/nodeprobe"
	"fairbridge/nodeprobe/client"
	"fairbridge/nodeprobe/fakenvml"
)

// The probe starts itself for its child; here that is this test program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == readerCommandName {
		os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// driver builds a fake driver whose GPUs follow the returned file.
func driver(t *testing.T) (lib, state string) {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("needs gcc to build a fake driver library")
	}
	dir := t.TempDir()
	lib, err := fakenvml.BuildLibrary(dir)
	if err != nil {
		t.Fatal(err)
	}
	state = filepath.Join(dir, "state")
	t.Setenv(fakenvml.StateVariable, state)
	return lib, state
}

func write(t *testing.T, path string, gpus ...fakenvml.GPU) {
	t.Helper()
	if err := fakenvml.WriteState(path, gpus); err != nil {
		t.Fatal(err)
	}
}

func command(args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = run(context.Background(), args, &o, &e)
	return code, o.String(), e.String()
}

func TestWrongUsage(t *testing.T) {
	for args, says := range map[string]string{
		"--bogus":        "unknown flag",
		"extra":          "extra",
		"--interval 1ms": "--interval 1ms: give between",
		"--interval x":   "invalid argument",
		"--deadline 2h":  "--deadline",
		"--listen=":      "--listen",
		"--node=":        "--node is empty",
		"--listen :9810": "give --token-file, or --client-ca",
		"--listen 0.0.0.0:9810 --tls-cert x --tls-key y": "give --token-file, or --client-ca", // a certificate of its own keeps nobody out
		"--listen gpu7:9810":                             "give --token-file, or --client-ca",
		"--json":                                         "--json needs --once",
	} {
		if code, _, errs := command(strings.Fields(args)...); code != exitUsage || !strings.Contains(errs, says) {
			t.Errorf("%s: %d %q, want %d and %q", args, code, errs, exitUsage, says)
		}
	}
	for _, o := range []options{
		{listenAddress: "127.0.0.1:9810"}, {listenAddress: "localhost:0"}, {listenAddress: "[::1]:9810"}, {listenAddress: "unix:/x"}, {listenAddress: ":9810", tokenFile: "x"},
		{listenAddress: ":9810", certFile: "x", keyFile: "y", clientCAFile: "z"}, {listenAddress: ":9810", samplesOnce: true},
	} {
		o.interval, o.readDeadline, o.nodeName = time.Second, time.Second, "n1"
		if err := o.checkFlags(); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if code, out, _ := command("--help"); code != exitOK || !strings.Contains(out, "nodeprobe --once --json") || strings.Contains(out, readerCommandName) {
		t.Errorf("help: %d\n%s", code, out)
	}
	if code, out, _ := command("version"); code != exitOK || !strings.HasPrefix(out, "nodeprobe ") {
		t.Errorf("version: %d %s", code, out)
	}
	if code, _, errs := command("--listen", "unix:/nonexistent/x.sock"); code != exitFailed || !strings.Contains(errs, "--listen unix:/nonexistent/x.sock") {
		t.Errorf("a socket nowhere: %d %s", code, errs)
	}
}

func TestIntervalBeyondTheWatchdog(t *testing.T) {
	t.Setenv("WATCHDOG_USEC", "120000000")
	t.Setenv("WATCHDOG_PID", strconv.Itoa(os.Getpid()))
	if code, _, errs := command("--interval", "90s"); code != exitUsage || !strings.Contains(errs, "WatchdogSec, 2m0s") {
		t.Errorf("%d %s", code, errs)
	}
}

func TestOnce(t *testing.T) {
	lib, state := driver(t)
	write(t, state, fakenvml.GPU{Model: "NVIDIA H100", BusyPercent: 93, UsedMB: 5, Watts: 311, TempC: 60}, fakenvml.GPU{ExtraWords: "na=busy lost"})
	code, out, errs := command("--once", "--nvml", lib, "--node", "n1")
	for _, want := range []string{"node n1, driver 550.54.15, CUDA 12.4", "NVIDIA H100", "93 %", "5 / 81920", "fallen off the bus"} {
		if code != exitOK || !strings.Contains(out, want) {
			t.Fatalf("%d, %s; want %q in\n%s", code, errs, want, out)
		}
	}
	code, out, errs = command("--once", "--json", "--nvml", lib, "--node", "n1")
	var s nodeprobe.Sample
	if err := json.Unmarshal([]byte(out), &s); code != exitOK || err != nil || s.Node != "n1" || len(s.GPUs) != 2 {
		t.Errorf("%d, %v, %s: %+v", code, err, errs, s)
	}
	code, out, errs = command("--once", "--json", "--nvml", "/nonexistent.so", "--node", "n1")
	if err := json.Unmarshal([]byte(out), &s); code != exitNoDriver || err != nil || !strings.Contains(s.Error, "no NVIDIA driver by /nonexistent.so") {
		t.Errorf("without a driver: %d, %v, %s: %s", code, err, errs, out)
	}
}

// probe is a running probe, asked over its socket.
type probe struct {
	t      *testing.T
	socket string
	done   chan int
	stop   func()
	errs   *bytes.Buffer
}

func start(t *testing.T, lib string) *probe {
	ctx, cancel := context.WithCancel(context.Background())
	p := &probe{t: t, socket: filepath.Join(t.TempDir(), "p.sock"), done: make(chan int, 1), stop: cancel, errs: &bytes.Buffer{}}
	go func() {
		p.done <- run(ctx, []string{"--listen", "unix:" + p.socket, "--node", "n1", "--interval", "100ms", "--deadline", "300ms", "--nvml", lib}, p.errs, p.errs)
	}()
	t.Cleanup(cancel)
	return p
}

func (p *probe) until(what string, ok func(nodeprobe.Sample) bool) {
	p.t.Helper()
	c := client.New(client.Config{})
	var last nodeprobe.Sample
	for range 200 {
		got, err := c.PullSamples(context.Background(), map[string]string{"n1": "unix:" + p.socket})
		if last = got["n1"]; err == nil && ok(last) {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	p.t.Fatalf("never: %s; last %+v", what, last)
}

func (p *probe) end() {
	p.t.Helper()
	p.stop()
	if code := <-p.done; code != exitOK {
		p.t.Errorf("ended with %d: %s", code, p.errs)
	}
	if _, err := os.Stat(p.socket); err == nil {
		p.t.Error("its socket is left behind")
	}
}

func TestServe(t *testing.T) {
	lib, state := driver(t)
	job := exec.Command("sleep", "60")
	job.Env = []string{"SLURM_JOB_ID=4711"}
	if err := job.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = job.Process.Kill(); _ = job.Wait() }()
	mine := []fakenvml.Process{{PID: job.Process.Pid, MemMB: 70}}
	p := start(t, lib)
	p.until("GPUs are missing before the file is there", func(s nodeprobe.Sample) bool { return s.Error == "" && len(s.GPUs) == 0 })
	write(t, state, fakenvml.GPU{BusyPercent: 90, UsedMB: 70, Processes: mine}, fakenvml.GPU{})
	p.until("the job is seen with its utilisation", func(s nodeprobe.Sample) bool {
		return len(s.Jobs) == 1 && s.Jobs[0].Job == 4711 && s.Jobs[0].Busy == nodeprobe.KnownValue(0.9) && s.Jobs[0].MemMB == nodeprobe.KnownValue(70)
	})
	write(t, state, fakenvml.GPU{BusyPercent: 10, Processes: mine}, fakenvml.GPU{Xid: 79})
	p.until("change and Xid are seen", func(s nodeprobe.Sample) bool {
		return s.GPUs[0].Busy == nodeprobe.KnownValue(0.1) && strings.Contains(s.GPUs[1].SickReason, "Xid 79")
	})
	write(t, state, fakenvml.GPU{BusyPercent: 55, ExtraWords: "hang"}, fakenvml.GPU{})
	p.until("the driver hangs, the old sample is stale", func(s nodeprobe.Sample) bool {
		return s.IsStale && strings.Contains(s.Error, "2 readers hang") && s.GPUs[0].Busy == nodeprobe.KnownValue(0.1) && s.AgeSeconds > 0.3
	})
	write(t, state, fakenvml.GPU{BusyPercent: 55}, fakenvml.GPU{})
	p.until("the driver is back, the Xid not forgotten", func(s nodeprobe.Sample) bool {
		return !s.IsStale && s.GPUs[0].Busy == nodeprobe.KnownValue(0.55) && strings.Contains(s.GPUs[1].SickReason, "Xid 79")
	})
	p.end()
}

func TestServeWithoutADriverUntilThereIsOne(t *testing.T) {
	lib, state := driver(t)
	write(t, state, fakenvml.GPU{})
	later := filepath.Join(t.TempDir(), "later.so")
	p := start(t, later)
	p.until("it says that there is none", func(s nodeprobe.Sample) bool { return strings.Contains(s.Error, "no NVIDIA driver") })
	if err := os.Symlink(lib, later); err != nil {
		t.Fatal(err)
	}
	p.until("it finds the driver", func(s nodeprobe.Sample) bool { return s.Error == "" && len(s.GPUs) == 1 })
	p.end()
}

func TestSocketOfARunningProbeIsNotTaken(t *testing.T) {
	lib, state := driver(t)
	write(t, state, fakenvml.GPU{})
	p := start(t, lib)
	p.until("it serves", func(s nodeprobe.Sample) bool { return s.Error == "" })
	if code, _, errs := command("--listen", "unix:"+p.socket, "--nvml", lib); code != exitFailed || !strings.Contains(errs, "another probe") {
		t.Errorf("%d %s", code, errs)
	}
	p.end()
	if err := os.WriteFile(p.socket, nil, 0o600); err != nil { // a plain file is nobody's socket
		t.Fatal(err)
	}
	if code, _, errs := command("--listen", "unix:"+p.socket, "--nvml", lib); code != exitFailed || !strings.Contains(errs, "in use") {
		t.Errorf("%d %s", code, errs)
	}
}

// TestConnectionsAreBounded: who opens connections and says nothing neither fills the probe's memory nor keeps others
// from being answered.
func TestConnectionsAreBounded(t *testing.T) {
	lib, state := driver(t)
	write(t, state, fakenvml.GPU{})
	p := start(t, lib)
	served := func(nodeprobe.Sample) bool { return true }
	p.until("it serves", served)
	closed := make(chan struct{}, 200)
	var opened []net.Conn
	for range 200 {
		c, err := net.Dial("unix", p.socket)
		if err != nil {
			t.Fatal(err)
		}
		opened = append(opened, c)
		go func() {
			_ = c.SetReadDeadline(time.Now().Add(4 * time.Second)) // before the server's own bound on silence
			if _, err := c.Read(make([]byte, 1)); !os.IsTimeout(err) {
				closed <- struct{}{}
			}
		}()
	}
	for range 200 - 64 {
		select {
		case <-closed:
		case <-time.After(time.Minute):
			t.Fatal("more than 64 connections stay open")
		}
	}
	p.until("it still serves", served)
	for _, c := range opened {
		_ = c.Close()
	}
	p.end()
}
