package work

// Tables are measured speeds in steps per second of the whole job.
type Tables struct {
	alone  map[key]float64
	beside map[pair]float64
	types  []string
}

type key struct {
	typ, class string
	gpus       int
}

type pair struct {
	key
	other string
}
