// Package event lists what may go wrong in a trial of package chaos, and draws
// when it does, by a seed. It does nothing itself.
package event
