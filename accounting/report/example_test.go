package report_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"fairbridge/accounting/report"
)

// answers stands for the database: it knows one row.
type answers struct{}

func (answers) QueryTable(_ context.Context, query string, _ ...any) (columns []string, rows [][]any, err error) {
	if !strings.Contains(query, "fairbridge_v1") {
		return nil, nil, fmt.Errorf("no such view")
	}
	return []string{"account", "gpu_hours"}, [][]any{{"vision", 12.5}}, nil
}

// A report is found by name and asked for a span of time.
func ExampleRunReport() {
	usage, ok := report.FindReport("usage")
	if !ok {
		fmt.Println("there is no report usage")
		return
	}
	fmt.Println(usage.Title)
	until := time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
	table, err := report.RunReport(context.Background(), answers{}, usage, report.Scope{Cluster: "c1", Since: until.AddDate(0, -1, 0), Until: until})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range table.Rows {
		fmt.Println(row[0], report.FormatCell("gpu_hours", row[1]), "GPU-hours")
	}
	// Output:
	// GPU-hours by account
	// vision 12.5 GPU-hours
}
