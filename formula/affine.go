package formula

import "slices"

// affineForm is Σ cₖuₖ + rest, one entry of a value that is affine in the decision. Terms are in order of k, none is zero.
type affineForm struct {
	terms []coefficient
	rest  float64
}

type coefficient struct {
	at int
	c  float64
}

// forms reads the entries of values off the graph as affine forms, exactly as their formulas say.
type forms struct {
	known map[*node][]affineForm
	sums  []float64 // by entry of the decision
	count int       // of all coefficients
}

func newForms(decision int) *forms {
	return &forms{known: map[*node][]affineForm{}, sums: make([]float64, decision)}
}

// weighted is a form times a number.
type weighted struct {
	form affineForm
	by   float64
}

// add returns the sum of forms.
func (f *forms) add(parts ...weighted) (out affineForm) {
	var touched []int
	for _, p := range parts {
		out.rest += float64(p.by * p.form.rest)
		for _, t := range p.form.terms {
			touched = append(touched, t.at)
			f.sums[t.at] += float64(p.by * t.c)
		}
	}
	slices.Sort(touched)
	for _, k := range touched {
		if f.sums[k] != 0 {
			out.terms = append(out.terms, coefficient{k, f.sums[k]})
		}
		f.sums[k] = 0 // it may be touched again
	}
	f.count += len(out.terms) + 1
	return out
}

// of returns the entries of a value that is affine in the decision, nil if there are too many coefficients.
func (f *forms) of(n *node) []affineForm {
	if old, ok := f.known[n]; ok {
		return old
	}
	args := make([][]affineForm, len(n.args))
	for i, a := range n.args {
		if args[i] = f.of(a); args[i] == nil {
			return nil
		}
	}
	out := make([]affineForm, n.shape.size())
	for i := range out {
		if out[i] = f.entry(n, i, args); f.count > maxForms {
			return nil
		}
	}
	f.known[n] = out
	return out
}

// entry returns entry i of a value from the entries of its arguments.
func (f *forms) entry(n *node, i int, args [][]affineForm) affineForm {
	switch n.op {
	case opConst:
		f.count++
		return affineForm{rest: n.data[i]}
	case opDecision:
		f.count++
		return affineForm{terms: []coefficient{{i, 1}}}
	case opAdd:
		return f.add(weighted{pick(args[0], i), 1}, weighted{pick(args[1], i), 1})
	case opSub:
		return f.add(weighted{pick(args[0], i), 1}, weighted{pick(args[1], i), -1})
	case opNeg:
		return f.add(weighted{args[0][i], -1})
	case opMul:
		return f.add(product(pick(args[0], i), pick(args[1], i)))
	case opDiv:
		return f.quotient(pick(args[0], i), pick(args[1], i).rest)
	case opWhere:
		if pick(args[0], i).rest != 0 {
			return pick(args[1], i)
		}
		return pick(args[2], i)
	}
	return f.mixed(n, i, args)
}

// product returns the product of two forms one of which is a number.
func product(x, y affineForm) weighted {
	if len(x.terms) == 0 {
		return weighted{y, x.rest}
	}
	return weighted{x, y.rest}
}

// quotient divides, which is not the same as multiplying by an inverse.
func (f *forms) quotient(x affineForm, by float64) affineForm {
	out := affineForm{rest: x.rest / by}
	for _, t := range x.terms {
		out.terms = append(out.terms, coefficient{t.at, t.c / by})
	}
	f.count += len(out.terms) + 1
	return out
}

// mixed is entry for operations that mix entries.
func (f *forms) mixed(n *node, i int, args [][]affineForm) affineForm {
	x, y := args[0], args[len(args)-1]
	switch n.op {
	case opSum:
		return f.sum(len(x), func(k int) weighted { return weighted{x[k], 1} })
	case opDot:
		return f.sum(len(x), func(k int) weighted { return product(x[k], y[k]) })
	case opOuter:
		return f.add(product(x[i/n.shape.cols], y[i%n.shape.cols]))
	case opMatVec, opVecMat, opMatMat:
		length, first, second, step := n.factors(i)
		return f.sum(length, func(k int) weighted { return product(x[first+k], y[second+k*step]) })
	}
	arg, entry := n.origin(i)
	return args[arg][entry]
}

func (f *forms) sum(n int, part func(k int) weighted) affineForm { return f.add(several(n, part)...) }
