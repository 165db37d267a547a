package answers_test

import (
	"testing"
	"time"

	"fairbridge/accounting/studies"
	"fairbridge/api"
)

// TestStudies tells the newest that is stored, and where usage is private operators only.
func TestStudies(t *testing.T) {
	s := newSite(t, "fifo")
	oper, user := api.Viewer{User: "oper", Role: api.RoleOperator}, api.Viewer{User: "ann", Role: api.RoleUser}
	none, err := s.service.Studies(t.Context(), user)
	must(t, err)
	if len(none.Partitions) != 1 || none.Partitions[0].Study != nil || none.Partitions[0].Command == "" {
		t.Errorf("nothing is stored: %+v", none)
	}
	x := &studies.Study{Partition: none.Partitions[0].Partition, By: "root", Fidelity: "slurm", Seeds: 1, Since: time.Unix(1, 0), Until: time.Unix(2, 0), Lines: []studies.Line{{Policy: "fifo", MeanWait: 60}}}
	must(t, s.db.AddStudy(t.Context(), s.config.Cluster, x))
	for _, v := range []api.Viewer{oper, user} {
		got, err := s.service.Studies(t.Context(), v)
		must(t, err)
		p := got.Partitions[0]
		if p.Study == nil || p.Study.ID != x.ID || p.Study.Lines[0] != x.Lines[0] || (p.Study.By == "root") != v.IsOperator() {
			t.Errorf("%s is told %+v", v.User, p.Study)
		}
	}
	s.private.Usage = true
	if _, err := s.service.Studies(t.Context(), user); api.CodeOf(err) != api.CodeForbidden {
		t.Errorf("usage is private: %v", err)
	}
	if _, err := s.service.Studies(t.Context(), oper); err != nil {
		t.Errorf("an operator, usage being private: %v", err)
	}
}
