//go:build !race

package heap

// Race tells whether the race detector watches, under which pools forget what they hold and allocations cannot be counted.
const Race = false
