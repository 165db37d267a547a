package runs

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge/slurm/slurmdb"
)

// TestRecordedSacct imports what a real sacct 22.05 printed of jobs to which
// everything happened.
func TestRecordedSacct(t *testing.T) {
	const file = "../../bridge/slurm/slurmdb/testdata/22.05-sacct.txt"
	f, err := os.Open(file)
	must(t, err)
	defer f.Close()
	rows, bad, err := slurmdb.ReadSacct(f, file, "", time.UTC)
	must(t, errors.Join(append(bad, err)...))
	d := fresh(t)
	s, err := d.ImportRows(t.Context(), rows, Import{Cluster: testCluster, Until: sec(0)}, nil)
	must(t, err)
	of := func(job int) (out []string) {
		list, err := d.DB.Query(t.Context(), `select format('%s %s %s×%s %s', r.state, s.node, s.gpu_type, s.gpus, extract(epoch from s.stopped - s.started)::int)
			from fairbridge.job_runs r join fairbridge.run_segments s using (cluster, job, submit, restarts) where job = $1 order by r.submit, s.started, s.node`, job)
		must(t, err)
		defer list.Close()
		for list.Next() {
			var text string
			must(t, list.Scan(&text))
			out = append(out, text)
		}
		return out
	}
	for job, want := range map[int][]string{
		1: {"REQUEUED n1 a100×2 3", "COMPLETED n3 a100×2 12"},
		2: {"COMPLETED n1 a100×3 4", "COMPLETED n1 a100×3 5"}, // suspended for 5 s in the middle
		8: nil,                                                // cancelled while pending
		// Resized twice: its rows all tell the first start, so that sacct's sum is too much.
		18: {"NODE_FAIL n1 a100×4 6", "NODE_FAIL n2 a100×4 6", "NODE_FAIL n3 a100×4 6", "NODE_FAIL n1 a100×4 4", "NODE_FAIL n2 a100×4 4", "NODE_FAIL n1 a100×4 3"},
		19: {"NODE_FAIL n1 a100×2 7", "NODE_FAIL n2 a100×2 7"},
	} {
		if diff := cmp.Diff(want, of(job)); diff != "" {
			t.Errorf("job %d (-want +got):\n%s", job, diff)
		}
	}
	again, err := d.ImportRows(t.Context(), rows, Import{Cluster: testCluster, Until: sec(0)}, nil)
	if err != nil || again.ChangedCount != 0 || again.RunCount != s.RunCount || s.NewCount != s.RunCount {
		t.Error(fmt.Sprint(s, again, err))
	}
}
