package server

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"fairbridge/api"
	"fairbridge/api/wire"
)

// route is one thing that can be asked.
type route struct {
	method, path string
	about        string // for the document
	isPublic     bool   // anybody may ask, with nothing that proves who
	params       []wire.Param
	body         any // a zero value of what is sent; nil: nothing is
	answer       any // a zero value of what is answered
	// prepare reads the request and returns what asks for the answer, and how many rows that
	// may have.
	prepare func(e *exchange) (ask func(context.Context) (any, error), rows int, err error)
	raw     func(e *exchange) error // answers in place of prepare what is not an answer's JSON
}

// errWrongMethod is told where the path is known and the method is not one of its.
var errWrongMethod = &api.Error{Code: api.CodeBadRequest, Message: "this path does not take that method", Try: "header Allow has those that it takes"}

// findRoute finds the route of a request. Paths are compared as they are written, segment by
// segment: nothing is cleaned, and no redirect is told.
func (h *Handler) findRoute(e *exchange) (*route, error) {
	method := e.r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	var allowed []string
	for i := range h.routes {
		rt := &h.routes[i]
		segments, ok := matchPath(rt.path, e.r.URL.EscapedPath())
		if !ok {
			continue
		}
		if rt.method == method {
			e.segments = segments
			for name, text := range segments {
				if err := wire.CheckText("the "+name+" in the address", text); err != nil {
					return nil, err
				}
				e.r.SetPathValue(name, text)
			}
			return rt, nil
		}
		if allowed = append(allowed, rt.method); rt.method == http.MethodGet {
			allowed = append(allowed, http.MethodHead)
		}
	}
	if allowed == nil {
		return nil, &api.Error{Code: api.CodeNotFound, Message: "there is no such path", Try: wire.OpenAPIPath + " describes those there are"}
	}
	slices.Sort(allowed)
	e.w.Header().Set("Allow", strings.Join(allowed, ", "))
	return nil, errWrongMethod
}

// matchPath compares a path with a pattern and returns what stands for its {names}, decoded.
func matchPath(pattern, path string) (segments map[string]string, ok bool) {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return nil, false
	}
	segments = map[string]string{}
	for i, w := range want {
		text, err := url.PathUnescape(got[i])
		name, isName := strings.CutPrefix(w, "{")
		switch {
		case err != nil, isName && text == "", !isName && text != w:
			return nil, false
		case isName:
			segments[strings.TrimSuffix(name, "}")] = text
		}
	}
	return segments, true
}
