package conform

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// walker is a rule with every ability: in turn k it deploys u plus a direction of the stream's range k, and it moves by the
// states it sees. A twin changes how it asks, centers, tells or loads.
type walker struct {
	u    []float64
	k    uint64
	bent bends

	asked  bool
	rounds uint64 // in which a twin was asked before it was told
}

// bends are what a twin does after Ask and Center, and instead of Tell and UnmarshalBinary.
type bends struct {
	ask, center func(w *walker, dst []float64)
	tell        func(w *walker, o kedge.Observation) error
	load        func(w *walker, data []byte) error
	save        func(w *walker, b []byte) []byte // after AppendBinary
}

var _ kedge.Explorer = (*walker)(nil)

func (w *walker) Ask(dst []float64) {
	r := stream.New(3, "walker")
	r.Seek(w.k)
	copy(dst, w.u)
	rows.AddScaled(dst, 0.1, normals(r, 2))
	if w.bent.ask != nil {
		w.bent.ask(w, dst)
	}
}

func (w *walker) Center(dst []float64) {
	copy(dst, w.u)
	if w.bent.center != nil {
		w.bent.center(w, dst)
	}
}

func (w *walker) Tell(o kedge.Observation) error {
	if w.bent.tell != nil {
		return w.bent.tell(w, o)
	}
	return w.tell(o)
}

func (w *walker) tell(o kedge.Observation) error {
	if err := errors.Join(kedge.CheckVector("U", o.U, 2), kedge.CheckFinite("P", o.P)); err != nil {
		return err
	}
	for i, p := range o.P {
		w.u[i%2] -= 0.1 * (o.U[i%2] + p)
	}
	w.k++
	return nil
}

func (w *walker) AppendBinary(b []byte) ([]byte, error) {
	b = binary.LittleEndian.AppendUint64(b, w.k)
	for _, v := range w.u {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	if w.bent.save != nil {
		b = w.bent.save(w, b)
	}
	return b, nil
}

func (w *walker) UnmarshalBinary(data []byte) error {
	if w.bent.load != nil {
		return w.bent.load(w, data)
	}
	return w.load(data)
}

func (w *walker) load(data []byte) error {
	if len(data) != 24 {
		return errors.New("a state has 24 bytes")
	}
	w.k = binary.LittleEndian.Uint64(data)
	for i := range w.u {
		w.u[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8+8*i:]))
	}
	return nil
}

func turns() Turns {
	return Turns{Decision: 2, Observe: func(r *stream.Stream, round int, u []float64) kedge.Observation {
		return kedge.Observation{Round: round, U: u, P: normals(r, 6), D: normals(r, 3), W: []float64{1, 2, 1}, Who: []uint64{7, 1, 4}, Loss: r.Normal()}
	}}
}

func start(b bends) func() kedge.Algorithm {
	return func() kedge.Algorithm { return &walker{u: []float64{1, 1}, bent: b} }
}

func TestAlgorithmAcceptsARightOne(t *testing.T) {
	Algorithm(t, start(bends{}), turns())
	Algorithm(t, func() kedge.Algorithm { return struct{ kedge.Algorithm }{start(bends{})()} }, turns())
}

