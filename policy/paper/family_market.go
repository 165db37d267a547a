package paper

// markets are systems that solve for an allocation.
func markets() []Entry {
	return []Entry{alloxEntry(), gavelEntry(), proportionalEntry(), shockwaveEntry(), themisEntry()}
}
