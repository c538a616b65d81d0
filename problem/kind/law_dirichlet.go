package kind

import (
	"io/fs"

	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/form"
)

// DirichletLaw is proportions of a Dirichlet distribution.
type DirichletLaw struct{ Concentration form.Vector }

// Word implements [form.Kind].
func (*DirichletLaw) Word() form.Option {
	return form.Choice("dirichlet", "Proportions of a Dirichlet distribution.", "")
}

// Describe implements [Law].
func (l *DirichletLaw) Describe(f *form.Form) {
	each := form.Number("a number from 1e-8 to 1e8", form.Closed(1e-8, 1e8))
	form.Field(f, "concentration", &l.Concentration, form.VectorOf(each).Or(form.Vector{All: 1}),
		form.Says("The parameters α of the Dirichlet distribution; 1: uniform on the simplex.", "density ∝ Π dᵢ^(αᵢ−1)", "1"))
}

// Check implements [Law].
func (l *DirichletLaw) Check(s *Scene, path string, n form.Length) {
	s.Vector(path+".concentration", l.Concentration, n)
}

// Build implements [Law].
func (l *DirichletLaw) Build(dim int, _ fs.FS) (population.Law, error) {
	return population.Dirichlet{Concentration: l.Concentration.Expand(dim)}, nil
}

// Words implements [Law].
func (*DirichletLaw) Words() string { return "drawn by the law dirichlet" }

// Habitat implements [Law].
func (*DirichletLaw) Habitat() Habitat { return Simplex }
