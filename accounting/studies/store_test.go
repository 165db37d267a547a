package studies_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/stores"
	"fairbridge/accounting/studies"
)

var must = dbtest.RequireNoError

const clusterName = "c1"

var until = time.Date(2026, 6, 8, 0, 0, 0, 0, time.UTC)

func newStudy(partition, about string) *studies.Study {
	return &studies.Study{
		Partition: partition, By: "root", Since: until.AddDate(0, 0, -7), Until: until, Fidelity: "slurm", Seeds: 3, About: about, Accuracy: "It is off by 1 %.", Remarks: []string{"still running: 1 job", "x\x00y"},
		Lines: []studies.Line{{Policy: "what happened", JobCount: 115, MeanWait: 60.25, UnfairPart: .5, RestartCount: 2}, {Policy: "pollux", Error: "no profile"}},
	}
}

// TestTheNewestOfEachPartition is what is read, of one cluster, as it was stored.
func TestTheNewestOfEachPartition(t *testing.T) {
	db := dbtest.NewDB(t)
	s := &studies.Store{DB: db}
	old, gpu, cpu, other := newStudy("gpu", "the first"), newStudy("gpu", "the second"), newStudy("big", "of another"), newStudy("gpu", "of another cluster")
	for _, x := range []*studies.Study{old, gpu, cpu} {
		must(t, s.AddStudy(t.Context(), clusterName, x))
	}
	must(t, s.AddStudy(t.Context(), "c2", other))
	got, err := s.LastStudies(t.Context(), clusterName)
	must(t, err)
	for _, x := range []*studies.Study{gpu, cpu} {
		x.Remarks[1] = strings.ReplaceAll(x.Remarks[1], "\x00", "") // Postgres takes none
		x.Made = x.Made.UTC()
	}
	if d := cmp.Diff([]studies.Study{*cpu, *gpu}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if gpu.ID <= old.ID || gpu.Made.IsZero() {
		t.Errorf("stored as %d at %v", gpu.ID, gpu.Made)
	}
}

// TestStudiesAreForgotten with the cycles, and others' are not.
func TestStudiesAreForgotten(t *testing.T) {
	db := dbtest.NewDB(t)
	s := stores.New(db)
	for _, partition := range []string{"gpu", "big"} {
		must(t, s.AddStudy(t.Context(), clusterName, newStudy(partition, "")))
	}
	must(t, s.AddStudy(t.Context(), "c2", newStudy("gpu", "")))
	dbtest.Exec(t, db, "update fairbridge.studies set made = $1 where partition = 'gpu'", until.AddDate(0, -2, 0))
	dbtest.Exec(t, db, "update fairbridge.studies set made = $1 where partition = 'big'", until)
	rows, err := s.Prune(t.Context(), clusterName, until, stores.Retention{Cycles: 30 * 24 * time.Hour})
	must(t, err)
	mine, err := s.LastStudies(t.Context(), clusterName)
	must(t, err)
	theirs, err := s.LastStudies(t.Context(), "c2")
	must(t, err)
	if rows != 1 || len(mine) != 1 || mine[0].Partition != "big" || len(theirs) != 1 {
		t.Errorf("%d rows went; left are %v and %v", rows, mine, theirs)
	}
}
