// Package page has what the API answers as web pages: the queue, one job, nodes, shares, idle GPUs, estimates,
// changes and a study. It asks a Source and decides nothing: what a viewer may see, the Source says. Pages are
// made on the server, hold no script of their own text, and work without any.
package page

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"time"

	"fairbridge/api"
	"fairbridge/bridge/printable"
)

//go:embed assets templates
var files embed.FS

// Prefix is the path below which all pages are.
const Prefix = "/page/"

// Config is what pages are made of.
type Config struct {
	// Open returns whom to ask for the answers to a request. Who sent it is the Source's to prove.
	Open func(r *http.Request) Source
	// CSRF returns what a form of an operator must hold so that it is known to be meant, as Act checks it; "", or
	// a nil func: who sent the request may only read here.
	CSRF func(r *http.Request) string
	// Act asks for an action, or has it done, for who sent the request.
	Act func(r *http.Request, csrf string, request api.ActionRequest) (*api.Action, error)
	// Actions returns what operators did, newest first, to an operator who may act here; nil: it is not shown.
	Actions func(r *http.Request) (*api.Actions, error)
	// Note is told on every page: from where the answers are; "": nothing is.
	Note string
	Log  *slog.Logger
	Now  func() time.Time // nil: time.Now
}

// Handler answers with pages.
type Handler struct {
	cfg       Config
	mux       *http.ServeMux
	templates map[string]*template.Template
}

// NewHandler returns a handler of the paths below Prefix.
func NewHandler(cfg Config) *Handler {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	h := &Handler{cfg: cfg, mux: http.NewServeMux(), templates: parseTemplates()}
	for path, v := range map[string]view{
		"queue": {"queue", viewQueue}, "jobs/{job}": {"job", viewJob}, "nodes": {"nodes", viewNodes}, "shares": {"shares", viewShares},
		"idle": {"idle", viewIdle}, "estimates": {"estimates", viewEstimates}, "changes": {"changes", viewChanges}, "study": {"study", viewStudy},
	} {
		h.mux.HandleFunc("GET "+Prefix+path, func(w http.ResponseWriter, r *http.Request) { h.serveView(w, r, v) })
	}
	h.mux.HandleFunc("POST "+Prefix+"undo", h.serveUndo)
	h.mux.Handle("GET "+Prefix+"{$}", http.RedirectHandler(Prefix+"queue", http.StatusSeeOther))
	h.mux.HandleFunc("GET "+Prefix+"assets/{name}", h.serveAsset)
	return h
}

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setHeaders(w.Header())
	h.mux.ServeHTTP(w, r)
}

// setHeaders sets what every page has. Unlike answers, pages name where they are from to this site itself: else
// browsers send a form with the origin null, which is not believed.
func setHeaders(header http.Header) {
	for k, v := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
		"X-Content-Type-Options":  "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "private, no-store",
	} {
		header.Set(k, v)
	}
}

// assetTypes are the files that pages load.
var assetTypes = map[string]string{"page.css": "text/css; charset=utf-8", "page.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml"}

func (h *Handler) serveAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	kind, ok := assetTypes[name]
	text, err := files.ReadFile("assets/" + name)
	if !ok || err != nil {
		h.refuse(w, "", &api.Error{Code: api.CodeNotFound, Message: "there is no such file", Try: Prefix + "queue"})
		return
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(text) // who went away needs no answer
}

// view is one page: a template and what makes its values.
type view struct {
	name string
	make func(h *Handler, r *http.Request, s Source) (any, error)
}

// frame is a page with what stands around it.
type frame struct {
	View, Title, Note string
	Now               time.Time
	IsLive            bool // it may be asked for again by itself
	Body              any
}

func (h *Handler) serveView(w http.ResponseWriter, r *http.Request, v view) {
	body, err := v.make(h, r, h.cfg.Open(r))
	if err != nil {
		h.refuse(w, v.name, err)
		return
	}
	h.render(w, http.StatusOK, v.name, frame{View: v.name, Title: titles[v.name], IsLive: true, Body: body})
}

// refuse tells an error as a page.
func (h *Handler) refuse(w http.ResponseWriter, view string, err error) {
	var told *api.Error
	if !errors.As(err, &told) || told.Status() == 0 {
		h.cfg.Log.Error("a page could not be made", "view", view, "error", err)
		told = &api.Error{Code: api.CodeInternal, Message: "a fault inside fairbridge", Try: "its log says more"}
	}
	h.render(w, told.Status(), "error", frame{View: view, Title: "Not shown", Body: told})
}

// render writes a page, with whatever users wrote in it made harmless.
func (h *Handler) render(w http.ResponseWriter, status int, name string, f frame) {
	f.Now, f.Note = h.cfg.Now(), h.cfg.Note
	var b bytes.Buffer
	if err := h.templates[name].ExecuteTemplate(printable.NewWriter(&b), "frame", &f); err != nil {
		h.cfg.Log.Error("a page could not be written", "view", name, "error", err)
		http.Error(w, "a fault inside fairbridge", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // who went away needs no answer
}
