package crew

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// What cannot be stopped is not waited for, and a panic of it is one here.
func TestUntil(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, stop)
	if _, err := Until(ctx, func() (int, error) { select {} }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if v, err := Until(t.Context(), func() (int, error) { return 7, os.ErrClosed }); v != 7 || err != os.ErrClosed {
		t.Error(v, err)
	}
	defer func() {
		if v, ok := recover().(string); !ok || !strings.Contains(v, "broken row") {
			t.Errorf("recovered %v", v)
		}
	}()
	Until(t.Context(), func() (int, error) { panic("broken row") })
}
