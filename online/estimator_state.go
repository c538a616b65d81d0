package online

import (
	"math"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
)

var (
	_ wire.State = (*DerivativeFree)(nil)
	_ wire.State = (*OnePoint)(nil)
	_ wire.State = (*TwoPoint)(nil)
	_ wire.State = (*Performative)(nil)
	_ wire.State = (*PlugIn)(nil)
	_ wire.State = (*Recursive)(nil)
)

const (
	derivativeFreeKind = "online.DerivativeFree/1"
	onePointKind       = "online.OnePoint/1"
	twoPointKind       = "online.TwoPoint/1"
	performativeKind   = "online.Performative/1"
	plugInKind         = "online.PlugIn/1"
	recursiveKind      = "online.Recursive/1"
)

// save appends what an estimator with a direction remembers: what write writes, then the direction and its source.
func (e *direction) save(b []byte, kind string, write func(w *wire.Writer)) ([]byte, error) {
	source, err := e.state()
	if err != nil {
		return b, err
	}
	w := wire.Write(b, kind)
	write(w)
	e.write(w, source)
	return w.Finish()
}

// load reads what save wrote: read reads its part and returns what takes it over, once all else is in order.
func (e *direction) load(data []byte, kind string, read func(r *wire.Reader) (take func())) error {
	if _, err := e.state(); err != nil {
		return err
	}
	r := wire.Read(data, kind)
	take := read(r)
	d, source := e.read(r)
	if err := r.Finish(); err != nil {
		return err
	}
	if err := e.restore(d, source); err != nil {
		return err
	}
	take()
	return nil
}

// loss reads a loss, which may be NaN where there is none yet.
func loss(r *wire.Reader) float64 {
	x := r.Float()
	if math.IsInf(x, 0) {
		r.Fail("the last loss is %v", x)
	}
	return x
}

// floats reads finite numbers.
func floats(r *wire.Reader) []float64 {
	x := r.Floats()
	if !rows.Finite(x) {
		r.Fail("a saved number is not finite")
	}
	return x
}

// AppendBinary appends the last loss, this turn's direction if there is one already, and the source's state.
func (e *DerivativeFree) AppendBinary(b []byte) ([]byte, error) {
	return e.save(b, derivativeFreeKind, func(w *wire.Writer) { w.Float(e.previous) })
}

// UnmarshalBinary makes e go on where the saved estimator was. On an error e is unchanged.
func (e *DerivativeFree) UnmarshalBinary(data []byte) error {
	return e.load(data, derivativeFreeKind, func(r *wire.Reader) func() {
		previous := loss(r)
		return func() { e.previous = previous }
	})
}

// AppendBinary appends this turn's direction if there is one already, and the source's state.
func (e *OnePoint) AppendBinary(b []byte) ([]byte, error) {
	return e.save(b, onePointKind, func(*wire.Writer) {})
}

// UnmarshalBinary makes e go on where the saved estimator was. On an error e is unchanged.
func (e *OnePoint) UnmarshalBinary(data []byte) error {
	return e.load(data, onePointKind, func(*wire.Reader) func() { return func() {} })
}

// AppendBinary appends which decision is deployed, the first loss, the direction and the source's state.
func (e *TwoPoint) AppendBinary(b []byte) ([]byte, error) {
	return e.save(b, twoPointKind, func(w *wire.Writer) {
		w.Bool(e.below)
		w.Float(e.above)
	})
}

// UnmarshalBinary makes e go on where the saved estimator was. On an error e is unchanged.
func (e *TwoPoint) UnmarshalBinary(data []byte) error {
	return e.load(data, twoPointKind, func(r *wire.Reader) func() {
		below, above := r.Bool(), r.Float()
		if below && !rows.Finite([]float64{above}) {
			r.Fail("the first loss is %v", above)
		}
		return func() { e.below, e.above = below, above }
	})
}

// AppendBinary appends the deployments of the window, oldest first, the direction and the source's state.
func (e *Performative) AppendBinary(b []byte) ([]byte, error) {
	return e.save(b, performativeKind, func(w *wire.Writer) {
		w.Int(e.count)
		for i := max(0, e.count-e.window()+1); i < e.count; i++ {
			w.Floats(e.decision(i))
			w.Floats(e.mean(i))
		}
	})
}

// UnmarshalBinary makes e go on where the saved estimator was. On an error e is unchanged.
func (e *Performative) UnmarshalBinary(data []byte) error {
	return e.load(data, performativeKind, func(r *wire.Reader) func() {
		saved := *e
		saved.decisions, saved.means = make([]float64, len(e.decisions)), make([]float64, len(e.means))
		saved.count = r.Int(mostTurns)
		for i := max(0, saved.count-e.window()+1); i < saved.count; i++ {
			r.Fill(saved.decision(i))
			r.Fill(saved.mean(i))
		}
		if !rows.Finite(saved.decisions) || !rows.Finite(saved.means) {
			r.Fail("a deployment of the window is not finite")
		}
		return func() { e.count, e.decisions, e.means = saved.count, saved.decisions, saved.means }
	})
}

// AppendBinary appends what the trials showed, the direction and the source's state.
func (e *PlugIn) AppendBinary(b []byte) ([]byte, error) {
	return e.save(b, plugInKind, func(w *wire.Writer) {
		w.Bool(e.done)
		w.Int(len(e.sizes))
		for _, n := range e.sizes {
			w.Int(n)
		}
		for _, x := range [][]float64{e.decisions, e.p, e.d} {
			w.Floats(x)
		}
	})
}

// UnmarshalBinary makes e go on where the saved method was. On an error e is unchanged.
func (e *PlugIn) UnmarshalBinary(data []byte) error {
	return e.load(data, plugInKind, func(r *wire.Reader) func() {
		done, total := r.Bool(), 0
		var sizes []int
		for range r.Int(e.trials) {
			sizes = append(sizes, r.Int(math.MaxInt32))
			total += sizes[len(sizes)-1]
		}
		decisions, p, d := floats(r), floats(r), floats(r)
		if len(decisions) != len(sizes)*e.dims.Decision || len(p) != total*e.dims.State || len(d) != total*e.dims.Trait {
			r.Fail("%d trials do not fit %d decisions, %d states and %d traits", len(sizes), len(decisions), len(p), len(d))
		}
		return func() { e.done, e.sizes, e.decisions, e.p, e.d = done, sizes, decisions, p, d }
	})
}

// AppendBinary appends the estimate, and who will be seen again.
func (r *Recursive) AppendBinary(b []byte) ([]byte, error) {
	w := wire.Write(b, recursiveKind)
	w.Bool(r.began)
	for _, x := range [][]float64{r.average, r.before, r.who} {
		w.Floats(x)
	}
	return w.Finish()
}

// UnmarshalBinary makes r go on where the saved estimator was. On an error r is unchanged.
func (r *Recursive) UnmarshalBinary(data []byte) error {
	in := wire.Read(data, recursiveKind)
	began, average, before, who := in.Bool(), floats(in), floats(in), floats(in)
	if len(average) != len(r.average) || len(before) != len(r.before) {
		in.Fail("estimates of %d and %d numbers, want %d", len(average), len(before), len(r.average))
	}
	if err := in.Finish(); err != nil {
		return err
	}
	r.began, r.average, r.before, r.who = began, average, before, who
	return nil
}
