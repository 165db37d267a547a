package work

import "slices"

// NewTables returns empty tables.
func NewTables() *Tables {
	return &Tables{alone: map[key]float64{}, beside: map[pair]float64{}}
}

// SetAlone says how many steps per second a job of the class makes on so many
// GPUs of the type, alone; 0: it does not fit there.
func (t *Tables) SetAlone(typ, class string, gpus int, steps float64) {
	if i, known := slices.BinarySearch(t.types, typ); !known {
		t.types = slices.Insert(t.types, i, typ)
	}
	t.alone[key{typ, class, gpus}] = steps
}

// SetBeside says how many it makes while it shares them with a job of another
// class; 0: they do not fit together.
func (t *Tables) SetBeside(typ, class string, gpus int, other string, steps float64) {
	t.beside[pair{key{typ, class, gpus}, other}] = steps
}
