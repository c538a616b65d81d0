package served

import (
	"context"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/heap"
)

// However many people are told, the service takes no more memory: what it keeps of a closed decision is on the disk.
func TestTellsTakeNoMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("tells for seconds")
	}
	all, decision := 4_000, 200
	if os.Getenv("KEDGE_TORTURE") != "" {
		all, decision = 1_000_000, 500
	}
	const loops, parts = 10, 20
	err := in(nil, func(s *site) error {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		clients, err := voices(ctx, s, loops)
		if err != nil {
			return err
		}
		var told, heaps []float64
		for part := 1; part <= parts; part++ {
			var here sync.WaitGroup
			for _, v := range clients {
				here.Go(func() {
					var count atomic.Int64
					for count.Load() < int64(all/loops/parts) && ctx.Err() == nil {
						if err := v.decision(ctx, min(decision, all/loops/parts-int(count.Load())), time.Now().Add(time.Hour), &count); err != nil {
							cancel(err)
						}
					}
				})
			}
			here.Wait()
			if err := context.Cause(ctx); err != nil {
				return err
			}
			told, heaps = append(told, float64(part*all/parts)), append(heaps, float64(heap.Live()))
		}
		slope := slope(told[parts/2:], heaps[parts/2:]) * 1e5 / 1e6
		t.Logf("%d tells: live heap %.1f MB at half, %.1f MB at the end, %.3f MB more each 100,000; most memory ever %s", all, heaps[parts/2]/1e6, heaps[parts-1]/1e6, slope, peak(t))
		if os.Getenv("KEDGE_TORTURE") != "" && slope > 0.5 {
			t.Errorf("the live heap grows by %.3f MB each 100,000 tells, want at most 0.5", slope)
		}
		if grown := heaps[parts-1] - heaps[parts/2]; grown > 1e6 {
			t.Errorf("the live heap grew by %.1f MB over the last half", grown/1e6)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// slope is that of the straight line through points, by least squares.
func slope(x, y []float64) float64 {
	mx, my := 0.0, 0.0
	for i := range x {
		mx, my = mx+x[i]/float64(len(x)), my+y[i]/float64(len(y))
	}
	xy, xx := 0.0, 0.0
	for i := range x {
		xy += float64((x[i] - mx) * (y[i] - my))
		xx += float64((x[i] - mx) * (x[i] - mx))
	}
	return xy / xx
}

// peak is the most memory that this process has had, as the system counts it.
func peak(t *testing.T) string {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(text)) {
		if value, is := strings.CutPrefix(line, "VmHWM:"); is {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}
