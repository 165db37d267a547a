package answers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fairbridge/api"
)

// Why nothing is sent is told to users in public words, wherever it stands; operators read all of it.
func TestUsersReadPublicWordsOfWhatHoldsChangesBack(t *testing.T) {
	s := newSite(t, "fifo")
	ann := s.submit("annie", "annaccount", 4, 0)
	r := s.step()
	p := &r.PartitionResults[0]
	p.WithheldReasons = append(slices.Clone(p.WithheldReasons), "user=fairbridge database=x: 10.1.2.3 (secrethost)", "stopped by annop since noon. key of bobby stolen")
	s.service.NoteCycle(&r)
	for _, v := range []api.Viewer{annie, operator} {
		q, err := s.service.Queue(t.Context(), v, api.QueueQuery{})
		must(t, err)
		policies, err := s.service.Policies(t.Context(), v)
		must(t, err)
		j, err := s.service.Job(t.Context(), v, fmt.Sprint(ann))
		must(t, err)
		for what, got := range map[string][]string{"queue": q.Partitions[0].NotPushed, "policies": policies.Partitions[0].NotPushed, "job": j.NotPushed} {
			text := strings.Join(got, "\n")
			want := "no changes after the start yet\nchanges are held back for now; operators see why\nan operator stopped it"
			if v.IsOperator() {
				want = strings.Join(p.WithheldReasons, "\n")
			}
			if text != want || len(p.WithheldReasons) != 3 {
				t.Errorf("%s of %s: %q, want %q", what, v.User, text, want)
			}
		}
	}
}
