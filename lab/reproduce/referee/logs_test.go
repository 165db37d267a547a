package referee

import (
	"bufio"
	"compress/gzip"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"fairbridge/lab/trace"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
	"fairbridge/scripts/verify/part"
)

// log is a log of the Parallel Workloads Archive, as it was simulated for É. Gaussier, D. Glesser, V. Reis,
// D. Trystram, "Improving Backfilling by using Machine Learning to Predict Running Times", SC 2015; each job's wait
// in the file is that under EASY.
type log struct {
	name, file string
	processors int
	isLong     bool // left to make verify
	// published are the mean bounded slowdowns of that artifact, in the order of rows, and onceASecond those of
	// the exact clock as it is, which asks once for all that happens in one second; 0: not tried.
	published, onceASecond [6]float64
}

// logs has what was published, to four digits. Asked for each event, policy easy makes the very same figures. Asked
// once a second it differs by up to 9 %, and neither is nearer to the truth: where two jobs end in one second, pyss
// lets narrow jobs pass on what the first leaves, before the second would have made room for the first in line.
// One such choice changes all that follows. Of Curie's rows SJBF by limits and EASY++ stepwise have
// not been played to the end.
var logs = []log{
	{
		name: "KTH-SP2", file: "kth-sp2_easy_sc15.swf.gz", processors: 100,
		published:   [6]float64{92.5765, 69.4054, 62.8569, 63.5007, 71.7224, 49.8477},
		onceASecond: [6]float64{92.6877, 69.3936, 62.9189, 63.4346, 71.7224, 49.8472},
	},
	{
		name: "SDSC-SP2", file: "sdsc-sp2_easy_sc15.swf.gz", processors: 128,
		published:   [6]float64{87.8703, 84.8889, 65.0636, 79.3963, 70.4779, 56.8362},
		onceASecond: [6]float64{87.8055, 82.9957, 70.9482, 83.7075, 70.4779, 56.8362},
	},
	{
		name: "CTC-SP2", file: "ctc-sp2_easy_sc15.swf.gz", processors: 338, isLong: true,
		published: [6]float64{49.5713, 30.0411, 26.5338, 85.7672, 37.1654, 17.5717},
	},
	{
		name: "SDSC-BLUE", file: "sdsc-blue_easy_sc15.swf.gz", processors: 1152, isLong: true,
		published: [6]float64{36.5234, 19.8260, 16.8269, 20.9864, 30.6215, 13.1776},
	},
	{
		name: "CEA-Curie", file: "cea_curie_easy_sc15.swf.gz", processors: 80640, isLong: true,
		published: [6]float64{202.1332, 169.0303, 21.3284, 193.4713, 69.9259, 12.0798},
	},
}

// tolerance is what the referee may be off, as a part of what was published.
const tolerance = .0001

// TestPublishedRows plays each log by each row as pyss does, and EASY job by job.
func TestPublishedRows(t *testing.T) {
	for i := range logs {
		l := &logs[i]
		t.Run(l.name, func(t *testing.T) {
			if part.Long(t, testing.Short()); l.isLong {
				part.Only(t, "referee")
			}
			jobs := l.read(t)
			for k := range rows {
				t.Run(rows[k].name, func(t *testing.T) {
					run := rows[k].simulate(t, jobs, l.processors, true)
					check(t, run, l.published[k])
					if k == 0 {
						l.checkWaits(t, run)
					}
				})
			}
		})
	}
}

// TestOnceASecond keeps how far the exact clock is off by asking once a second.
func TestOnceASecond(t *testing.T) {
	for i := range logs {
		l := &logs[i]
		t.Run(l.name, func(t *testing.T) {
			part.Only(t, "referee")
			jobs := l.read(t)
			for k, want := range l.onceASecond {
				if want > 0 {
					t.Run(rows[k].name, func(t *testing.T) {
						check(t, rows[k].simulate(t, jobs, l.processors, false), want)
					})
				}
			}
		})
	}
}

// read reads the jobs, where the log is at hand.
func (l *log) read(t *testing.T) []workload.Job {
	t.Helper()
	if _, err := os.Stat(l.path()); err != nil {
		t.Skip("the log, which may not be kept in the project, is not here:", err)
	}
	tr, err := trace.ReadFile(l.path(), trace.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range tr.Jobs {
		tr.Jobs[i].IsSilent = true
	}
	return tr.Jobs
}

func (l *log) path() string { return filepath.Join("../../../../shared/traces/real-sites", l.file) }

func check(t *testing.T, run *measure.Run, want float64) {
	t.Helper()
	if got := meanBoundedSlowdown(run); math.Abs(got/want-1) > tolerance {
		t.Errorf("a mean bounded slowdown of %.4f, want %.4f", got, want)
	}
}

// checkWaits compares each job's wait with that of the file.
func (l *log) checkWaits(t *testing.T, run *measure.Run) {
	t.Helper()
	published, others := l.readWaits(t), 0
	for i := range run.JobOutcomes {
		if o := &run.JobOutcomes[i]; o.Start-o.Arrive != published[o.ID] {
			others++
		}
	}
	if others > 0 || len(published) != len(run.JobOutcomes) {
		t.Errorf("%d of %d jobs start at other times than published", others, len(published))
	}
}

// readWaits reads the wait of each job in seconds, by number.
func (l *log) readWaits(t *testing.T) map[int64]float64 {
	t.Helper()
	f, err := os.Open(l.path())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	waits := map[int64]float64{}
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if cells := strings.Fields(lines.Text()); len(cells) > 2 && !strings.HasPrefix(cells[0], ";") {
			id, _ := strconv.ParseInt(cells[0], 10, 64)
			waits[id], _ = strconv.ParseFloat(cells[2], 64)
		}
	}
	return waits
}
