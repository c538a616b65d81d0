// Package targets keeps results the same on all targets. It holds tests only: one reads from the compiler which products it fuses with
// sums for GOAMD64=v3 and arm64, where only exact ones may be; the other runs short specs on v1, v3 and arm64 and compares their folders.
package targets
