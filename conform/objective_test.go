package conform

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
)

// judge is an objective made of functions: Φ = ½‖p‖² u₀ + sin(u₁) p₀ + u₂ d₁.
type judge struct{ eval, evalRows eval }

func (j judge) Eval(gp, gu, p, u, d []float64) float64     { return j.eval(gp, gu, p, u, d) }
func (j judge) EvalRows(gp, gu, p, u, d []float64) float64 { return j.evalRows(gp, gu, p, u, d) }

var _ kedge.RowObjective = judge{}

func newJudge() judge { return judge{judgeEval, judgeEvalRows} }

func judgeEval(gp, gu, p, u, d []float64) float64 {
	must((gp == nil || len(gp) == 2) && (gu == nil || len(gu) == 3) && len(p) == 2 && len(u) == 3 && len(d) == 2)
	half := 0.5 * (p[0]*p[0] + p[1]*p[1])
	if gp != nil {
		gp[0] += p[0]*u[0] + math.Sin(u[1])
		gp[1] += p[1] * u[0]
	}
	if gu != nil {
		gu[0] += half
		gu[1] += math.Cos(u[1]) * p[0]
		gu[2] += d[1]
	}
	return half*u[0] + math.Sin(u[1])*p[0] + u[2]*d[1]
}

func judgeEvalRows(gp, gu, p, u, d []float64) (sum float64) {
	must((gp == nil || len(gp) == len(p)) && len(p) == len(d))
	for i := range kedge.Count(p, 2) {
		var g []float64
		if gp != nil {
			g = kedge.Row(gp, i, 2)
		}
		sum += judgeEval(g, gu, kedge.Row(p, i, 2), u, kedge.Row(d, i, 2))
	}
	return sum
}

func TestObjectiveAcceptsARightOne(t *testing.T) {
	Objective(t, newJudge(), toy{}.Dims(), toyCases())
	Objective(t, struct{ kedge.Objective }{newJudge()}, toy{}.Dims(), toyCases())
}

func TestObjectiveCatchesBrokenOnes(t *testing.T) {
	twins := append(evalTwins("Eval", judgeEval, func(j *judge) *eval { return &j.eval }),
		evalTwins("EvalRows", judgeEvalRows, func(j *judge) *eval { return &j.evalRows })...)
	one := func(j *judge) *eval { return &j.eval }
	rows := func(j *judge) *eval { return &j.evalRows }
	twins = append(twins,
		bend("wrong factor", "Eval is the derivative", judgeEval, one, func(_, gu, p []float64, value *float64) {
			if gu != nil {
				gu[0] += 1e-4 * p[0]
			}
		}),
		bend("alone otherwise", "Eval skips nil", judgeEval, one, func(gp, gu, _ []float64, _ *float64) {
			if gp == nil && gu != nil {
				gu[2]++
			}
		}),
		bend("mean", "value of EvalRows agrees with value of Eval", judgeEvalRows, rows, func(_, _, _ []float64, value *float64) { *value /= 3 }),
		bend("mean to p", "EvalRows to p agrees with Eval to p", judgeEvalRows, rows, scaled(0)),
		bend("mean to u", "EvalRows to u agrees with Eval to u", judgeEvalRows, rows, scaled(1)))
	catch(t, checkNames(objectiveChecks(newJudge(), toy{}.Dims())), twins)
}

type afterEval func(gp, gu, p []float64, value *float64)

// bend is a twin whose method does something more at its end.
func bend(name, caught string, right eval, method func(*judge) *eval, after afterEval) twin {
	return twin{name, caught, func(t testing.TB) {
		j := newJudge()
		*method(&j) = func(gp, gu, p, u, d []float64) float64 {
			value := right(gp, gu, p, u, d)
			after(gp, gu, p, &value)
			return value
		}
		Objective(t, j, toy{}.Dims(), fewCases())
	}}
}

// scaled divides one of the gradients.
func scaled(which int) afterEval {
	return func(gp, gu, _ []float64, _ *float64) {
		for i := range [][]float64{gp, gu}[which] {
			[][]float64{gp, gu}[which][i] /= 3
		}
	}
}

// evalTwins breaks what Eval and EvalRows promise alike.
func evalTwins(name string, right eval, method func(*judge) *eval) (twins []twin) {
	noise := restless()
	add := func(what, caught string, after afterEval) {
		twins = append(twins, bend(name+" "+what, caught, right, method, after))
	}
	value, state, decision := "value of "+name, name+" to p", name+" to u"
	add("NaN", value+" is finite", func(_, _, _ []float64, v *float64) { *v = math.NaN() })
	add("restless", value+" overwrites its destination", func(_, _, _ []float64, v *float64) { *v += noise() })
	add("restless too", value+" may be called in parallel", func(_, _, _ []float64, v *float64) { *v += noise() })
	add("other value", name+" gives one value", func(gp, _, _ []float64, v *float64) { *v += float64(len(gp)) })
	for i, k := range []string{state, decision} {
		onto := func(write func(x []float64)) afterEval {
			return func(gp, gu, _ []float64, _ *float64) {
				if x := [][]float64{gp, gu}[i]; x != nil {
					write(x)
				}
			}
		}
		add("NaN "+k, k+" is finite", onto(func(x []float64) { x[0] = math.NaN() }))
		add("overwritten "+k, k+" adds to its destination", onto(func(x []float64) { x[0] = 1 }))
		add("restless "+k, k+" may be called in parallel", onto(func(x []float64) { x[0] += noise() }))
	}
	for _, k := range []string{value, state, decision} {
		add("input changed "+k, k+" keeps its inputs", func(_, _, p []float64, _ *float64) { p[0]++ })
		twins = append(twins, twin{name + " lengths " + k, k + " refuses wrong lengths", func(t testing.TB) {
			j := newJudge()
			*method(&j) = func(gp, gu, p, u, d []float64) float64 { return sum(p) + sum(u) }
			Objective(t, j, toy{}.Dims(), fewCases())
		}})
	}
	return twins
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}
