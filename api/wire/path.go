// Package wire has how questions travel over HTTP: their paths and parameters, one table
// for the server, the client and the OpenAPI document.
package wire

import (
	"net/url"

	"fairbridge/api"
)

// The paths. {job} and {name} stand for one segment, percent-encoded.
const (
	Root        = "/" + api.Version
	HealthPath  = Root + "/health"
	OpenAPIPath = Root + "/openapi.json"
	MePath      = Root + "/me"
	QueuePath   = Root + "/queue"
	JobPath     = Root + "/jobs/{job}"
	JobUsePath  = Root + "/jobs/{job}/use"
	WhenPath    = Root + "/when"
	ChangesPath = Root + "/changes"
	NodesPath   = Root + "/nodes"
	SharesPath  = Root + "/shares"
	ReportsPath = Root + "/reports"
	ReportPath  = Root + "/reports/{name}"
	PolicyPath  = Root + "/policies"
	StudiesPath = Root + "/studies"
	ActionsPath = Root + "/actions"
	LinkPath    = Root + "/link"
	RedeemPath  = "/link/{token}" // where a browser's one-time link leads
)

// JobURL is the path of a job by its address.
func JobURL(address string) string { return Root + "/jobs/" + url.PathEscape(address) }

// JobUseURL is the path of what a job got and used.
func JobUseURL(address string) string { return JobURL(address) + "/use" }

// ReportURL is the path of a report.
func ReportURL(name string) string { return ReportsPath + "/" + url.PathEscape(name) }

// RequestIDHeader is the header of an answer that has the request's id, as the daemon's log
// names it.
const RequestIDHeader = "X-Request-Id"
