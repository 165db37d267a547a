package paper

// sharing are systems that divide the cluster among accounts.
func sharing() []Entry {
	return []Entry{astraeaEntry(), carbyneEntry(), drfEntry(), hugEntry(), refEntry()}
}
