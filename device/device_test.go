package device

import (
	"errors"
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

// Codes after which a process can do nothing more with its device are told apart from others.
func TestLastingCodes(t *testing.T) {
	for code, want := range map[int]bool{1: false, 2: false, 222: false, 700: true, 719: true, 214: true, 999: true} {
		if got := (&DriverError{Code: code}).isLasting(); got != want {
			t.Errorf("code %d is lasting: %t, want %t", code, got, want)
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
