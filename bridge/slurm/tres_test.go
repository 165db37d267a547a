package slurm

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseTRES(t *testing.T) {
	for s, want := range map[string]TRES{
		"":       {},
		"(null)": {},
		"cpu=4,mem=64G,node=2,billing=4,gres/gpu=8,gres/gpu:a100=8,gres/shard=2": {
			CPUs: 4, MemMB: 64 << 10, NodeCount: 2, Billing: 4,
			Gres: []GRES{{Name: "gpu", Count: 8}, {Name: "gpu", Type: "a100", Count: 8}, {Name: "shard", Count: 2}},
		},
		"mem=8000M":             {MemMB: 8000},
		"mem=8000":              {MemMB: 8000},
		"mem=1.50T":             {MemMB: 3 << 19},
		"mem=62.5G":             {MemMB: 64000},
		"mem=512K":              {MemMB: 1},
		"mem=0":                 {},
		"license/ansys=3,cpu=1": {CPUs: 1},
		"fs/disk=1,energy=0":    {},
		"cpu=1,billing=18446744073709551614,energy=x,vmem=-1": {CPUs: 1},
		"gres/gpumem=16G": {Gres: []GRES{{Name: "gpumem", Count: 16 << 30}}},
	} {
		got, err := ParseTRES(s)
		if err != nil {
			t.Errorf("ParseTRES(%q): %v", s, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("ParseTRES(%q) (-want +got):\n%s", s, diff)
		}
	}
}

func TestParseTRESRefuses(t *testing.T) {
	for _, s := range []string{
		",", "cpu", "cpu=", "=4", "cpu=4,", "cpu=-1", "cpu=1e3", "cpu=0x10", "mem=G",
		"mem=1.2.3G", "cpu=NaN", "cpu=Inf", "mem=99999999P", "gres/gpu=x", "cpu=4;mem=3", "mem=4 G", "billing=",
		"node=18446744073709551614", "gres/nvme=18446744073709551614",
	} {
		if got, err := ParseTRES(s); err == nil {
			t.Errorf("ParseTRES(%q) = %+v, want an error", s, got)
		}
	}
}

func TestGPUs(t *testing.T) {
	for s, want := range map[string]struct {
		n   int
		typ string
	}{
		"cpu=1":                           {0, ""},
		"gres/gpu=4":                      {4, ""},
		"gres/gpu=4,gres/gpu:a100=4":      {4, "a100"},
		"gres/gpu:a100=4":                 {4, "a100"},
		"gres/gpu:a100=4,gres/gpu:h100=2": {6, ""},
		"gres/gpu=6,gres/gpu:a100=4,gres/gpu:h100=2":   {6, ""},
		"gres/gpu=0,gres/shard=3":                      {0, ""},
		"gres/gpu=3,gres/gpu:kepler=1":                 {3, ""}, // the others' type is not tracked
		"gres/gpu:1g.5gb=2,gres/gpu=2,gres/gpumem=10G": {2, "1g.5gb"},
	} {
		tres, err := ParseTRES(s)
		if err != nil {
			t.Fatal(err)
		}
		if tres.GPUCount() != want.n || tres.GPUType() != want.typ {
			t.Errorf("%q: %d GPUs of type %q, want %+v", s, tres.GPUCount(), tres.GPUType(), want)
		}
	}
}

// TestTypeOfRequest: no type is the type of GPUs of several.
func TestTypeOfRequest(t *testing.T) {
	for _, c := range []struct {
		tres, perNode, perTask string
		want                   GRES
	}{
		{"gres/gpu=3,gres/gpu:kepler=1", "gres/gpu:kepler:1,gres/gpu:tesla:2", "", GRES{Name: "gpu", Count: 3}},
		{"gres/gpu=3,gres/gpu:kepler=1,gres/gpu:tesla=2", "gpu:kepler:1,gpu:tesla:2", "", GRES{Name: "gpu", Count: 3}},
		{"gres/gpu=3,gres/gpu:kepler=1", "gres/gpu:2,gres/gpu:kepler:1", "", GRES{Name: "gpu", Count: 3}},
		{"gres/gpu=2", "gres/gpu:1,gres/gpu:kepler:1", "", GRES{Name: "gpu", Count: 2}},
		{"gres/gpu=2", "gres/gpu:kepler:2", "", GRES{Name: "gpu", Type: "kepler", Count: 2}},
		{"gres/gpu=2,gres/gpu:kepler=2", "gpu:kepler:1", "gpu:kepler:1", GRES{Name: "gpu", Type: "kepler", Count: 2}},
		{"gres/gpu=2,billing=18446744073709551614", "gres/gpu:1", "", GRES{Name: "gpu", Count: 2}},
	} {
		j := Job{RequestedTRES: ReadTRES(c.tres), GresPerNode: ReadGRESRequest(c.perNode),
			GresPerTask: ReadGRESRequest(c.perTask)}
		got, err := j.RequestedGPUs()
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%q, %q per node (-want +got):\n%s%v", c.tres, c.perNode, diff, err)
		}
	}
}

func TestReadTasks(t *testing.T) {
	for s, want := range map[string]int{
		"":                  0,
		"7":                 1,
		"0-9%2":             10,
		"1-5,7,9-21:2%4":    13,
		"0-3,5-9":           9,
		"1-10:3":            4,
		"1,3,5,7,9,11,1...": 7,
		"0-999,2000-3...":   1001,
		"1,3,5...%4":        3,
		"...":               1,
		"0-4000000":         4_000_001,
	} {
		if got := ReadArrayTasks(s); got.UnreadReason != "" || got.Count != want {
			t.Errorf("ReadTasks(%q) = %+v, want %d", s, got, want)
		}
	}
	for _, s := range []string{",", "1,", "a", "1-", "5-1", "1-5:0", "1-5:", "1 2", "0-4000001", "0x1F", "1..", "-1"} {
		if got := ReadArrayTasks(s); got.UnreadReason == "" || got.Count != 0 {
			t.Errorf("ReadTasks(%q) = %+v, want a reason", s, got)
		}
	}
}
