package server

import (
	"context"
	"fmt"
	"testing"
	"time"

	"fairbridge/api"
)

// queueOf answers with so many jobs.
type queueOf struct {
	fakeAnswers
	queue api.Queue
}

func (q *queueOf) Queue(context.Context, api.Viewer, api.QueueQuery) (*api.Queue, error) {
	return &q.queue, nil
}

// BenchmarkQueue serves a page of 10,000 jobs: what writing, tagging and packing it costs.
func BenchmarkQueue(b *testing.B) {
	answers := &queueOf{}
	for i := range 10_000 {
		j := api.QueueJob{Address: fmt.Sprint(4711 + i)}
		j.Partition, j.Rank, j.Name, j.User, j.Account, j.State, j.Reason, j.GPUs = "gpu", i+1, fmt.Sprint("train-", i%97), fmt.Sprint("user", i%50), fmt.Sprint("account", i%9), "PENDING", "Priority", 1+i%8
		j.Verb, j.Why, j.Arrive = "wait", fmt.Sprintf("waits as %dth: needs %d GPUs, none is free; %d jobs wait ahead", i+1, 1+i%8, i), time.Unix(1.7e9+int64(i), 0)
		answers.queue.Jobs = append(answers.queue.Jobs, j)
	}
	for _, accept := range []string{"", "gzip"} {
		b.Run("accept="+accept, func(b *testing.B) {
			h := newTestHandler(b, func(cfg *Config) { cfg.Answers = answers })
			for b.Loop() {
				w := serve(h, request("GET", "/v1/queue?limit=10000", "", "Accept-Encoding: "+accept))
				if w.Code != 200 {
					b.Fatal(w.Body)
				}
				b.ReportMetric(float64(w.Body.Len()), "B/answer")
			}
		})
	}
}
