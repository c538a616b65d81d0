package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/online"
)

// Title is what the result is about.
func (r *Comparison) Title() string {
	if r.Suite {
		return "Methods on the " + r.Name
	}
	return "Methods on " + r.Name
}

// Headline sums the result up.
func (r *Comparison) Headline() string {
	arrived, judged, outside := 0, 0, 0
	for _, m := range r.pairs() {
		switch {
		case m.Arrived:
			arrived++
			judged++
		case m.Outside != "":
			outside++
		default:
			judged++
		}
	}
	if !r.Suite {
		return r.Problems[0].winner() + fmt.Sprintf(" %d of %d methods end where their theory says.", arrived, judged)
	}
	text := fmt.Sprintf("In %d of %d pairs of a method and a problem the method ends where its theory says", arrived, judged)
	if outside > 0 {
		text += "; " + phrase.Count(outside, "more is outside the theory", "more are outside the theory")
	}
	return text + "."
}

// winner says who is nearest to the optimum.
func (a *Meeting) winner() string {
	rows := slices.DeleteFunc(slices.Clone(a.Rows), func(m Row) bool { return m.ToOptimal == nil || m.Failed > 0 })
	if len(rows) == 0 {
		return "Every method failed."
	}
	best := slices.MinFunc(rows, func(x, y Row) int { return cmp.Compare(x.ToOptimal.Mean, y.ToOptimal.Mean) })
	return fmt.Sprintf("%s ends nearest to the optimum, %.2g away.", best.Method, best.ToOptimal.Mean)
}

// Reasons are what supports the headline, a sentence each.
func (r *Comparison) Reasons() (list []string) {
	for _, one := range []struct {
		limit online.Limit
		words string
	}{{online.Stable, "the stable point"}, {online.Myopic, "the myopic point"}, {online.Optimal, "the optimum"}} {
		there, away := r.sorted(one.limit.String())
		if len(there) > 0 {
			list = append(list, fmt.Sprintf("At %s, as they must: %s.", one.words, strings.Join(there, ", ")))
		}
		if len(away) > 0 {
			list = append(list, fmt.Sprintf("Not within the tolerance of %s: %s.", one.words, strings.Join(away, ", ")))
		}
	}
	if same := r.alike(); len(same) > 0 {
		list = append(list, "Stable and optimal are the same point on "+strings.Join(same, ", ")+", which cannot tell the two kinds of methods apart.")
	}
	return list
}

// sorted lists the methods that must end at a point, by whether they do wherever their theory holds.
func (r *Comparison) sorted(limit string) (there, away []string) {
	order, missed := []string{}, map[string][]string{}
	for _, m := range r.pairs() {
		if m.Limit != limit || m.Outside != "" && !m.Arrived {
			continue
		}
		if _, known := missed[m.Method]; !known {
			order, missed[m.Method] = append(order, m.Method), nil
		}
		if !m.Arrived {
			missed[m.Method] = append(missed[m.Method], m.on.Name)
		}
	}
	for _, name := range order {
		switch {
		case missed[name] == nil:
			there = append(there, name)
		case r.Suite:
			away = append(away, fmt.Sprintf("%s (%s)", name, strings.Join(missed[name], ", ")))
		default:
			away = append(away, name)
		}
	}
	return there, away
}

// alike lists the problems that do not separate.
func (r *Comparison) alike() (names []string) {
	for _, a := range r.Problems {
		if !a.Separates && a.Stable != nil {
			names = append(names, a.Name)
		}
	}
	return names
}

// standing is how a method did on a problem, in the words of tables of different width.
type standing struct{ verdict, mark, letters string }

// standing judges a method: where several things are to be said, the first counts.
func (a *Meeting) standing(m *Row) standing {
	switch {
	case m.Arrived && !a.Separates:
		return standing{"arrived", "✓ both", "✓="}
	case m.Arrived:
		return standing{"arrived", "✓ " + m.Limit, "✓" + strings.ToUpper(m.Limit[:min(1, len(m.Limit))])}
	case m.Outside != "":
		return standing{"outside its conditions", "○", "○"}
	case m.Failed > 0:
		return standing{"failed", "failed", "✗"}
	case m.ToTarget == nil:
		return standing{"no target known", "–", "–"}
	}
	away := m.ToTarget.Mean / a.Tolerance
	return standing{"not within the tolerance", fmt.Sprintf("%.2g", away), fmt.Sprintf("%.0f", min(9999, max(1, away)))}
}

// Verdict says in a word or two how a method did.
func (a *Meeting) Verdict(m *Row) string { return a.standing(m).verdict }

// Mark is a method on a problem in a few letters: ✓ and the point where it ended, or how many tolerances it stays away.
func (a *Meeting) Mark(m *Row) string { return a.standing(m).mark }

// Letters is a method on a problem in at most four letters, which Legend explains.
func (a *Meeting) Letters(m *Row) string { return a.standing(m).letters }

// Legend explains what Letters gives.
func Legend() []string {
	return []string{
		"✓S, ✓M, ✓O: it ends at the point of its theory, which is the stable one, the myopic one or the optimum; ✓=: these are the same.",
		"A number: it is not there, but so many tolerances away when its turns are over.",
		"○: the problem does not meet its conditions; ✗: a trial failed.",
	}
}

// Cleaned is an entry of a point without what the search leaves of a zero.
func Cleaned(v float64) float64 {
	if math.Abs(v) < 1e-8 {
		return 0
	}
	return v
}

// Command is what repeats the comparison.
func (r *Comparison) Command() string {
	methods := lists.Of(r.Problems[0].Rows, func(m Row) string { return m.Method })
	what := r.Problems[0].Target
	if r.Suite {
		what = "--suite " + r.Name
	}
	if all := r.kinds.MethodNames(); len(methods) >= len(all) && slices.Equal(methods[:len(all)], all) {
		methods = append([]string{"all"}, methods[len(all):]...)
	}
	command := "kedge compare " + what
	if !r.Own {
		command += " --methods " + strings.Join(methods, ",")
	}
	for _, change := range r.Changes {
		command += " " + change
	}
	if r.Trials > 0 {
		command += fmt.Sprintf(" --trials %d", r.Trials)
	}
	if r.Points == 0 {
		return command + " --no-tune"
	}
	return command + fmt.Sprintf(" --tuning %d --points %d", r.Tuning, r.Points)
}

// Group are methods that need the same knowledge.
type Group struct {
	Name string
	Rows []Row
}

// Groups sorts methods by what they need to know.
func (a *Meeting) Groups() (list []Group) {
	for _, one := range []struct {
		name string
		has  func(n online.Needs) bool
	}{
		{"samples alone", func(n online.Needs) bool { return n.Samples && !n.Sensitivity && !n.Model }},
		{"samples and a sensitivity", func(n online.Needs) bool { return n.Sensitivity }},
		{"losses alone", func(n online.Needs) bool { return !n.Samples }},
		{"samples and a family of laws", func(n online.Needs) bool { return n.Model }},
	} {
		g := Group{Name: one.name}
		for _, m := range a.Rows {
			if method := a.kinds.MethodOf(m.Kind); method != nil && one.has(method.Facts().Needs) {
				g.Rows = append(g.Rows, m)
			}
		}
		if len(g.Rows) > 0 {
			list = append(list, g)
		}
	}
	return list
}
