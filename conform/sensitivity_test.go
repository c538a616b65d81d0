package conform

import (
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
)

func TestSensitivityAcceptsARightOne(t *testing.T) {
	Sensitivity(t, pull(toyPull), newToy(), toyCases())
}

func TestSensitivityCatchesBrokenOnes(t *testing.T) {
	noise := restless()
	var twins []twin
	add := func(name, caught string, f pull) {
		twins = append(twins, twin{name, caught, func(t testing.TB) { Sensitivity(t, f, newToy(), fewCases()) }})
	}
	after := func(f func(gu, p, u, d, v []float64)) pull {
		return func(gu, p, u, d, v []float64) error {
			err := toyPull(gu, p, u, d, v)
			f(gu, p, u, d, v)
			return err
		}
	}
	for _, k := range []string{"PullRows of one", "PullRows"} {
		add("NaN "+k, k+" is finite", after(func(gu, _, _, _, _ []float64) { gu[0] = math.NaN() }))
		add("fails "+k, k+" is finite", func(_, _, _, _, _ []float64) error { return kedge.ErrSingular })
		add("state changed "+k, k+" keeps its inputs", after(func(_, p, _, _, _ []float64) { p[0]++ }))
		add("overwritten "+k, k+" adds to its destination", after(func(gu, _, _, _, _ []float64) { gu[1] = 2 }))
		add("restless "+k, k+" may be called in parallel", after(func(gu, _, _, _, _ []float64) { gu[1] += noise() }))
		add("long "+k, k+" refuses wrong lengths", func(gu, p, u, d, v []float64) error { return toyPull(gu[:3], p, u, d, v) })
	}
	add("square", "PullRows is linear in v", after(func(gu, _, _, _, v []float64) { gu[0] += v[0] * v[0] }))
	add("first row only", "PullRows agrees with PullRows of one", func(gu, p, u, d, v []float64) error {
		must(len(gu) == 3 && len(p) == len(v))
		return toyPull(gu, p[:2], u, d[:2], v[:2])
	})
	add("myopic", "PullRows is the derivative of the settled states", func(gu, p, u, d, v []float64) error {
		for i := range kedge.Count(p, 2) {
			toyPullback(nil, gu, kedge.Row(p, i, 2), u, nil, kedge.Row(v, i, 2))
		}
		return nil
	})
	add("NaN hidden", "PullRows does not hide a NaN", func(gu, p, u, d, v []float64) error {
		if math.IsNaN(v[0]) {
			gu[0]++
			return nil
		}
		return toyPull(gu, p, u, d, v)
	})
	add("error after a change", "PullRows does not hide a NaN", func(gu, p, u, d, v []float64) error {
		if math.IsNaN(p[0]) {
			gu[0]++
			return errors.New("NaN")
		}
		return toyPull(gu, p, u, d, v)
	})
	catch(t, checkNames(sensitivityChecks(pull(toyPull), newToy())), twins)
}
