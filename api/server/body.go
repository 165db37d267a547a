package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"fairbridge/api"
)

// readBody reads a request's JSON strictly: one value, with no field that is not known. What
// a form of another site could send is refused by its type.
func readBody(r *http.Request, into any) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" || len(r.Header.Values("Content-Type")) > 1 {
		return &api.Error{Code: api.CodeBadRequest, Message: "the body is not said to be JSON", Try: "send header Content-Type: application/json"}
	}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err = d.Decode(into); err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		err = errors.Join(errors.New("something follows the value"), err)
	}
	return &api.Error{Code: api.CodeBadRequest, Message: fmt.Sprintf("the body cannot be read: %.200s", err), Try: "/v1/openapi.json describes it"}
}
