package paper

// baselines are what systems are compared with and what sites run today.
func baselines() []Entry {
	return []Entry{easyEntry(), fifoEntry(), multifactorEntry(), sjfEntry(), srtfEntry()}
}
