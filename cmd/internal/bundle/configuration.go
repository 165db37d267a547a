package bundle

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"fairbridge/cmd/settings"
)

// setText stands for a text of the configuration that is not told.
const setText = "(set)"

// toldKeys are the keys of the configuration whose texts are told: choices, and names that are replaced later. Of all
// others, such as addresses, paths, commands and what a later release adds, only that they are set.
var toldKeys = strings.Fields(`cluster name mode plan_as policy signal level format lever private user slurm_user operators account accounts
	partitions qos exempt_users exempt_accounts exempt_partitions weekdays since until time_zone api`)

// newConfiguration is what is told of a configuration.
func newConfiguration(f *settings.File) any { return told(reflect.ValueOf(f), "") }

// told returns a value of the configuration as JSON has it, by the keys of the file.
func told(v reflect.Value, key string) any {
	if d, ok := v.Interface().(time.Duration); ok {
		return json.Number(fmt.Sprint(d.Seconds())) // seconds
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return told(v.Elem(), key)
	case reflect.Struct:
		return toldStruct(v)
	case reflect.Map:
		out := map[string]any{}
		for _, k := range v.MapKeys() {
			out[k.String()] = told(v.MapIndex(k), k.String())
		}
		return out
	case reflect.Slice:
		out := make([]any, v.Len())
		for i := range out {
			out[i] = told(v.Index(i), key)
		}
		return out
	case reflect.String:
		if v.String() == "" || slices.Contains(toldKeys, key) {
			return v.String()
		}
		return setText
	}
	return v.Interface()
}

func toldStruct(v reflect.Value) any {
	out := map[string]any{}
	for i := range v.NumField() {
		key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		switch {
		case !v.Type().Field(i).IsExported() || key == "-":
		default:
			out[key] = told(v.Field(i), key)
		}
	}
	return out
}
