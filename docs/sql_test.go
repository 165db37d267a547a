package docs_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/pglocal"
)

// TestQueries runs every query the pages show, as the report role sees the
// database.
func TestQueries(t *testing.T) {
	db := dbtest.NewDB(t)
	dbtest.RequireNoError(t, db.GrantReportRole(t.Context()))
	bin, err := pglocal.FindServerPrograms()
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, p := range pages(t) {
		for _, query := range p.blocks("sql") {
			ran++
			cmd := exec.Command(filepath.Join(bin, "psql"), "-X", "-v", "ON_ERROR_STOP=1", "-f", "-", db.Config().ConnString())
			cmd.Stdin = strings.NewReader("set role fairbridge_report; set search_path = fairbridge_v1; set default_transaction_read_only = on;\n" + query)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s\n%s", p.path, err, out, query)
			}
		}
	}
	if ran < 5 {
		t.Errorf("ran only %d queries: the search is broken", ran)
	}
}
