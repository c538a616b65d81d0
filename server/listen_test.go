package server_test

import (
	"net"
	"testing"
	"time"
)

// listenAgain takes an address that was just given back.
func listenAgain(t *testing.T, address string) net.Listener {
	t.Helper()
	for range 100 {
		if l, err := net.Listen("tcp", address); err == nil {
			return l
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%s is not free again", address)
	return nil
}
