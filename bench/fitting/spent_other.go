//go:build !unix

package main

// spent is not known here.
func spent() float64 { return 0 }
