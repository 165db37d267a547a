package server

import (
	"encoding"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/report"
	"fairbridge/api"
)

// object is a value of JSON.
type object map[string]any

// schemas describes Go types as OpenAPI does.
type schemas struct {
	t          testing.TB
	isStrict   bool // fields that are not described are refused, as tests want it
	components object
	comments   map[string]map[string]string // by folder, then by type or type and field
}

// schemaOf describes a type: of a struct a reference.
func (s *schemas) schemaOf(typ reflect.Type) object {
	switch typ {
	case reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case reflect.TypeFor[time.Duration]():
		return object{"type": "integer", "format": "int64", "description": "nanoseconds"}
	case reflect.TypeFor[report.Table]():
		return object{"type": "array", "items": object{"type": "object", "additionalProperties": true}, "description": "An object for each row, with its value for each column."}
	}
	if typ.Kind() != reflect.Pointer && typ.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return object{"type": "string"}
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return s.schemaOf(typ.Elem())
	case reflect.Struct:
		return s.referTo(typ)
	case reflect.Slice:
		return object{"type": "array", "items": s.schemaOf(typ.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": true}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64:
		return object{"type": "number", "format": "double"}
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return object{"type": "integer", "format": "int64"}
	}
	s.t.Fatalf("type %v is not described: add it here", typ)
	return nil
}

// referTo describes a struct among the components and refers to it.
func (s *schemas) referTo(typ reflect.Type) object {
	name := strings.TrimPrefix(typ.PkgPath(), "fairbridge/")
	name = name[strings.LastIndex(name, "/")+1:] + "." + typ.Name()
	name = strings.TrimPrefix(name, "api.")
	if _, known := s.components[name]; !known {
		s.components[name] = object{} // a type may hold itself
		s.components[name] = s.describe(typ)
	}
	return object{"$ref": "#/components/schemas/" + name}
}

// describe describes a struct's fields, and what its own MarshalJSON adds.
func (s *schemas) describe(typ reflect.Type) object {
	properties, required := object{}, []string{}
	s.addFields(typ, properties, &required)
	added := map[reflect.Type]string{reflect.TypeFor[report.JobUse](): "notes", reflect.TypeFor[api.Report](): "columns"}[typ]
	switch added {
	case "notes":
		properties[added] = object{"type": "array", "nullable": true, "items": object{"type": "string"}, "description": "What is worth saying, as sentences."}
	case "columns":
		properties[added] = object{"type": "array", "items": s.schemaOf(reflect.TypeFor[report.Column]()), "description": "Of rows, in order."}
	default:
		if reflect.PointerTo(typ).Implements(reflect.TypeFor[json.Marshaler]()) {
			s.t.Fatalf("type %v writes itself, and is not described: add it here", typ)
		}
	}
	if added != "" {
		required = append(required, added)
	}
	o := object{"type": "object", "properties": properties}
	if len(required) > 0 {
		o["required"] = required
	}
	if text := s.comment(typ, ""); text != "" {
		o["description"] = text
	}
	if s.isStrict || typ == reflect.TypeFor[api.ActionRequest]() {
		o["additionalProperties"] = false
	}
	return o
}

// addFields adds the fields of a struct and of those that are embedded in it.
func (s *schemas) addFields(typ reflect.Type, properties object, required *[]string) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			embedded := f.Type
			if embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			if of := required; typ == reflect.TypeFor[api.AccountShare]() {
				of = &[]string{} // what is private is not there
				s.addFields(embedded, properties, of)
				continue
			}
			s.addFields(embedded, properties, required)
			continue
		case !f.IsExported() || name == "-":
			continue
		case name == "":
			s.t.Fatalf("%v.%s has no name in JSON", typ, f.Name)
		}
		o := s.schemaOf(f.Type)
		if options == "" {
			*required = append(*required, name)
			o = s.orNull(f.Type, o)
		}
		if text := s.comment(typ, f.Name); text != "" && o["$ref"] == nil {
			o["description"] = strings.TrimPrefix(text+"; "+stringOf(o["description"]), "; ")
			o["description"] = strings.TrimSuffix(stringOf(o["description"]), "; ")
		}
		properties[name] = o
	}
}

func stringOf(v any) string { text, _ := v.(string); return text }

// orNull allows null where the value may be nil. What refers to another may say nothing
// beside: it is written out.
func (s *schemas) orNull(typ reflect.Type, o object) object {
	if typ.Kind() != reflect.Pointer && typ.Kind() != reflect.Slice {
		return o
	}
	out := object{}
	if ref := stringOf(o["$ref"]); ref != "" {
		o = s.components[strings.TrimPrefix(ref, "#/components/schemas/")].(object)
	}
	for k, v := range o {
		out[k] = v
	}
	out["nullable"] = true
	return out
}

// comment is what the source says of a type, or of its field.
func (s *schemas) comment(typ reflect.Type, field string) string {
	folder := strings.TrimPrefix(typ.PkgPath(), "fairbridge/")
	if s.comments == nil {
		s.comments = map[string]map[string]string{}
	}
	if s.comments[folder] == nil {
		s.comments[folder] = readComments(s.t, filepath.Join("..", "..", folder))
	}
	return s.comments[folder][typ.Name()+"."+field]
}

// readComments reads the comments of types and their fields.
func readComments(t testing.TB, folder string) map[string]string {
	all := map[string]string{}
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no source in %s: %v", folder, err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			d, ok := n.(*ast.GenDecl)
			for i := 0; ok && i < len(d.Specs); i++ {
				if spec, isType := d.Specs[i].(*ast.TypeSpec); isType {
					readTypeComments(d, spec, all)
				}
			}
			return true
		})
	}
	return all
}

func readTypeComments(d *ast.GenDecl, spec *ast.TypeSpec, all map[string]string) {
	text := d.Doc.Text() + spec.Doc.Text()
	all[spec.Name.Name+"."] = strings.Join(strings.Fields(text), " ")
	st, ok := spec.Type.(*ast.StructType)
	for i := 0; ok && i < len(st.Fields.List); i++ {
		f := st.Fields.List[i]
		for _, name := range f.Names {
			all[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(f.Doc.Text()+" "+f.Comment.Text()), " ")
		}
	}
}
