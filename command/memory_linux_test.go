package command

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// runPeak runs a process and returns the most memory that it had, as seen shortly before its end. What wait says of it counts the memory of this
// process, too, from which it was forked.
func runPeak(c *exec.Cmd) (peak float64, err error) {
	if err := c.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for {
		select {
		case err := <-ended:
			return peak, err
		case <-time.After(2 * time.Millisecond):
			peak = max(peak, residentPeak(c.Process.Pid))
		}
	}
}

// residentPeak is the most memory that a process had so far, 0 if it has ended.
func residentPeak(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if kilobytes := 0.0; strings.HasPrefix(line, "VmHWM:") {
			fmt.Sscan(strings.TrimPrefix(line, "VmHWM:"), &kilobytes)
			return 1024 * kilobytes
		}
	}
	return 0
}
