package paper

// own are systems of this project.
func own() []Entry {
	return []Entry{fairbridgeEntry()}
}