func TestAlgorithmCatchesBrokenOnes(t *testing.T) {
	noise := restless()
	var twins []twin
	add := func(name, caught string, b bends) {
		twins = append(twins, twin{name, caught, func(t testing.TB) { Algorithm(t, start(b), turns()) }})
	}
	add("fails", "the first run", bends{tell: func(*walker, kedge.Observation) error { return errors.New("no") }})
	add("asks NaN", "the first run", bends{ask: func(_ *walker, dst []float64) { dst[1] = math.NaN() }})
	add("moves on Ask", "Ask repeats itself until Tell", bends{ask: func(w *walker, _ []float64) { w.u[0]++ }})
	add("reads dst", "Center repeats itself until Tell", bends{center: func(w *walker, dst []float64) { dst[0] += noise() }})
	add("restless", "the same observations give the same bits", bends{tell: func(w *walker, o kedge.Observation) error {
		w.u[0] += noise()
		return w.tell(o)
	}})
	add("keeps U", "Tell keeps no slice", bends{tell: func(w *walker, o kedge.Observation) error {
		err := w.tell(o)
		w.u = o.U
		return err
	}})
	add("keeps Who", "Tell keeps no slice", bends{tell: func(w *walker, o kedge.Observation) error {
		w.bent.ask = func(_ *walker, dst []float64) { dst[0] += float64(o.Who[0]) }
		return w.tell(o)
	}})
	add("changes Who", "Tell changes no observation", bends{tell: func(w *walker, o kedge.Observation) error {
		err := w.tell(o)
		slices.Sort(o.Who)
		return err
	}})
	for _, part := range []string{"U", "P", "D", "W"} {
		add("changes "+part, "Tell changes no observation", bends{tell: func(w *walker, o kedge.Observation) error {
			err := w.tell(o)
			map[string][]float64{"U": o.U, "P": o.P, "D": o.D, "W": o.W}[part][0] = 0
			return err
		}})
	}
	addRefusals(add)
	names := append(propertyNames((&script{}).properties()), "the first run")
	catch(t, names, twins)
}

func addRefusals(add func(name, caught string, b bends)) {
	add("takes NaN", "Tell refuses NaN", bends{tell: func(w *walker, o kedge.Observation) error {
		if !rows.Finite(o.P) && rows.Finite(o.U) {
			w.k++
			return nil
		}
		return w.tell(o)
	}})
	add("looks at nothing", "Tell refuses NaN", bends{tell: func(w *walker, _ kedge.Observation) error {
		w.k++
		return nil
	}})
	add("uses a NaN loss", "Tell refuses NaN", bends{tell: func(w *walker, o kedge.Observation) error {
		err := w.tell(o)
		if err == nil && o.Loss > 0 {
			w.u[0]++
		}
		return err
	}})
	add("changes before it fails", "Tell refuses NaN", bends{tell: func(w *walker, o kedge.Observation) error {
		w.u[0]++
		return w.tell(o)
	}})
	add("takes any length", "Tell refuses wrong lengths", bends{tell: func(w *walker, o kedge.Observation) error {
		o.U = o.U[:2]
		return w.tell(o)
	}})
	add("skips a wrong length", "Tell refuses wrong lengths", bends{tell: func(w *walker, o kedge.Observation) error {
		if len(o.U) != 2 {
			return nil
		}
		return w.tell(o)
	}})
	add("skips a torn state", "a saved state goes on", bends{load: func(w *walker, data []byte) error {
		if len(data) != 24 {
			return nil
		}
		return w.load(data)
	}})
	add("loads a torn state", "a saved state goes on", bends{load: func(w *walker, data []byte) error {
		return w.load(slices.Concat(data, make([]byte, 24))[:24])
	}})
	add("is changed by a torn state", "a saved state goes on", bends{load: func(w *walker, data []byte) error {
		err := w.load(data)
		if err != nil {
			w.u[0]++
		}
		return err
	}})
	add("forgets its turn", "a saved state goes on", bends{load: func(w *walker, data []byte) error {
		err := w.load(data)
		w.k = 0
		return err
	}})
	add("forgets that it was asked", "a saved state goes on", bends{
		ask: func(w *walker, _ []float64) { w.asked = true },
		tell: func(w *walker, o kedge.Observation) error {
			err := w.tell(o)
			if err == nil && w.asked {
				w.asked, w.rounds = false, w.rounds+1
			}
			return err
		},
		save: func(w *walker, b []byte) []byte { return binary.LittleEndian.AppendUint64(b, w.rounds) },
		load: func(w *walker, data []byte) error {
			if len(data) != 32 {
				return errors.New("a state has 32 bytes")
			}
			return w.load(data[:24])
		},
	})
}
