package main

import (
	"bytes"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestListenerIsThisProcess(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	if pid, err := findListenerPID(port); err != nil || pid != os.Getpid() {
		t.Errorf("listener = %d, %v, want %d", pid, err, os.Getpid())
	}
	l.Close()
	if pid, err := findListenerPID(port); err == nil {
		t.Errorf("process %d listens on a port that is closed", pid)
	}
}

func TestProcessorTimeGrows(t *testing.T) {
	before, err := readProcessCPUTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	own := readOwnCPUTime()
	for readOwnCPUTime()-own < 5*clockTick {
	}
	after, err := readProcessCPUTime(os.Getpid())
	if grew := after - before; err != nil || grew < 4*clockTick || grew > time.Second {
		t.Errorf("50 ms of work show as %v, %v", grew, err)
	}
	if rss, err := readProcField(os.Getpid(), "status", "VmRSS"); err != nil || rss < 1000 {
		t.Errorf("this process takes %d KiB, %v", rss, err)
	}
}

func TestRow(t *testing.T) {
	var all []cycleSample
	for i := 1; i <= 4; i++ {
		d := time.Duration(i) * 10 * time.Millisecond
		all = append(
			all,
			cycleSample{
				wallTime:    d,
				ownCPUTime:  d / 10,
				timeByStep:  map[string]time.Duration{"poll": d},
				ownRSSBytes: int64(i) * 1e6,
			},
		)
	}
	var out bytes.Buffer
	printRow(&out, "list", all)
	if got := out.String(); !strings.HasPrefix(got, "| list | 0 | 25 ms | 40 ms | 2.5 ms | 0.0 ms |") ||
		!strings.Contains(got, "| 4.0 MB |") {
		t.Errorf("the row is %s", got)
	}
}

func TestParse(t *testing.T) {
	for _, args := range [][]string{nil, {"-help"}, {"nothing"}, {"cycles", "-jobs", "0"}, {"cycles", "-cycles", "0"}, {"cycles", "-moved", "-1"}, {"cycles", "more"}, {"cycles", "-nonsense"},
		{"load", "-jobs", "0"}, {"load", "-rounds", "0"}, {"load", "-window", "1ms"}, {"load", "more"}, {"load", "-nonsense"}} {
		if _, err := parseCommandLine(args, new(bytes.Buffer)); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
	m, err := parseCommandLine([]string{"cycles", "-release", "26.05"}, new(bytes.Buffer))
	if b, ok := m.(*cycleBench); err != nil || !ok || b.jobCount != 5000 || b.release != "26.05" {
		t.Errorf("got %+v, %v", m, err)
	}
	m, err = parseCommandLine([]string{"load", "-release", "24.11"}, new(bytes.Buffer))
	if b, ok := m.(*loadBench); err != nil || !ok || b.jobCount != 10000 || b.release != "24.11" {
		t.Errorf("got %+v, %v", m, err)
	}
}
