package forecast

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/fit"
	"github.com/kedge-opt/kedge/formula"
	"gonum.org/v1/gonum/stat/distuv"
)

// Errors are what a fitted model misses, row by row.
func Errors(f *formula.Regressor, l fit.Log, fitted *fit.Fitted) []float64 {
	m := f.States
	out, row := make([]float64, len(l.After)), make([]float64, f.Width())
	_, group := l.People()
	var shift map[int]int
	if len(fitted.Shifts) > 0 {
		shift = map[int]int{}
		for at, t := range slices.Compact(slices.Sorted(slices.Values(l.Time))) {
			shift[t] = at
		}
	}
	for i, g := range group {
		var trait []float64
		if f.Traits > 0 {
			trait = fitted.Traits[g*f.Traits : (g+1)*f.Traits]
		}
		f.RowsOf(row, l.States[i*m:(i+1)*m], fitted.Value, trait, l.Beside[i*f.Beside:(i+1)*f.Beside])
		for e := range m {
			out[i*m+e] = l.After[i*m+e] - row[e]
			if shift != nil && shift[l.Time[i]] > 0 {
				out[i*m+e] -= fitted.Shifts[(shift[l.Time[i]]-1)*m+e]
			}
		}
	}
	return out
}

// Echo is how much of an error comes back a step later.
type Echo struct {
	Share, Error float64 // the share, and its standard error, whatever people's errors are; of few people at least that of independent errors
	Pairs        int
}

// Echoes are those of every entry of the state: away from 0, the model forgets something that lasts, and what stays of the last state is found wrongly.
// With fixed traits they are about −1/T even where there is nothing, T being the rows of a person.
func Echoes(f *formula.Regressor, l fit.Log, fitted *fit.Fitted) ([]Echo, error) {
	order, err := check(f, l)
	if err != nil {
		return nil, err
	}
	m, off := f.States, Errors(f, l, fitted)
	people, group := l.People()
	out := make([]Echo, m)
	for e := range out {
		var both, square float64
		visit := func(do func(who int, before, now float64)) {
			for k, i := range order[1:] {
				if b := order[k]; l.Person[b] == l.Person[i] && l.Time[b]+1 == l.Time[i] {
					do(group[i], off[b*m+e], off[i*m+e])
				}
			}
		}
		visit(func(_ int, before, now float64) {
			out[e].Pairs++
			both += float64(before * now)
			square += float64(before * before)
		})
		if out[e].Share, out[e].Error = both/square, math.Inf(1); !(square > 0) {
			out[e].Share = math.NaN()
			continue
		}
		scores, apart := make([]float64, people), 0.0
		visit(func(who int, before, now float64) {
			score := float64(before * (now - float64(out[e].Share*before)))
			scores[who] += score
			apart += float64(score * score)
		})
		var sum float64
		for _, s := range scores {
			sum += float64(s * s)
		}
		if people < few {
			sum = max(sum, apart)
		}
		out[e].Error = math.Sqrt(sum) / square
	}
	return out, nil
}

// Contrast is how much one number differs between parts of a log.
type Contrast struct {
	Name   string
	Values []float64 // by part
	Errors []float64
	Chance float64 // of differences that large were the number the same in all parts; NaN: cannot be told
}

// Halves are labels of rows for the earlier and the later half of the dates.
func Halves(l fit.Log) []int {
	times := slices.Compact(slices.Sorted(slices.Values(l.Time)))
	out := make([]int, len(l.Time))
	for i, t := range l.Time {
		if at, _ := slices.BinarySearch(times, t); 2*at >= len(times) {
			out[i] = 1
		}
	}
	return out
}

// Apart fits every part of a log by itself, in the order of labels: halves of the dates show drift, groups of people that they are not alike. Parts are
// taken to be independent.
func Apart(ctx context.Context, f *formula.Regressor, l fit.Log, unknowns []fit.Unknown, o fit.Options, label []int) ([]Contrast, error) {
	if _, err := check(f, l); err != nil {
		return nil, err
	}
	values := slices.Compact(slices.Sorted(slices.Values(label)))
	if len(label) != len(l.Person) || len(values) < 2 || len(values) > 1000 {
		return nil, &fit.InputError{Row: -1, What: fmt.Sprintf("%d labels of %d rows, %d of them different: want one for every row, and 2 to 1000 parts", len(label), len(l.Person), len(values))}
	}
	o.Repeats = 0
	out := make([]Contrast, len(unknowns))
	for j, u := range unknowns {
		out[j].Name = u.Name
	}
	for _, v := range values {
		var rows []int
		for i, at := range label {
			if at == v {
				rows = append(rows, i)
			}
		}
		fitted, err := fit.Find(ctx, f, l.Part(f, rows), unknowns, o)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for j := range out {
			value, e := math.NaN(), math.Inf(1)
			if err == nil {
				value, e = fitted.Value[j], fitted.Error[j]
			}
			out[j].Values, out[j].Errors = append(out[j].Values, value), append(out[j].Errors, e)
		}
	}
	for j := range out {
		out[j].judge()
	}
	return out, nil
}

// judge compares the numbers with their mean, by Cochran's Q.
func (c *Contrast) judge() {
	var sum, weight, q float64
	parts := 0
	for i, v := range c.Values {
		if e := c.Errors[i]; e > 0 && !math.IsInf(e, 0) {
			parts++
			weight += 1 / e / e
			sum += v / e / e
		}
	}
	if c.Chance = math.NaN(); parts < 2 {
		return
	}
	for i, v := range c.Values {
		if e := c.Errors[i]; e > 0 && !math.IsInf(e, 0) {
			off := (v - sum/weight) / e
			q += float64(off * off)
		}
	}
	c.Chance = 1 - distuv.ChiSquared{K: float64(parts - 1)}.CDF(q)
}
