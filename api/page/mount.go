package page

import (
	"net/http"
	"strings"

	"fairbridge/api/identity"
)

// Mount puts pages beside the API on one listener: what is below Prefix is theirs. A browser that just followed its
// link comes to / with its session and is sent to the queue.
func Mount(answers http.Handler, pages *Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, Prefix):
			pages.ServeHTTP(w, r)
		case r.URL.Path == "/" && r.Method == http.MethodGet && len(r.CookiesNamed(identity.SessionCookie)) == 1:
			setHeaders(w.Header())
			http.Redirect(w, r, Prefix+"queue", http.StatusSeeOther)
		default:
			answers.ServeHTTP(w, r)
		}
	})
}
