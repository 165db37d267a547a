package decode

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	slinky "github.com/SlinkyProject/slurm-client/api/v0044"

	"fairbridge/bridge/slurm"
)

// BenchmarkDecodeJobs compares a poll of 10,000 jobs decoded by this package
// and by encoding/json into the types of Slurm's own client.
func BenchmarkDecodeJobs(b *testing.B) {
	const jobs = 10_000
	text := reply(b, "26.05-v0.0.44", jobs)
	b.Run("ours", func(b *testing.B) {
		var d Decoder
		into := make([]slurm.Job, 0, jobs)
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			out, _, err := d.Jobs(bytes.NewReader(text), into[:0])
			if err != nil || len(out) != jobs {
				b.Fatal(len(out), err)
			}
		}
		b.ReportMetric(testing.AllocsPerRun(1, func() { d.Jobs(bytes.NewReader(text), into[:0]) })/jobs, "allocs/job")
	})
	b.Run("slinky", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			var out slinky.V0044OpenapiJobInfoResp
			body, err := io.ReadAll(bytes.NewReader(text)) // as its client does
			if err != nil {
				b.Fatal(err)
			}
			if err := json.Unmarshal(body, &out); err != nil || len(out.Jobs) != jobs {
				b.Fatal(len(out.Jobs), err)
			}
		}
	})
}
