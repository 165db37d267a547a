package slurmtest

import (
	"encoding/json"
	"fmt"

	"fairbridge/gear/slurmtest/records"
)

// noEndpointText is what slurmrestd says about paths it does not know, versions
// included.
const noEndpointText = "Unable to find requested URL endpoint. Please query the '/openapi/v3' endpoint for a list of all endpoints."

// reply is an answer: JSON, or text when body is nil.
type reply struct {
	status int
	body   map[string]any
	text   string
}

// addWarning adds an entry to warnings[].
func (r *reply) addWarning(description, source string) {
	list, _ := r.body["warnings"].([]any)
	r.body["warnings"] = append(list, records.NewObject("description", description, "source", source))
}

// encode returns the reply as it goes over the wire.
func (r reply) encode() []byte {
	if r.body == nil {
		return []byte(r.text)
	}
	b, err := json.Marshal(r.body)
	if err != nil {
		panic(fmt.Sprintf("slurmtest: a reply cannot be written: %v", err)) // only values made here go in
	}
	return b
}
