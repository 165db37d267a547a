// Package secure guards the way between probe and bridge: TLS with
// certificates on both sides, and a token that each side proves to know. Files are read again when
// they change, so that certificates and tokens can be renewed without a
// restart.
package secure
