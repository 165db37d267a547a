package trace_test

import (
	"fmt"
	"strings"

	"fairbridge/lab/trace"
)

// What sacct prints is a trace; the format is found out from the content.
func ExampleRead() {
	history := `JobID|State|User|Account|Submit|Start|End|ElapsedRaw|AllocTRES
41|COMPLETED|ann|vision|2026-03-01T08:00:00|2026-03-01T08:10:00|2026-03-01T09:10:00|3600|gres/gpu:a100=4
42|FAILED|bob|teaching|2026-03-01T08:30:00|2026-03-01T08:30:00|2026-03-01T08:31:00|60|gres/gpu:a100=1
`
	t, err := trace.Read(strings.NewReader(history), "march.txt", trace.ReadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, j := range t.Jobs {
		fmt.Println(j.ID, j.User, "arrives after", j.Arrive, "s, runs", j.Duration, "s on", j.GPUs, "GPUs")
	}
	// Output:
	// 41 ann arrives after 0 s, runs 3600 s on 4 GPUs
	// 42 bob arrives after 1800 s, runs 60 s on 1 GPUs
}
