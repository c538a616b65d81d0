//go:build !linux

package room

func machine() Supply { return unknown() }
