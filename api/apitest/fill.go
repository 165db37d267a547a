// Package apitest has values for tests of both sides of the API.
package apitest

import (
	"fmt"
	"reflect"
	"time"

	"fairbridge/accounting/report"
	"fairbridge/bridge/slurm"
)

// Fill sets every field of what it is given a pointer to, and gives lists two values: a field
// that is lost on its way, or not described, is seen.
func Fill(pointer any) { fill(reflect.ValueOf(pointer).Elem(), 1) }

func fill(v reflect.Value, seed int) {
	switch at := v.Addr().Interface().(type) {
	case *time.Time:
		*at = time.Date(2026, 3, 2, 1, seed%60, 3, 4000, time.UTC)
	case *slurm.Hosts:
		*at = slurm.ReadHosts("n[1-3]")
	case *report.Table:
		*at = report.Table{Columns: []string{"a", "b"}, Rows: [][]any{{"x", 2.0}}}
	default:
		fillKind(v, seed)
	}
}

func fillKind(v reflect.Value, seed int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("s%d\n<é>", seed))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64, reflect.Int32:
		v.SetInt(int64(seed))
	case reflect.Uint64:
		v.SetUint(uint64(seed))
	case reflect.Float64:
		v.SetFloat(float64(seed) + 0.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), seed)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(v.Index(i), seed+i)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
				fill(v.Field(i), seed+i+1)
			}
		}
	}
}
