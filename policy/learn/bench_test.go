package learn_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"fairbridge/policy/learn"
)

// site is a half year of a large site: users with programs whose names carry
// numbers or not.
func site(n int) []learn.Run {
	r := rand.New(rand.NewPCG(3, 1))
	runs := make([]learn.Run, n)
	for i := range runs {
		u, p := int(2000*r.Float64()*r.Float64()), r.IntN(30)
		at := start.Add(time.Duration(i) * 15 * time.Second)
		ran := time.Duration(r.ExpFloat64()*float64(1+p*p)*60) * time.Second
		name := fmt.Sprint("p", p)
		if p%3 == 0 {
			name = fmt.Sprintf("run-%d-seed-%d", p, r.IntN(1000))
		}
		runs[i] = learn.Run{Start: at, End: at.Add(ran), Ran: ran, Job: learn.Job{User: fmt.Sprint("u", u), Account: fmt.Sprint("a", u%100), Name: name, GPUType: "h100",
			GPUs: 1 << r.IntN(5), Limit: time.Duration(1+r.IntN(48)) * time.Hour}}
	}
	return runs
}

func BenchmarkFitMillion(b *testing.B) {
	runs := site(1_000_000)
	for b.Loop() {
		m := learn.Fit(runs, 20_000)
		b.StopTimer()
		text, err := json.Marshal(m)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(text))/1e6, "MB")
		began := time.Now()
		if _, err := learn.ParseModel(text); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(began).Seconds(), "s-to-read")
		b.StartTimer()
	}
}

func BenchmarkLeft(b *testing.B) {
	runs := site(100_000)
	m := learn.Fit(runs, 20_000)
	i := 0
	for b.Loop() {
		m.RunTimeDistOf(&runs[i%len(runs)].Job).MedianLeft(time.Hour)
		i++
	}
}
