package formula

import (
	"runtime/metrics"
	"strings"
	"testing"
	"time"
)

const (
	slowest     = 100 * time.Millisecond
	largestRoom = 64 << 20 // bytes
)

// FuzzCompile looks for formulas that panic, take long or ask for much memory, and for errors without a place. The text is
// cut at semicolons into next, minimize, a let binding and constraints.
func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		"normalize(0.4*p + 0.6*d + 0.5*dot(p,q)*q);dot(p, q);1;norm(q) <= 1",
		"where(p > 0, p[0:3], softmax(q));logsumexp(p) + min(q)^2;[[1, 2], [3, 4]];0 <= q <= x[0, 1];sum(q) == 2",
		"A @ p' - outer(p, q)[1];max(p, 2)^0.5;p^-2;abs(q) <= 1", "[p[0], tanh(q[1:])];1/0;-x;q >= 2", "((((;,;];)", "p^1e9;2^2^2^2^2^2;λ·p ≤ 1",
		"outer([q,q,q],[q,q])@outer([q,q],[q,q,q]);mean(exp(p));e;",
	} {
		f.Add(seed, uint16(3))
	}
	f.Fuzz(func(t *testing.T, body string, size uint16) {
		parts := strings.Split(body+";;;", ";")
		n := "[" + strings.Repeat("9", int(size)%8) + "3]"
		s := Source{Decision: "q[3]", State: "p[3]", Trait: "d" + n, Next: parts[0], Minimize: parts[1],
			Let: []Binding{{Name: "x", Expr: parts[2]}}, Subject: parts[3:max(3, len(parts)-3)]}
		m, took, room := measured(s)
		if took > slowest || room > largestRoom {
			t.Fatalf("%v and %d bytes", took, room)
		}
		if m != nil {
			runs(t, m)
		}
	})
}

// measured compiles and tells how much processor time that takes and how many bytes are allocated. What takes long is tried
// again, since a collection of garbage may have come in between. A source with mistakes gives nil.
func measured(s Source) (m *Model, took time.Duration, room uint64) {
	took = slowest + 1
	for try := 0; try < 20 && took > slowest; try++ {
		before, start := allocated(), spent()
		m, _ = Compile(s)
		took = spent() - start
		room = allocated() - before
	}
	return m, took, room
}

func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// runs calls everything a small model offers; what comes out does not matter.
func runs(t *testing.T, m *Model) {
	t.Helper()
	dims := m.Dims()
	if dims.Trait > 1000 {
		return
	}
	p, u, d, g := make([]float64, dims.State), make([]float64, dims.Decision), make([]float64, dims.Trait), make([]float64, dims.State)
	if f := m.Dynamics(); f != nil {
		f.Next(g, p, u, d)
		f.Pullback(g, u, p, u, d, p)
	}
	if o := m.Objective(); o != nil {
		o.Eval(g, nil, p, u, d)
	}
}
