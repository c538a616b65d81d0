package device

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// Where there is no device, opening one says why and what to do.
func TestAbsence(t *testing.T) {
	list, err := List(nil)
	if err == nil && len(list) > 0 {
		t.Skip("there is a device")
	}
	var absent *AbsentError
	if _, err := Open(nil, 0); !errors.As(err, &absent) || absent.Reason == "" || !strings.Contains(absent.Remedy, "--device cpu") {
		t.Errorf("opening none says %v", err)
	}
}

// Codes after which a process can do nothing more with its device are told apart from others: by the driver's book what is lost or not to be mended (4, 46, 214, 219, 226, 999), and what
// kernels did (700 to 720, but for those that say how a context is used).
func TestLastingCodes(t *testing.T) {
	last := []int{4, 46, 214, 219, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 720, 999}
	for code := range 1100 {
		if got := (&DriverError{Code: code}).isLasting(); got != slices.Contains(last, code) {
			t.Errorf("code %d is lasting: %t", code, got)
		}
	}
}

// A window refuses what lies beyond it.
func TestWindowsHaveEnds(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("numbers beyond the end are handed out")
		}
	}()
	(&Locked{Bytes: 16}).Doubles(8, 2)
}
