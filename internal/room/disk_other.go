//go:build !linux && !darwin

package room

// Disk knows nothing here.
func Disk(string) Supply { return unknown() }
