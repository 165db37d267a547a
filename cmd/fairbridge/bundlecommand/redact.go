package bundlecommand

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"fairbridge/cmd/settings"
)

// keptFields are the fields of a bundle whose values are fairbridge's own words, times, counts and sizes, whatever a
// site is called: they stay as they are. Whatever has another key is replaced by its hash.
var keptFields = strings.Fields(`version commit go about level form seq at mode policy decisions invariant pushed took
	verb rank gpus kind state changes first last`)

// fieldNames are the names of fields that stay: of other fields not even the name does.
var fieldNames = append(strings.Fields("text fix partition params refused job why on for"), keptFields...)

// unknown stands for the key of a field below which nothing stays.
const unknown = "?"

// keptSettings are the keys of the configuration whose texts are words of fairbridge's.
var keptSettings = strings.Fields("mode plan_as policy level format lever strength weekdays since until")

// redactor replaces values by their keyed hash: the same value by the same one.
type redactor struct {
	key   []byte
	names map[string]string // what was replaced, by its hash
}

// newRedactor makes one with a random key, which nothing keeps.
func newRedactor() *redactor {
	r := &redactor{key: make([]byte, sha256.Size), names: map[string]string{}}
	_, _ = rand.Read(r.key) // never fails
	return r
}

// hash returns what stands for a value; "" for "".
func (r *redactor) hash(value string) string {
	if value == "" {
		return ""
	}
	h := hmac.New(sha256.New, r.key)
	h.Write([]byte(value))
	name := "x" + hex.EncodeToString(h.Sum(nil)[:8])
	r.names[name] = value
	return name
}

// redact returns a document as a bundle has it. Secrets of a configuration stand in files, which are not read.
func (r *redactor) redact(doc any) (any, error) {
	if f, ok := doc.(*settings.File); ok {
		return r.settings("", reflect.ValueOf(f).Elem()), nil
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	var generic any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&generic)
	return r.document("", generic), err
}

// document returns a document, as JSON decodes it with numbers as json.Number, with all but keptFields replaced. key
// is that of the field it stands in.
func (r *redactor) document(key string, doc any) any {
	if slices.Contains(keptFields, key) {
		return doc
	}
	switch v := doc.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, child := range v {
			switch {
			case key == unknown || !slices.Contains(fieldNames, k):
				out[r.hash(k)] = r.document(unknown, child)
			case k == "refused" || slices.Contains(keptFields, k):
				out[k] = r.document(k, child)
			default:
				out[k] = r.document(unknown, child)
			}
		}
		return out
	case []any:
		for i := range v {
			v[i] = r.document(key, v[i])
		}
		return v
	case nil, bool:
		return v
	}
	return r.hash(fmt.Sprint(doc))
}

// settings returns a value of the configuration by its keys. Numbers, times and switches stay, and the texts of
// keptSettings; other texts are replaced, and so are the elements of lists and the keys of maps that a site fills.
func (r *redactor) settings(key string, v reflect.Value) any {
	isKept := slices.Contains(keptSettings, key)
	switch v.Kind() {
	case reflect.Struct:
		out := map[string]any{}
		for i := range v.NumField() {
			if k, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ","); k != "" && k != "-" {
				out[k] = r.settings(k, v.Field(i))
			}
		}
		return out
	case reflect.Map:
		out := map[string]any{}
		for _, k := range v.MapKeys() {
			name := fmt.Sprint(k)
			if key != "params" { // a policy checks what its parameters are called
				name = r.hash(name)
			}
			out[name] = r.settings("", v.MapIndex(k))
		}
		return out
	case reflect.Slice:
		out := make([]any, v.Len())
		for i := range out {
			if x := v.Index(i); isKept || x.Kind() == reflect.Struct {
				out[i] = r.settings(key, x)
			} else {
				out[i] = r.hash(fmt.Sprint(x))
			}
		}
		return out
	case reflect.Interface:
		return r.settings(key, v.Elem())
	case reflect.Invalid: // a parameter without a value
		return nil
	case reflect.String:
		if isKept {
			return v.String()
		}
		return r.hash(v.String())
	}
	if d, ok := v.Interface().(time.Duration); ok {
		return d.String()
	}
	return v.Interface()
}
