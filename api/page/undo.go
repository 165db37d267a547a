package page

import (
	"net/http"
	"strconv"

	"fairbridge/api"
)

// undoBody asks whether a change is to be undone, or says that it was.
type undoBody struct {
	*api.Action
	CSRF string
}

// maxFormBytes is the most that a form may hold.
const maxFormBytes = 16 << 10

// csrf is what a form must hold; "": who sent the request may only read.
func (h *Handler) csrf(r *http.Request) string {
	if h.cfg.CSRF == nil || h.cfg.Act == nil {
		return ""
	}
	return h.cfg.CSRF(r)
}

// serveUndo undoes a change in two steps, as the API does: what it would do is told first.
func (h *Handler) serveUndo(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxFormBytes)
	id, err := strconv.ParseInt(r.PostFormValue("change"), 10, 64)
	if err != nil || h.csrf(r) == "" {
		h.refuse(w, "changes", &api.Error{Code: api.CodeForbidden, Message: "nothing can be undone by this form here", Try: "fairbridge undo, or a link of an operator's"})
		return
	}
	request := api.ActionRequest{Kind: api.ActionUndo, Change: id, Why: r.PostFormValue("why"), Confirm: r.PostFormValue("confirm")}
	done, err := h.cfg.Act(r, r.PostFormValue("csrf"), request)
	if err != nil {
		h.refuse(w, "changes", err)
		return
	}
	h.render(w, http.StatusOK, "undo", frame{View: "changes", Title: titles["undo"], Body: &undoBody{done, h.csrf(r)}})
}
