package lab

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/folder"
)

// note adds what a reader must know.
func (r *run) note(format string, args ...any) {
	r.result.Notes = append(r.result.Notes, fmt.Sprintf(format, args...))
}

// unsettled tells which methods deployed decisions under which not everybody settles.
func unsettled(r *folder.Result) (notes []string) {
	for _, one := range r.Runs {
		missing, all := 0, 0
		for _, t := range one.Trials {
			for _, v := range t.Of("value") {
				all++
				if math.IsNaN(v) {
					missing++
				}
			}
		}
		if missing > 0 {
			notes = append(notes, fmt.Sprintf("%s was at decisions under which not everybody settles at %d of %d measured turns: there is no value there. Shorter steps or a smaller set keep away from them.", one.Name, missing, all))
		}
	}
	return notes
}

// mistrust tells in how many of the measured turns an algorithm that learns did not rely on what it had learned.
func mistrust(r *folder.Result) (notes []string) {
	for _, one := range r.Runs {
		learned, vanilla := 0, 0
		for _, t := range one.Trials {
			for _, trust := range t.Of("trust") {
				if trust >= 0 {
					learned++
				}
				if trust == 0 {
					vanilla++
				}
			}
		}
		if vanilla > 0 && vanilla == learned {
			notes = append(notes, fmt.Sprintf("%s took vanilla steps at %d measured turns, because the population was so far from settled that the formula of its sensitivity has no answer there.", one.Name, vanilla))
		} else if vanilla > 0 {
			notes = append(notes, fmt.Sprintf("%s did not trust the sensitivity it had learned at %d of %d measured turns and took vanilla steps.", one.Name, vanilla, learned))
		}
	}
	return notes
}
