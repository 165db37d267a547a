package slurmtest

// Call is one request as it arrived and what was answered.
type Call struct {
	Method string
	Path   string // without the query
	Query  string
	Body   string
	User   string
	Status int  // 0: no answer was sent
	Write  bool // it could change something
}

// Counts are numbers of requests since the start or the last Reset.
type Counts struct{ Reads, Writes int }

// countCalls says how many of the calls were reads and writes.
func countCalls(calls []Call) Counts {
	var c Counts
	for i := range calls {
		if calls[i].Write {
			c.Writes++
		} else {
			c.Reads++
		}
	}
	return c
}
