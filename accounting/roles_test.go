package accounting_test

import (
	"sync"
	"testing"

	"fairbridge/accounting"
	"fairbridge/accounting/dbtest"
)

// TestTwoSitesAtOnce: roles belong to the whole server, so two databases whose
// roles are made at the same moment meet.
func TestTwoSitesAtOnce(t *testing.T) {
	sites := []*accounting.DB{dbtest.NewDB(t), dbtest.NewDB(t), dbtest.NewDB(t)}
	errs := make([]error, len(sites))
	var all sync.WaitGroup
	for i, d := range sites {
		all.Go(func() {
			for range 5 {
				if err := d.GrantReportRole(t.Context()); err != nil {
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
