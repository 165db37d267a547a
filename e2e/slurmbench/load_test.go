package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/slurm"
)

// TestLoadTables: requests of fairbridge's user stand apart, kinds are summed up over the rounds, the
// costly ones first.
func TestLoadTables(t *testing.T) {
	begin := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	round := func(kind string, own int64) loadSample {
		d := slurm.Diag{
			Now:           begin.Add(100 * time.Second),
			CountersStart: begin,
			CycleCount:    7,
			CycleMean:     20 * time.Millisecond,
			BackfillCount: 3,
			BackfillMean:  2 * time.Second,
		}
		d.RPCsByUser = []slurm.RPCCount{
			{Name: "root", Count: 5, TotalTime: 30 * time.Millisecond},
			{Name: "slurm", Count: 2, TotalTime: time.Millisecond},
		}
		d.RPCsByType = []slurm.RPCCount{{Name: "REQUEST_PING", Count: 7, TotalTime: 31 * time.Millisecond}}
		if own > 0 {
			c := slurm.RPCCount{Count: own, TotalTime: time.Duration(own) * 100 * time.Millisecond}
			d.RPCsByUser = append(d.RPCsByUser, slurm.RPCCount{Name: "fb", Count: c.Count, TotalTime: c.TotalTime})
			d.RPCsByType = append(
				d.RPCsByType,
				slurm.RPCCount{Name: "REQUEST_JOB_INFO", Count: c.Count, TotalTime: c.TotalTime},
			)
		}
		return loadSample{kind: kind, Diag: d, ownUser: "fb"}
	}
	var out bytes.Buffer
	(&loadBench{window: time.Minute}).printTables(
		&out,
		[]loadSample{round(kindWithout, 0), round(kindLater, 10), round(kindWithout, 0), round(kindLater, 20)},
	)
	for _, want := range []string{
		"| without fairbridge | 0 | 0.0 ms | 0.00 % | 7 | 31 ms | 7 | 20 ms |",
		"| the minutes after | 10 | 1000 ms | 1.00 % | 7 | 31 ms |", "| the minutes after | 20 | 2000 ms | 2.00 % |",
		"| REQUEST_JOB_INFO | 0 in 0.0 ms | 0 in 0.0 ms | 30 in 3000 ms |\n| REQUEST_PING | 14 in 62 ms |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
