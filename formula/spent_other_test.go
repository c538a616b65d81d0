//go:build !unix

package formula

import "time"

var began = time.Now()

// spent is the time since the tests began, where that of the processor is not told.
func spent() time.Duration { return time.Since(began) }
