package accounting

import (
	"sync"
	"testing"
)

// TestTwoSitesAtOnce: roles belong to the whole server, so two databases whose
// roles are made at the same moment meet.
func TestTwoSitesAtOnce(t *testing.T) {
	sites := []*DB{fresh(t), fresh(t), fresh(t)}
	errs := make([]error, len(sites))
	var all sync.WaitGroup
	for i, d := range sites {
		all.Go(func() {
			for range 5 {
				if err := d.GrantReports(t.Context()); err != nil {
					errs[i] = err
				}
			}
		})
	}
	all.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("site %d: %v", i, err)
		}
	}
}
