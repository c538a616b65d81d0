package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"
)

// A call climbs when it leads from a file to one above it, in the order of a package's files that has the fewest such calls.
// A package that can be read from the top down has none.
const (
	mostClimbing    = 22 // in a package
	mostClimbingAll = 2  // in the module; 146 when it was first counted
)

// steep lists the packages that have more climbing calls all the same, and how many, until they are put in order.
func steep() map[string]int {
	return map[string]int{}
}

// callsLeadDown reports packages and modules with too many climbing calls.
func callsLeadDown(m *module) (found []string) {
	all := 0
	for dir, n := range m.climbing() {
		all += n
		if most := max(mostClimbing, steep()[dir]); n > most {
			found = append(found, fmt.Sprintf("%s: %d calls climb to files above, at most %d; move what they call down, or split the package", dir, n, most))
		}
	}
	if all > mostClimbingAll {
		found = append(found, fmt.Sprintf("%d calls of the module climb to files above, at most %d", all, mostClimbingAll))
	}
	return found
}

// climbing counts the climbing calls of every package that has some.
func (m *module) climbing() map[string]int {
	if m.climbs != nil {
		return m.climbs
	}
	counts := map[string]int{}
	m.climbs = counts
	c := &checker{module: m, packages: map[string]*types.Package{}, uses: map[*ast.Ident]types.Object{}, files: map[string][]*ast.File{}}
	for _, s := range m.files {
		if !s.test {
			c.files[s.dir] = append(c.files[s.dir], s.code)
		}
	}
	for dir := range c.files {
		c.check(dir)
		if n := fewest(c.calls(dir)); n > 0 {
			counts[dir] = n
		}
	}
	return counts
}

// climbSummary is the measured figures in one line.
func (m *module) climbSummary() string {
	counts, all := m.climbing(), 0
	var parts []string
	for _, dir := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return counts[b] - counts[a] }) {
		all += counts[dir]
		parts = append(parts, fmt.Sprintf("%s %d", dir, counts[dir]))
	}
	return fmt.Sprintf("%d climbing calls: %s", all, strings.Join(parts, ", "))
}

// checker finds out what the names of the module mean. What comes from outside it stays unknown, which costs nothing: those
// calls lead nowhere within a package.
type checker struct {
	*module
	files    map[string][]*ast.File // of every package, without tests
	packages map[string]*types.Package
	uses     map[*ast.Ident]types.Object
}

// Import gives a package of the module, or an empty one in the place of another.
func (c *checker) Import(target string) (*types.Package, error) {
	if dir, ok := c.inside(target); ok && c.files[dir] != nil {
		return c.check(dir), nil
	}
	empty := types.NewPackage(target, path.Base(target))
	empty.MarkComplete()
	return empty, nil
}

func (c *checker) check(dir string) *types.Package {
	if p := c.packages[dir]; p != nil {
		return p
	}
	config := types.Config{Importer: c, Error: func(error) {}}
	p, _ := config.Check(dir, c.fset, c.files[dir], &types.Info{Uses: c.uses})
	c.packages[dir] = p
	return p
}

// calls counts the calls between the files of a package.
func (c *checker) calls(dir string) map[[2]string]int {
	counts := map[[2]string]int{}
	for _, f := range c.files[dir] {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			called, ok := c.uses[nameOf(call)].(*types.Func)
			if ok && called.Pkg() == c.packages[dir] {
				if from, to := c.fileOf(call.Pos()), c.fileOf(called.Pos()); from != to {
					counts[[2]string{from, to}]++
				}
			}
			return true
		})
	}
	return counts
}

func (c *checker) fileOf(at token.Pos) string { return c.fset.File(at).Name() }

// nameOf is what a call calls, if it has a name.
func nameOf(call *ast.CallExpr) *ast.Ident {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return f
	case *ast.SelectorExpr:
		return f.Sel
	case *ast.IndexExpr:
		id, _ := f.X.(*ast.Ident)
		return id
	}
	return nil
}

// fewest is how many calls lead up in the best order that moving single files finds.
func fewest(calls map[[2]string]int) int {
	names := map[string]bool{}
	for pair := range calls {
		names[pair[0]], names[pair[1]] = true, true
	}
	order := downhill(slices.Sorted(maps.Keys(names)), calls)
	for improved := true; improved; {
		improved = false
		for i := range order {
			to, gain := bestPlace(order, i, calls)
			if gain > 0 {
				name := order[i]
				order = slices.Insert(slices.Delete(order, i, i+1), to, name)
				improved = true
			}
		}
	}
	up := 0
	for i, above := range order {
		for _, below := range order[i+1:] {
			up += calls[[2]string{below, above}]
		}
	}
	return up
}

// downhill puts files that are called least by those that are left first. Where no calls go round in circles, none climbs.
func downhill(names []string, calls map[[2]string]int) (order []string) {
	for len(names) > 0 {
		called := func(name string) (sum int) {
			for _, by := range names {
				sum += calls[[2]string{by, name}]
			}
			return sum
		}
		first := slices.MinFunc(names, func(a, b string) int { return called(a) - called(b) })
		order = append(order, first)
		names = slices.DeleteFunc(names, func(name string) bool { return name == first })
	}
	return order
}

// bestPlace is where a file of the order is best moved to, and by how many calls fewer climb then.
func bestPlace(order []string, i int, calls map[[2]string]int) (to, gain int) {
	to = i
	for _, step := range []int{-1, 1} {
		change := 0
		for j := i + step; j >= 0 && j < len(order); j += step {
			// Passing the other file turns the calls between the two around.
			change -= step * (calls[[2]string{order[i], order[j]}] - calls[[2]string{order[j], order[i]}])
			if change > gain {
				to, gain = j, change
			}
		}
	}
	return to, gain
}
