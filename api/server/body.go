package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"unicode/utf8"

	"fairbridge/api"
	"fairbridge/api/wire"
)

// readBody reads a request's JSON strictly: one value, with no field that is not known. What
// a form of another site could send is refused by its type.
func readBody(r *http.Request, into any) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" || len(r.Header.Values("Content-Type")) > 1 {
		return &api.Error{Code: api.CodeBadRequest, Message: "the body is not said to be JSON", Try: "send header Content-Type: application/json"}
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return &api.Error{Code: api.CodeBadRequest, Message: "the body did not arrive"}
	}
	if err := checkTexts(raw); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err = d.Decode(into); err == nil {
		if _, err = d.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		err = errors.Join(errors.New("something follows the value"), err)
	}
	return &api.Error{Code: api.CodeBadRequest, Message: fmt.Sprintf("the body cannot be read: %.200s", err), Try: "/v1/openapi.json describes it"}
}

// checkTexts refuses JSON whose texts are none that may be sent. What is no JSON is left to its reader.
func checkTexts(raw []byte) error {
	if !utf8.Valid(raw) {
		return wire.CheckText("the body", string(raw))
	}
	for d := json.NewDecoder(bytes.NewReader(raw)); ; {
		token, err := d.Token()
		if err != nil {
			return nil
		}
		if text, ok := token.(string); ok {
			if err := wire.CheckText("a text of the body", text); err != nil {
				return err
			}
		}
	}
}
