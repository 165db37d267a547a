package server

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"fairbridge/api"
	"fairbridge/api/identity"
	"fairbridge/api/wire"
)

var update = flag.Bool("update", false, "write openapi.json anew")

// newDocument describes the routes.
func newDocument(t testing.TB, isStrict bool) object {
	s := &schemas{t: t, isStrict: isStrict, components: object{}}
	paths := object{}
	for _, rt := range newTestHandler(t).routes {
		if rt.about == "" {
			continue
		}
		if paths[rt.path] == nil {
			paths[rt.path] = object{}
		}
		paths[rt.path].(object)[strings.ToLower(rt.method)] = s.describeRoute(rt)
	}
	errorSchema := s.schemaOf(reflect.TypeFor[api.Error]())
	return object{
		"openapi": "3.0.3",
		"info": object{"title": "fairbridge", "version": api.Version, "license": object{"name": "see LICENSE"},
			"description": "What can be asked of fairbridge. Within a version fields and paths are added, never renamed, retyped or removed: ignore what you do not know. Times are RFC 3339 in UTC. Over a unix socket the kernel tells who asks, over TLS a munge credential of the request, a cookie, or a reverse proxy."},
		"paths": paths,
		"components": object{
			"schemas": s.components,
			"responses": object{"Error": object{"description": "Why there is no answer.", "content": object{"application/json": object{
				"schema": object{"type": "object", "required": []string{"error"}, "properties": object{"error": errorSchema}, "additionalProperties": false}}}}},
			"securitySchemes": object{
				"munge":  object{"type": "apiKey", "in": "header", "name": "Authorization", "description": "Munge CREDENTIAL, made for this very request."},
				"cookie": object{"type": "apiKey", "in": "cookie", "name": identity.SessionCookie, "description": "What a one-time link leaves in a browser; an action needs header " + identity.CSRFHeader + " too, with the value of cookie " + identity.CSRFCookie + "."},
			},
		},
		"security": []object{{"munge": []string{}}, {"cookie": []string{}}, {}},
	}
}

// errorStatuses are the statuses by which a route may tell an error.
func errorStatuses(rt route) []string {
	list := []string{"400", "413", "429", "500", "503"}
	if !rt.isPublic {
		list = append(list, "401", "403", "404")
	}
	if rt.method == http.MethodPost {
		list = append(list, "409")
	}
	return list
}

func (s *schemas) describeRoute(rt route) object {
	responses := object{}
	for _, status := range errorStatuses(rt) {
		responses[status] = object{"$ref": "#/components/responses/Error"}
	}
	responses["200"] = object{"description": "The answer.", "content": object{"application/json": object{"schema": s.schemaOf(reflect.TypeOf(rt.answer))}},
		"headers": object{"ETag": object{"description": "Of the answer and who sees it, for If-None-Match.", "schema": object{"type": "string"}}}}
	if rt.method == http.MethodGet {
		responses["304"] = object{"description": "The answer is the one that If-None-Match names."}
	}
	o := object{"summary": rt.about, "operationId": operationID(rt), "responses": responses}
	if parameters := describeParams(rt); len(parameters) > 0 {
		o["parameters"] = parameters
	}
	if rt.isPublic {
		o["security"] = []object{}
	}
	if rt.body != nil {
		schema := object{"type": "object", "additionalProperties": false, "maxProperties": 0}
		if typ := reflect.TypeOf(rt.body); typ.NumField() > 0 {
			schema = s.schemaOf(typ)
		}
		o["requestBody"] = object{"required": true, "content": object{"application/json": object{"schema": schema}}}
	}
	return o
}

// operationID names an operation: getJobsUse.
func operationID(rt route) string {
	id := strings.ToLower(rt.method)
	for part := range strings.SplitSeq(strings.TrimPrefix(rt.path, wire.Root), "/") {
		part = strings.Trim(strings.TrimSuffix(part, ".json"), "{}")
		if part != "" {
			id += strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return id
}

func describeParams(rt route) []object {
	var list []object
	for part := range strings.SplitSeq(rt.path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			list = append(list, object{"name": strings.TrimSuffix(name, "}"), "in": "path", "required": true, "schema": object{"type": "string", "minLength": 1}})
		}
	}
	for _, p := range rt.params {
		schema := map[reflect.Type]object{
			reflect.TypeFor[*string]():        {"type": "string"},
			reflect.TypeFor[*int]():           {"type": "integer", "format": "int64"},
			reflect.TypeFor[*bool]():          {"type": "boolean"},
			reflect.TypeFor[*[]string]():      {"type": "array", "items": object{"type": "string"}},
			reflect.TypeFor[*time.Time]():     {"type": "string", "format": "date-time"},
			reflect.TypeFor[*time.Duration](): {"type": "string", "example": "8h30m"},
		}[reflect.TypeOf(p.Target)]
		if p.Name == wire.LimitName {
			schema["minimum"], schema["maximum"] = 0, api.MaxLimit
		}
		list = append(list, object{"name": p.Name, "in": "query", "description": p.About, "schema": schema})
	}
	return list
}

// TestDocument wants the document that is served to be the one of the types and routes.
func TestDocument(t *testing.T) {
	var want bytes.Buffer
	e := json.NewEncoder(&want)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(newDocument(t, false)); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("openapi.json", want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(document, want.Bytes()) {
		t.Error("openapi.json is not of these routes and types: go test ./api/server -run TestDocument -update")
	}
	loadDocument(t, want.Bytes())
}

func loadDocument(t testing.TB, raw []byte) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err == nil {
		err = doc.Validate(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
