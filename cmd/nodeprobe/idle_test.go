package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/probes"
	"fairbridge/bridge/slurm"
	"fairbridge/nodeprobe"
	"fairbridge/nodeprobe/client"
	"fairbridge/nodeprobe/fakenvml"
)

// chain is a probe and the bridge's side of it, on a node whose eight GPUs a
// job keeps 90 % busy throughout.
type chain struct {
	*probe
	state string
	p     *probes.Probes
	seen  []probes.Reading
}

func newChain(t *testing.T) *chain {
	lib, state := driver(t)
	c := &chain{state: state}
	c.set(t, nil)
	c.probe = start(t, lib)
	c.p = probes.New(client.New(client.Config{}), "unix:"+c.socket, time.Minute, time.Now)
	c.p.OnNewReadings = func(list []probes.Reading) { c.seen = append(c.seen, list...) }
	return c
}

const chainGPUs = 8

// set writes eight busy GPUs; words are added to the one they are of.
func (c *chain) set(t *testing.T, words map[int]string) {
	list := make([]fakenvml.GPU, chainGPUs)
	for i := range list {
		list[i] = fakenvml.GPU{BusyPercent: 90, UsedMB: 70, Watts: 300, ExtraWords: words[i]}
	}
	write(t, c.state, list...)
}

// look asks as the bridge does and fails the test if anything looks idle.
func (c *chain) look(what string) {
	c.t.Helper()
	v := &slurm.View{At: time.Now(), Nodes: []slurm.Node{{Name: "n1", State: "ALLOCATED", Gres: slurm.ReadGRES("gpu:a100:8")}},
		Jobs: []slurm.Job{{ID: 7, State: "RUNNING", Nodes: slurm.ReadHosts("n1"), GresDetail: slurm.ReadGRESDetail([]string{"gpu:a100:8(IDX:0-7)"}), Start: time.Now().Add(-time.Hour)}}}
	c.seen = nil
	got, err := c.p.Sample(context.Background(), v)
	for _, d := range got["n1"] {
		if d.Utilisation.Known && (d.Utilisation.Value < 0.89 || d.Utilisation.Value > 0.91) {
			c.t.Fatalf("%s: its GPUs look %.2f busy (%v)", what, d.Utilisation.Value, err)
		}
		if d.Count < chainGPUs {
			c.t.Fatalf("%s: %d GPUs", what, d.Count)
		}
	}
	if u, ok := c.p.UseByJob()[7]; ok && u.MeanBusy.Known && u.MeanBusy.Value < 0.89 {
		c.t.Fatalf("%s: the job looks %.2f busy", what, u.MeanBusy.Value)
	}
	for _, s := range c.seen {
		if s.Busy.Known && s.Busy.Value < 0.89 {
			c.t.Fatalf("%s: recorded as %.2f busy: %+v", what, s.Busy.Value, s)
		}
	}
}

func (c *chain) sick() int {
	got, _ := c.p.Sample(context.Background(), &slurm.View{Nodes: []slurm.Node{{Name: "n1", State: "ALLOCATED", Gres: slurm.ReadGRES("gpu:a100:8")}}})
	for _, d := range got["n1"] {
		return d.SickCount
	}
	return -1
}

