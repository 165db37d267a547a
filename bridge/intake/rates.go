package intake

import (
	"time"

	"fairbridge/bridge"
)

// Rates are told by the minute, those of the last half hour.
const (
	rateWindow = time.Minute
	mostRates  = 30
)

// sumRates returns the requests a second that jobs together had in each window before an end, the last one last; nil
// where a window has not passed since the first count. What a job counts between two reports is spread evenly; one that
// counts less than before has begun anew.
func sumRates(counts [][]bridge.RequestCount, end time.Time) []float64 {
	first := end
	for _, list := range counts {
		if len(list) > 0 && list[0].At.Before(first) {
			first = list[0].At
		}
	}
	n := min(int(end.Sub(first)/rateWindow), mostRates)
	if n <= 0 {
		return nil
	}
	rates := make([]float64, n)
	begin := end.Add(-time.Duration(n) * rateWindow)
	for _, list := range counts {
		for i := 1; i < len(list); i++ {
			more := list[i].Count - list[i-1].Count
			if more < 0 {
				more = list[i].Count
			}
			addSpread(rates, begin, list[i-1].At, list[i].At, more)
		}
	}
	return rates
}

// addSpread adds so many requests that came evenly between two times.
func addSpread(rates []float64, begin, from, to time.Time, requests float64) {
	length := to.Sub(from).Seconds()
	if length <= 0 {
		return
	}
	for i := range rates {
		opens := begin.Add(time.Duration(i) * rateWindow)
		closes := opens.Add(rateWindow)
		if from.After(opens) {
			opens = from
		}
		if to.Before(closes) {
			closes = to
		}
		if within := closes.Sub(opens).Seconds(); within > 0 {
			rates[i] += requests * within / length / rateWindow.Seconds()
		}
	}
}
