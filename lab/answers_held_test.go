package lab_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// heldClasses are small problems with constraints, and with people who remember where they come from.
var heldClasses = map[string]func(m *riddle, r *rand.Rand, n int){"bound": onMean, "tail": onTail, "twofold": twofold}

// numbers draws n numbers with four digits.
func numbers(r *rand.Rand, n int, low, high float64) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i], _ = strconv.ParseFloat(number(r, low, high), 64)
	}
	return list
}

// listed writes numbers as a list.
func listed(v []float64) string { return strings.Join(strings.Fields(fmt.Sprint(v)), ", ") }

// burden is a random loss as a formula, and by other means.
func burden(r *rand.Rand, n int) (text string, loss func(p, q []float64) float64) {
	a, c := numbers(r, n, .2, 2), numbers(r, n, -1.5, 1.5)
	terms := []struct {
		text string
		of   func(a, c, p, q float64) float64
	}{
		{"(%[2]v)*p[%[3]d]", func(_, c, p, _ float64) float64 { return c * p }},
		{"%[1]v*(p[%[3]d] - (%[2]v))^2", func(a, c, p, _ float64) float64 { return a * (p - c) * (p - c) }},
		{"%[1]v*abs(p[%[3]d] - (%[2]v))", func(a, c, p, _ float64) float64 { return a * math.Abs(p-c) }},
		{"(%[2]v)*p[%[3]d]*q[%[3]d] + 0.1*%[1]v*q[%[3]d]", func(a, c, p, q float64) float64 { return c*p*q + .1*a*q }},
		{"exp(-(2*p[%[3]d] + (%[2]v))^2) + 0.2*%[1]v*p[%[3]d]", func(a, c, p, _ float64) float64 { return math.Exp(-(2*p+c)*(2*p+c)) + .2*a*p }},
	}
	one := terms[r.IntN(len(terms))]
	return sum(n, func(i int) string { return fmt.Sprintf(one.text, a[i], c[i], i) }), func(p, q []float64) float64 {
		total := 0.0
		for i := range p {
			total += one.of(a[i], c[i], p[i], q[i])
		}
		return total
	}
}

// burdens are the losses of people who follow a decision: they settle at q + d.
func (m *riddle) burdens(loss func(p, q []float64) float64, q []float64) []float64 {
	var list []float64
	for _, d := range m.people {
		p := slices.Clone(d)
		for i := range p {
			p[i] += q[i]
		}
		list = append(list, loss(p, q))
	}
	return list
}

// anyLoss makes the loss that of a random class whose people follow.
func (m *riddle) anyLoss(r *rand.Rand, n int) {
	name := []string{"bowl", "wells", "quartic", "ridge"}[r.IntN(4)]
	m.next, m.minimize = smallClasses[name](r, n)
}

// onMean has one constraint on a mean, which a decision of the set keeps by construction.
func onMean(m *riddle, r *rand.Rand, n int) {
	m.anyLoss(r, n)
	text, loss := burden(r, n)
	mean := func(q []float64) float64 {
		total := 0.0
		for _, v := range m.burdens(loss, q) {
			total += v / float64(len(m.people))
		}
		return total
	}
	most := mean(numbers(r, n, -1.5, .1)) + .3*r.Float64()
	m.keeps = func(q []float64, slack float64) bool { return mean(q) <= most+slack }
	m.constraints = fmt.Sprintf("constraints: [{name: held, kind: expectation, of: \"%s\", bound: %v}]\n", text, most)
}

// onTail has one constraint on the worst of a few people or on how many are beyond a limit, which a decision of the set keeps by construction.
func onTail(m *riddle, r *rand.Rand, n int) {
	m.anyLoss(r, n)
	m.people = nil
	for range 2 + r.IntN(4) {
		m.people = append(m.people, numbers(r, n, -1, 1))
	}
	text, loss := burden(r, n)
	var levels []int // in percent; somebody is in the tail
	for _, level := range []int{50, 60, 75, 80} {
		if (100-level)*len(m.people) >= 100 {
			levels = append(levels, level)
		}
	}
	level, from := levels[r.IntN(len(levels))], numbers(r, n, -1.5, .1)
	kind, more, risk := "cvar", "", func(q []float64) float64 { return worst(m.burdens(loss, q), level) }
	if r.IntN(2) == 0 {
		kind, more = "chance", ", smoothing: "+number(r, .02, .3)
		risk = func(q []float64) float64 { // the largest loss of those who may not be beyond the limit
			list := m.burdens(loss, q)
			slices.Sort(list)
			return list[len(list)-1-(100-level)*len(list)/100]
		}
	}
	most := risk(from) + .3*r.Float64()
	m.keeps = func(q []float64, slack float64) bool { return risk(q) <= most+slack }
	m.constraints = fmt.Sprintf("constraints: [{name: held, kind: %s, of: \"%s\", bound: %v, level: %v%s}]\n", kind, text, most, float64(level)/100, more)
}

// worst is the mean of the worst losses by the formula of Rockafellar and Uryasev, least at one of them.
func worst(losses []float64, level int) float64 {
	least := math.Inf(1)
	for _, t := range losses {
		over := 0.0
		for _, l := range losses {
			over += max(l-t, 0) / float64(len(losses)) / (1 - float64(level)/100)
		}
		least = min(least, t+over)
	}
	return least
}

// twofold has people with two steady states, near −1 and +1, whatever is decided. Brute force lets them go step by step
// from their first states.
func twofold(m *riddle, r *rand.Rand, n int) {
	a, w, c, b := numbers(r, n, .005, .035), numbers(r, n, .2, 2), numbers(r, n, -1.5, 1.5), numbers(r, n, 0, 1)
	var states [][]float64
	var firsts []string
	for range m.people {
		p := numbers(r, n, .7, 1.3)
		for i := range p {
			if r.IntN(2) == 0 {
				p[i] = -p[i]
			}
		}
		states, firsts = append(states, p), append(firsts, listed(p))
	}
	m.next = fmt.Sprintf("p + 0.3*(p - p^3) + %s*q + 0*d", listed(a))
	m.minimize = sum(n, func(i int) string {
		return fmt.Sprintf("%v*(p[%d] - (%v))^2 - %v*p[%d]*q[%d] + 0.05*q[%d]^2", w[i], i, c[i], b[i], i, i, i)
	})
	m.population = fmt.Sprintf(", states: {law: values, values: [%s]}", strings.Join(firsts, ", "))
	m.value = func(q []float64) float64 {
		total := 0.0
		for _, first := range states {
			for i := range q {
				p := rest(first[i], a[i]*q[i])
				total += w[i]*(p-c[i])*(p-c[i]) - b[i]*p*q[i] + .05*q[i]*q[i]
			}
		}
		return total / float64(len(states))
	}
}

// rest is where p⁺ = p + 0.3(p − p³) + push comes to rest, NaN where that takes too long.
func rest(p, push float64) float64 {
	for range 5000 {
		next := p + .3*(p-p*p*p) + push
		if math.Abs(next-p) < 1e-13 {
			return next
		}
		p = next
	}
	return math.NaN()
}
