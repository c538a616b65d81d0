package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/report/page"
)

// standing says how much is known of a point and how, in the words that are the same wherever an answer is told: proven, searched or
// stationary only. Nothing is said of no point, or of those of earlier versions, which tell nothing of it.
func standing(p *folder.Point, maximize bool) string {
	word, how := standingParts(p, maximize)
	return strings.TrimSuffix(word+": "+how, ": ")
}

// standingParts is the word of a standing, and what there is to say of it.
func standingParts(p *folder.Point, maximize bool) (word, how string) {
	if p == nil || p.Evidence == nil {
		return "", ""
	}
	var list []string
	switch e := p.Evidence; e.Standing {
	case folder.Proven:
		word, list = "proven", append(inSmall(e.Why), outOfReach(p, maximize)...)
	case folder.Searched:
		word, list = "searched", append(searchedBy(p), lists.Of(outOfReach(p, maximize), func(s string) string { return "proven is that " + s })...)
	default:
		word, list = "stationary only", restingAt(p)
	}
	return word, strings.Join(append(list, rough(p)...), "; ")
}

// outOfReach says which values are proven not to exist, where that is worth to know: near the one that was found.
func outOfReach(p *folder.Point, maximize bool) []string {
	bound := p.Evidence.Bound
	if bound == nil || math.Abs(*bound-p.Value) > math.Abs(p.Value)/2 {
		return nil
	}
	if maximize {
		return []string{"no value is above " + outward(*bound, 1)}
	}
	return []string{"no value is below " + outward(*bound, -1)}
}

// outward writes a bound with six digits or, where rounding would let it promise too much, with as many as keep to its side.
func outward(v, side float64) string {
	for digits := 6; digits < 17; digits++ {
		text := strconv.FormatFloat(v, 'g', digits, 64)
		if shown, err := strconv.ParseFloat(text, 64); err == nil && (shown-v)*side >= 0 {
			return phrase.Minus(text)
		}
	}
	return phrase.Exact(v)
}

// searchedBy is from how many starts an answer was looked for, and where they ended.
func searchedBy(p *folder.Point) []string {
	e := p.Evidence
	ended := fmt.Sprintf("%s, %d ended here", phrase.Count(p.Starts, "start"), e.Here)
	switch others := e.Places - 1; {
	case e.Here > 0 && others > 0:
		ended += fmt.Sprintf(" and the rest in %s", phrase.Count(others, "worse place"))
	case e.Here == 0 && e.Places > 0:
		ended += fmt.Sprintf(" but in %s, and the best was found from there", phrase.Count(e.Places, "worse place"))
	}
	return []string{ended, "chance that one more would end elsewhere about " + roughly(e.Missed)}
}

// roughly is a chance that is only estimated.
func roughly(chance float64) string {
	if chance < 1e-4 {
		return "0.01" + phrase.ThinSpace + "% or less"
	}
	return phrase.Digits(100*min(chance, 1), 1) + phrase.ThinSpace + "%"
}

// restingAt is what is known of a point that was come to from one start: of a point of rest also what happens nearby.
func restingAt(p *folder.Point) []string {
	e := p.Evidence
	least, known := leastReal(e)
	switch {
	case e.Attracting != nil && *e.Attracting && known:
		return []string{"attracting, the eigenvalues' real parts are at least " + phrase.Brief(least)}
	case e.Attracting != nil && known:
		return []string{nearby(e) + ", the eigenvalues' least real part is " + phrase.Brief(least)}
	case e.Reached:
		return []string{"reached from the first decision, with too many decisions to look at what happens nearby"}
	}
	return []string{"one start"}
}

// leastReal is the least real part of the eigenvalues at a point of rest.
func leastReal(e *folder.Evidence) (least float64, known bool) {
	least = math.Inf(1)
	for _, v := range e.Eigenvalues {
		least, known = min(least, v[0]), true
	}
	return least, known
}

// nearby says what happens to who comes near a point of rest: where nothing changes along some direction, neither is true.
func nearby(e *folder.Evidence) string {
	least, known := leastReal(e)
	switch {
	case e.Attracting == nil || !known:
		return phrase.Absent
	case *e.Attracting:
		return "attracting"
	case least >= 0:
		return "neither attracting nor repelling"
	}
	return "repelling"
}

// jumpy is the part of the steepest gradient above which what is left of it at an answer is no matter of rounding or of kinks.
const jumpy = 1e-3

// rough says where a loss is not smooth at an answer.
func rough(p *folder.Point) []string {
	left, what := p.Residual > jumpy, "the loss"+map[bool]string{true: " or a constraint"}[p.Evidence.Bounded]
	switch {
	case p.Evidence.Jump:
		return []string{"the loss jumps there, so that no gradient can vouch for it"}
	case p.Evidence.Kink && left:
		return []string{what + " has a kink there that no gradients nearby balance, " + remains(p)}
	case p.Evidence.Kink:
		return []string{what + " has a kink there"}
	case left:
		return []string{"it is not quite stationary, " + remains(p)}
	}
	return nil
}

func remains(p *folder.Point) string {
	return phrase.Percent(p.Residual) + " of the steepest gradient is left"
}

// standingCell is the standing of a point in a table, empty where nothing is known of it.
func standingCell(p *folder.Point, maximize bool) page.TextCell {
	word, how := standingParts(p, maximize)
	return page.Words(word, inSmall(how)...)
}

// restsTable lists the points where retraining would rest, where there are several.
func restsTable(r *folder.Result) []page.TextTable {
	if len(r.Rests) < 2 {
		return nil
	}
	t := page.TextTable{
		ID: "rests", Title: "Where retraining would rest",
		About: "Points at which who takes the population for given has no reason to move. An attracting one draws in whoever comes near, a repelling one drives some of them away. " +
			"The least real part is that of the eigenvalues of how what retraining sees changes nearby: below 0 it repels. There may be more.",
		Columns: page.Heads("decision", "value", "gap", "distance", "nearby", "least real part", "retraining from the first decision"),
	}
	for _, i := range []int{0, 4, 6} {
		t.Columns[i].Numeric = false
	}
	value := valueFormat(r)
	t.Rows = lists.Of(r.Rests, func(p folder.Point) []page.TextCell { return restRow(&p, value) })
	return []page.TextTable{t}
}

func restRow(p *folder.Point, value func(float64) string) []page.TextCell {
	around, least, settles := phrase.Absent, math.NaN(), "not reached"
	if e := p.Evidence; e != nil {
		around = nearby(e)
		if v, known := leastReal(e); known {
			least = v
		}
		if e.Reached {
			settles = "settles here"
		}
	}
	return []page.TextCell{
		page.Words(vectorWords(p.Decision, 4)), page.Number(p.Value, value), page.Number(p.Gap, phrase.Percent), page.Number(p.Distance, phrase.Percent),
		page.Words(around), page.Number(least, phrase.Brief), page.Words(settles),
	}
}
