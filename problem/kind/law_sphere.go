package kind

import (
	"io/fs"

	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/form"
)

// SphereLaw is uniform on the unit sphere.
type SphereLaw struct{}

// Word implements [form.Kind].
func (*SphereLaw) Word() form.Option { return form.Choice("sphere", "Uniform on the unit sphere.", "") }

// Describe implements [Law].
func (*SphereLaw) Describe(*form.Form) {}

// Check implements [Law].
func (*SphereLaw) Check(*Scene, string, form.Length) {}

// Build implements [Law].
func (*SphereLaw) Build(int, fs.FS) (population.Law, error) { return population.Sphere{}, nil }

// Words implements [Law].
func (*SphereLaw) Words() string { return "uniform on the unit sphere" }

// Habitat implements [Law].
func (*SphereLaw) Habitat() Habitat { return Sphere }
