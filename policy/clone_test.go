package policy

import (
	"reflect"
	"testing"
	"time"
)

// fill sets everything that is exported and below v: lists and maps get two
// members, pointers something to point to.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0))
		fill(v.Index(1))
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)))
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i))
			}
		}
	case reflect.String:
		v.SetString("x")
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint64:
		v.SetUint(7)
	case reflect.Float64:
		v.SetFloat(7)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Interface: // a Forecast, of which Clone writes the answers down
	default:
		panic("a snapshot has a " + v.Type().String() + ": teach Clone and this test")
	}
}

// shared returns where two values of one type share memory that can be written to.
func shared(path string, a, b reflect.Value) []string {
	var out []string
	switch a.Kind() {
	case reflect.Pointer:
		if a.Pointer() == b.Pointer() && !a.IsNil() {
			return []string{path}
		}
		return shared(path, a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() > 0 && a.Pointer() == b.Pointer() {
			out = append(out, path)
		}
		for i := range a.Len() {
			out = append(out, shared(path, a.Index(i), b.Index(i))...)
		}
	case reflect.Struct:
		if a.Type() == reflect.TypeFor[time.Time]() {
			return nil
		}
		for i := range a.NumField() {
			out = append(out, shared(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))...)
		}
	}
	return out
}

// TestCloneSharesNothing: whatever fields a snapshot has, a copy is equal and of
// its own.
func TestCloneSharesNothing(t *testing.T) {
	var s Snapshot
	fill(reflect.ValueOf(&s).Elem())
	s.Memo = MemoFromJSON([]byte(`{"a":1}`))
	c := s.Clone()
	if s.Scratch = nil; !reflect.DeepEqual(&s, c) {
		t.Errorf("%+v\nis cloned as\n%+v", s, *c)
	}
	for _, at := range shared("Snapshot", reflect.ValueOf(s), reflect.ValueOf(*c)) {
		t.Errorf("%s is shared with the clone", at)
	}
}

// TestCloneOfNothing: what is nil stays nil, and what is empty empty, since a
// policy may write one where it wrote the other.
func TestCloneOfNothing(t *testing.T) {
	for _, s := range []Snapshot{{}, {Jobs: []Job{{}}, Nodes: []Node{{}}}, {Jobs: []Job{}, Nodes: []Node{{GPUs: []NodeDevices{}}}}} {
		if c := s.Clone(); !reflect.DeepEqual(&s, c) {
			t.Errorf("%#v is cloned as %#v", s, *c)
		}
	}
}
