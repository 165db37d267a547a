package settings

import _ "embed"

// Example is a commented configuration with all defaults.
//
//go:embed example.yaml
var Example string
