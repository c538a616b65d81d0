package main

import (
	"bytes"
	"os"
	"testing"
)

// The log in this folder is what the program writes.
func TestTheLogIsWhatIsWritten(t *testing.T) {
	var b bytes.Buffer
	write(&b)
	if os.Getenv("KEDGE_UPDATE") != "" {
		if err := os.WriteFile("shop.csv", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	was, err := os.ReadFile("shop.csv")
	if err != nil || !bytes.Equal(was, b.Bytes()) {
		t.Errorf("shop.csv is not what is written today (%v); KEDGE_UPDATE=1 writes it anew", err)
	}
}
