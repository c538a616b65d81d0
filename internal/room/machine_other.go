//go:build !linux

package room

func machine() Bound { return unknown() }
