package settings

import (
	"os"
	"path/filepath"
	"strings"

	"fairbridge/api/server"
)

// ServerLimits returns the bounds of the API's server.
func (a *API) ServerLimits() server.Limits {
	l := server.DefaultLimits()
	l.Rate, l.Burst = a.Rate, a.Burst
	return l
}

// SocketPath is where the API's unix socket is, "" for nowhere. It is the first folder that systemd
// made for the unit where the configuration does not say.
func (a *API) SocketPath() string {
	if a.Socket == "off" {
		return ""
	}
	if a.Socket != "" {
		return a.Socket
	}
	folder, _, _ := strings.Cut(os.Getenv("RUNTIME_DIRECTORY"), ":")
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, "api.sock")
}
