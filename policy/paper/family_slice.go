package paper

// slicing are systems that take turns by service received.
func slicing() []Entry {
	return []Entry{tiresiasEntry(), gandivaEntry(), gandivaFairEntry()}
}
