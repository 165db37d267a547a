package server

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
)

//go:embed openapi.json
var document []byte

// serveDocument serves the OpenAPI document.
func (h *Handler) serveDocument(e *exchange) error {
	if _, err := readQuery(e.r, nil); err != nil {
		return err
	}
	e.w.Header().Set("Content-Type", "application/json; charset=utf-8")
	e.send(e.newReply(document, true))
	return nil
}

// serveIndex serves a page that lists the paths. It has nothing that is anybody's.
func (h *Handler) serveIndex(e *exchange) error {
	if _, err := readQuery(e.r, nil); err != nil {
		return err
	}
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>fairbridge</title>\n<h1>fairbridge</h1>\n<p>What can be asked, as JSON:</p>\n<dl>\n")
	for _, rt := range h.routes {
		if rt.about != "" {
			fmt.Fprintf(&b, "<dt>%s %s<dd>%s\n", rt.method, linkTo(&rt), html.EscapeString(rt.about))
		}
	}
	b.WriteString("</dl>\n</html>\n")
	e.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	e.send(e.newReply(b.Bytes(), true))
	return nil
}

// linkTo is a path, as a link where it can be followed.
func linkTo(rt *route) string {
	path := html.EscapeString(rt.path)
	if rt.method != "GET" || bytes.ContainsRune([]byte(rt.path), '{') {
		return path
	}
	return fmt.Sprintf("<a href=%q>%s</a>", path, path)
}
