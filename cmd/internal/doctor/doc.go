// Package doctor looks at everything fairbridge stands on and says what is
// wrong, each finding with its fix. It changes nothing.
package doctor