// Whatever befalls GPUs and driver, the bridge never sees idle ones where all
// are busy, and sees them well again within two intervals of the end of it.
func TestNeverAFalseIdle(t *testing.T) {
	c := newChain(t)
	well := func(s nodeprobe.Sample) bool {
		return !s.IsStale && s.Error == "" && len(s.GPUs) >= chainGPUs && s.GPUs[0].Busy == nodeprobe.KnownValue(0.9)
	}
	c.until("it serves", well)
	for _, f := range []struct {
		what string
		gpu  string // words of GPU 3
		ok   func(nodeprobe.Sample) bool
		sick int // GPUs not to be given out meanwhile; -1: nothing is known
	}{
		{"a GPU falls off the bus", "lost", func(s nodeprobe.Sample) bool { return s.GPUs[3].LostReason != "" }, 1},
		{"its handle is an unknown error", "ret=handle:999", func(s nodeprobe.Sample) bool { return s.GPUs[3].LostReason != "" }, 1},
		{"it needs a reset", "ret=all:16", func(s nodeprobe.Sample) bool { return s.GPUs[3].LostReason != "" }, 1},
		{"it times out", "ret=all:10", func(s nodeprobe.Sample) bool { return s.GPUs[3].Error != "" }, 0},
		{"it may not be read", "na=handle", func(s nodeprobe.Sample) bool { return s.GPUs[3].Error != "" }, 0},
		{"no utilisation", "na=busy", func(s nodeprobe.Sample) bool { return !s.GPUs[3].Busy.Known }, 0},
		{"utilisation fails", "ret=busy:999", func(s nodeprobe.Sample) bool { return !s.GPUs[3].Busy.Known }, 0},
		{"it is divided", "mig=1g.10gb,1g.10gb", func(s nodeprobe.Sample) bool { return s.GPUs[3].IsMIG }, 0},
		{"uncorrectable errors", "ecc=0/3", func(s nodeprobe.Sample) bool { return s.GPUs[3].SickReason != "" }, 1},
		{"a row that could not be replaced", "failed", func(s nodeprobe.Sample) bool { return s.GPUs[3].SickReason != "" }, 1},
		{"a page waits", "retired=1 pending", func(s nodeprobe.Sample) bool { return s.GPUs[3].SickReason != "" }, 1},
		{"it is hot", "throttle=0x40", func(s nodeprobe.Sample) bool { return len(s.GPUs[3].Throttle.Reasons) > 0 }, 0},
		{"the driver is exchanged", "ret=handle:18", func(s nodeprobe.Sample) bool { return s.IsStale }, -1},
		{"it crashes", "crash", func(s nodeprobe.Sample) bool { return s.IsStale }, -1},
		{"it hangs", "hang", func(s nodeprobe.Sample) bool { return s.IsStale && strings.Contains(s.Error, "does not answer") }, -1},
	} {
		t.Run(f.what, func(t *testing.T) {
			c.t = t
			c.set(t, map[int]string{3: f.gpu})
			for range 5 {
				c.look(f.what)
				time.Sleep(20 * time.Millisecond)
			}
			c.until(f.what, func(s nodeprobe.Sample) bool { c.look(f.what); return f.ok(s) })
			if got := c.sick(); f.sick >= 0 && got != f.sick {
				t.Errorf("%d GPUs are not to be given out, want %d", got, f.sick)
			}
			c.set(t, nil)
			c.until("well again", func(s nodeprobe.Sample) bool { c.look("after " + f.what); return well(s) && s.GPUs[3].Busy.Known })
		})
	}
	c.t = t
	c.end()
}

// Fatal Xids make a GPU sick, those of a program's do not; either way what it
// computes is not called idleness.
func TestEveryXid(t *testing.T) {
	c := newChain(t)
	c.until("it serves", func(s nodeprobe.Sample) bool { return s.Error == "" && len(s.GPUs) == chainGPUs })
	for _, xid := range []int{13, 31, 43, 45, 63, 94, 48, 62, 64, 74, 79, 95, 109, 119, 120, 136, 140, 142, 143, 155, 156, 158} {
		c.set(t, map[int]string{3: fmt.Sprintf("xid=%d", xid)})
		c.until(fmt.Sprint("Xid ", xid), func(s nodeprobe.Sample) bool {
			c.look(fmt.Sprint("Xid ", xid))
			x := s.GPUs[3].Errors.Xid
			return x != nil && (nodeprobe.FatalXidText(x.Code) != "" || x.Code == xid) && (s.GPUs[3].SickReason != "") == (nodeprobe.FatalXidText(x.Code) != "")
		})
		if fatal := nodeprobe.FatalXidText(xid) != ""; fatal && c.sick() != 1 {
			t.Errorf("Xid %d: %d GPUs are sick", xid, c.sick())
		}
	}
	c.end()
}
