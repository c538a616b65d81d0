package folder

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/intake"
	"github.com/kedge-opt/kedge/internal/npy"
)

// Names of the arrays of a run; those of an algorithm end in its name.
const (
	optimumArray       = "optimum"
	stableArray        = "stable"
	decisionsArray     = "decisions_"
	anglesArray        = "angles_"
	pathTurnsArray     = "path_turns_"
	pathPeopleArray    = "path_individuals_"
	pathStatesArray    = "path_states_"
	pathDecisionsArray = "path_decisions_"
	initialArray       = "initial_angles"
	optimalArray       = "optimal_angles"
)

// member is the name of an algorithm's array. What could be taken for a path is written as in addresses.
func member(array, algorithm string) string {
	return array + strings.NewReplacer("%", "%25", "/", "%2F", "\\", "%5C", ":", "%3A").Replace(algorithm)
}

// writeArrays writes decisions and angles; docs/formats/run.md lists the names.
func (r *Result) writeArrays(w io.Writer) error {
	list := []npy.Named{vector(optimumArray, r.Optimum.Decision)}
	if r.Stable.Decision != nil {
		list = append(list, vector(stableArray, r.Stable.Decision))
	}
	for _, one := range r.Runs {
		list = append(list, one.decisions(len(r.Optimum.Decision)))
	}
	return npy.WriteZip(w, slices.Concat(list, r.angleArrays(), r.pathArrays())...)
}

func vector(name string, x []float64) npy.Named {
	return npy.Named{Name: name, Array: npy.Array{Shape: []int{len(x)}, Data: x}}
}

// decisions are the last decisions of a run, one trial a row.
func (r *Run) decisions(width int) npy.Named {
	a := npy.Array{Shape: []int{len(r.Trials), width}}
	for _, t := range r.Trials {
		a.Data = append(a.Data, t.Decision...)
	}
	return npy.Named{Name: member(decisionsArray, r.Name), Array: a}
}

// angleArrays are the angles of a result, in the order of its algorithms.
func (r *Result) angleArrays() []npy.Named {
	if r.Angles == nil {
		return nil
	}
	list := []npy.Named{vector(initialArray, r.Angles.Initial), vector(optimalArray, r.Angles.Optimal)}
	for _, one := range r.Runs {
		if final, ok := r.Angles.Final[one.Name]; ok {
			list = append(list, vector(member(anglesArray, one.Name), final))
		}
	}
	return list
}

// pathArrays are the paths of a result; those of an algorithm are of its last trial.
func (r *Result) pathArrays() (list []npy.Named) {
	for _, one := range r.Runs {
		if n := len(one.Trials); n > 0 && one.Trials[n-1].Path != nil {
			list = append(list, one.Trials[n-1].Path.arrays(one.Name)...)
		}
	}
	return list
}

func (p *Path) arrays(algorithm string) []npy.Named {
	turns, people := len(p.K), len(p.People)
	named := func(array string, data []float64, shape ...int) npy.Named {
		return npy.Named{Name: member(array, algorithm), Array: npy.Array{Shape: shape, Data: data}}
	}
	return []npy.Named{
		named(pathTurnsArray, numbers[float64](p.K), turns),
		named(pathPeopleArray, numbers[float64](p.People), people),
		named(pathStatesArray, p.States, turns, people, len(p.States)/max(1, turns*people)),
		named(pathDecisionsArray, p.Decisions, turns, len(p.Decisions)/max(1, turns)),
	}
}

// numbers writes a list in numbers of another type.
func numbers[To, From int | float64](x []From) []To {
	return each(x, func(v From) To { return To(v) })
}

// readArrays puts decisions and angles where they belong; points have theirs from the summary.
func (r *Result) readArrays(f io.ReaderAt, size int64) error {
	list, err := npy.ReadZip(f, size, intake.Limits{})
	if err != nil {
		return err
	}
	byName := map[string]npy.Array{}
	for _, n := range list {
		byName[n.Name] = n.Array
	}
	if initial, ok := byName[initialArray]; ok {
		r.Angles = &Angles{Initial: initial.Data, Optimal: byName[optimalArray].Data, Final: map[string][]float64{}}
	}
	for i := range r.Runs {
		if err := r.takeRun(&r.Runs[i], byName); err != nil {
			return err
		}
	}
	return nil
}

// takeRun takes the decisions of an algorithm, and the angles and the path of its last trial.
func (r *Result) takeRun(one *Run, byName map[string]npy.Array) error {
	name := member(decisionsArray, one.Name)
	a, ok := byName[name]
	if !ok || len(a.Shape) != 2 || a.Shape[0] != len(one.Trials) {
		return fmt.Errorf("%s has shape %v, the series have %d trials", name, a.Shape, len(one.Trials))
	}
	for i := range one.Trials {
		one.Trials[i].Decision = kedge.Row(a.Data, i, a.Shape[1])
	}
	if len(one.Trials) == 0 {
		return nil
	}
	last, data := &one.Trials[len(one.Trials)-1], func(array string) []float64 { return byName[member(array, one.Name)].Data }
	if final := data(anglesArray); final != nil && r.Angles != nil {
		r.Angles.Final[one.Name], last.Angles = final, final
	}
	if turns := data(pathTurnsArray); len(turns) > 0 {
		last.Path = &Path{
			K: numbers[int](turns), People: numbers[int](data(pathPeopleArray)), States: data(pathStatesArray), Decisions: data(pathDecisionsArray),
		}
	}
	return nil
}
