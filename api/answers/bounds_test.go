package answers_test

import (
	"fmt"
	"testing"
	"time"

	"fairbridge/api"
)

// Changes of tasks that nobody knows ask Slurm for none of them.
func TestChangesDoNotAskSlurm(t *testing.T) {
	s := newSite(t, "fifo")
	s.busy()
	var q api.ChangeQuery
	for i := range 200 {
		q.Jobs = append(q.Jobs, fmt.Sprintf("%d_1", 70000+i))
	}
	before := s.slurm.asked
	none, err := s.service.Changes(t.Context(), annie, q)
	must(t, err)
	if len(none.Changes) != 0 || s.slurm.asked != before {
		t.Errorf("%d changes, Slurm was asked %d times", len(none.Changes), s.slurm.asked-before)
	}
	q.Jobs = append(q.Jobs, "1")
	_, err = s.service.Changes(t.Context(), annie, q)
	codeIs(t, "more jobs than may be named", err, api.CodeBadRequest)
}

// How far back who is no operator may ask is bounded.
func TestSpansAreBounded(t *testing.T) {
	s := newSite(t, "fifo")
	s.busy()
	day := 24 * time.Hour
	for _, c := range []struct {
		viewer  api.Viewer
		days    time.Duration
		changes bool
		report  bool
	}{{annie, 31, true, true}, {annie, 32, false, true}, {annie, 400, false, true}, {annie, 401, false, false}, {operator, 4000, true, true}} {
		since := s.now().Add(-c.days * day)
		_, err := s.service.Changes(t.Context(), c.viewer, api.ChangeQuery{Since: since})
		if c.changes != (err == nil) || err != nil && api.CodeOf(err) != api.CodeBadRequest {
			t.Errorf("%s, changes of %d days: %v", c.viewer.User, c.days, err)
		}
		_, err = s.service.Report(t.Context(), c.viewer, "usage", api.ReportQuery{Since: since})
		if c.report != (err == nil) || err != nil && api.CodeOf(err) != api.CodeBadRequest {
			t.Errorf("%s, a report of %d days: %v", c.viewer.User, c.days, err)
		}
	}
}
