package report_test

import (
	"math"
	"testing"
	"time"

	"fairbridge/policy"
)

// chargedByRecord is what each account is charged, worked out from the record alone: h100 cost twice as much from
// $1 on, and a100 half from $2 on.
const chargedByRecord = `select account, sum(gpus / 3600.0 * (
	case gpu_type when 'h100' then extract(epoch from least(stopped, greatest(started, $1)) - started) + 2 * extract(epoch from stopped - least(stopped, greatest(started, $1)))
	else extract(epoch from least(stopped, greatest(started, $2)) - started) + .5 * extract(epoch from stopped - least(stopped, greatest(started, $2))) end))::double precision
	from fairbridge.run_segments group by account`

// TestReportsGoByBillingWeights: sums by day, days whose sums are behind, and reports charge what was held at the weights
// that held then; GPU-hours stay what they were.
func TestReportsGoByBillingWeights(t *testing.T) {
	db, conn, scope := summed(t)
	ctx := t.Context()
	before := ask(t, db, "usage", scope)
	for account, row := range before {
		if row["charged_gpu_hours"] != row["gpu_hours"] || row["charged_share"] != row["share"] {
			t.Fatalf("without weights %s is charged %v", account, row)
		}
	}
	dear, cheap := first.Add(50*time.Hour), first.Add(80*time.Hour+time.Minute)
	must(t, db.SetBillingWeights(ctx, cluster, "ann", dear, policy.BillingWeights{"h100": 2}))
	must(t, db.SetBillingWeights(ctx, cluster, "ann", cheap, policy.BillingWeights{"h100": 2, "a100": .5}))
	rows, err := conn.Query(ctx, chargedByRecord, dear, cheap)
	must(t, err)
	want := map[string]float64{}
	for rows.Next() {
		var account string
		var hours float64
		must(t, rows.Scan(&account, &hours))
		want[account] = hours
	}
	must(t, rows.Err())
	check := func(what string, query string) {
		t.Helper()
		rows, err := conn.Query(ctx, query)
		must(t, err)
		n := 0
		for rows.Next() {
			var account string
			var held, charged float64
			must(t, rows.Scan(&account, &held, &charged))
			if math.Abs(charged-want[account]) > 1e-6*want[account] || math.Abs(held-before[account]["gpu_hours"]) > 1e-6*held {
				t.Errorf("%s, %s: held %v, charged %v; want %v, %v", what, account, held, charged, before[account]["gpu_hours"], want[account])
			}
			n++
		}
		must(t, rows.Err())
		if n != len(want) || n < 25 {
			t.Errorf("%s: %d accounts, want %d", what, n, len(want))
		}
	}
	const now = "select account, sum(gpu_hours), sum(charged_gpu_hours) from fairbridge_v1.usage_by_account_day group by account"
	check("sums that are behind", now)
	days, err := db.SumDueDays(ctx, cluster)
	must(t, err)
	if days < 3 {
		t.Errorf("%d days were summed up anew, want those since the first weight", days)
	}
	check("sums of today", now)
	check("by use", "select account, sum(gpu_hours), sum(charged_gpu_hours) from fairbridge_v1.efficiency_by_user_day group by account")
	check("by partition", "select account, sum(gpu_hours), sum(charged_gpu_hours) from fairbridge_v1.usage_by_partition_day group by account")
	checkReports(t, want, ask(t, db, "usage", scope), ask(t, db, "shares", scope))
}

// checkReports wants reports to give accounts their parts of what is charged.
func checkReports(t *testing.T, want map[string]float64, usage, shares map[string]map[string]float64) {
	t.Helper()
	all := 0.0
	for _, x := range want {
		all += x
	}
	for account, x := range want {
		u, s := usage[account], shares[account]
		if math.Abs(u["charged_gpu_hours"]-x) > 1e-6*x || math.Abs(u["charged_share"]-x/all) > 1e-6 || math.Abs(u["charged_share"]-u["share"]) < 1e-12 {
			t.Errorf("report usage, %s: %v, want %v charged", account, u, x)
		}
		if s != nil && math.Abs(s["used_share"]-x/all) > 1e-6 {
			t.Errorf("report shares, %s: %v, want %v of what is charged", account, s, x/all)
		}
	}
	if len(shares) < 25 {
		t.Errorf("%d accounts have shares", len(shares))
	}
}

// The role for reports reads the weights too.
func TestWeightsMayBeRead(t *testing.T) {
	db, conn, _ := summed(t)
	must(t, db.SetBillingWeights(t.Context(), cluster, "ann", first, policy.BillingWeights{"t4": .25}))
	exec(t, conn, "set role fairbridge_report")
	var author string
	must(t, conn.QueryRow(t.Context(), "select author from fairbridge_v1.gpu_weights where weight = .25").Scan(&author))
	if author != "ann" {
		t.Errorf("author %q", author)
	}
}
