package daemon

import (
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/stores"
	"fairbridge/cmd/settings"
)

// TestWeightsAreStoredWithTheirAuthor: a daemon that starts again with the same configuration stores nothing anew.
func TestWeightsAreStoredWithTheirAuthor(t *testing.T) {
	db := stores.New(dbtest.NewDB(t))
	before := time.Now().Add(-time.Minute)
	for _, weights := range []string{"{}", "{t4: 0.25}", "{t4: 0.25}", "{t4: 0.5}"} {
		f, err := settings.Parse("/etc/site.yaml", []byte("cluster: c\npartitions: [{name: gpu}]\ngpus: {billing_weight: "+weights+"}\n"))
		if err != nil {
			t.Fatal(err)
		}
		if err := storeConfigured(t.Context(), db, f); err != nil {
			t.Fatal(err)
		}
	}
	rows := dbtest.QueryTexts(t, db.DB, "select concat_ws(' ', gpu_type, weight, since > $1 and since <= now(), author) from fairbridge.gpu_weights order by since", before)
	if len(rows) != 2 || !strings.HasPrefix(rows[0], "t4 0.25 t ") || !strings.HasPrefix(rows[1], "t4 0.5 t ") || !strings.HasSuffix(rows[1], " by /etc/site.yaml") {
		t.Errorf("%q", rows)
	}
}
