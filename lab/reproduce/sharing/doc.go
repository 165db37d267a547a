// Package sharing holds the claims of papers on where jobs run and beside which against our
// simulator, as package reproduce does those of others. It has tests only.
package sharing
