package problem

import (
	"errors"
	"io/fs"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/census"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/stream"
)

// drawRows draws one vector of dim entries for every individual, kept as the spec says.
func (p *Problem) drawRows(path string, law population.Law, dim int, r *stream.Stream) (kedge.Rows, error) {
	s := p.Spec
	drawn, err := population.Redraw(law, s.Population.Size, dim, r)
	if err != nil {
		return nil, s.wrap(path, err)
	}
	given, width := law, dim
	if both, ok := law.(population.Beside); ok {
		given, width = both.Law, both.Dim
	}
	if table, ok := given.(population.Table); ok {
		if err := s.checkRows(path, table.Data, width); err != nil {
			return nil, err
		}
	}
	switch {
	case s.Population.Traits == "regenerated":
		return drawn, nil
	case s.Population.Storage == population.Float32:
		return p.shorten(path, drawn)
	}
	block, err := population.DrawWithin(p.within, law, s.Population.Size, dim, r)
	return kedge.Block{Data: block, Width: dim}, s.wrap(path, err)
}

// shorten keeps rows in single precision. Rounded directions are brought back to length 1; proportions stay as they are: they are near
// enough.
func (p *Problem) shorten(path string, r kedge.Rows) (kedge.Rows, error) {
	s := p.Spec
	var mend func(x []float64)
	if kind.HabitatOf(s.Dynamics.Of) == kind.Sphere {
		mend = s.stateMend()
	}
	short, err := population.ShortenWithin(p.within, r, mend)
	return short, s.wrap(path, err)
}

func (s *Spec) buildLaw(path string, l kind.Law, dim int, files fs.FS) (population.Law, error) {
	law, err := l.Build(dim, files)
	if wrong := (*census.FileError)(nil); errors.As(err, &wrong) {
		return nil, s.errorf(path+".file", "%v", err)
	}
	return law, s.wrap(path, err)
}

// checkRows tells whether individuals read from a file are what the dynamics move: unit vectors or proportions. Laws and
// listed values were checked when the spec was read.
func (s *Spec) checkRows(path string, block []float64, dim int) error {
	space, name := kind.HabitatOf(s.Dynamics.Of), form.NameOf(s.Dynamics.Of)
	for i := range kedge.Count(block, dim) {
		if fault := space.Fault(kedge.Row(block, i, dim), name); fault != "" {
			return s.errorf(path, "individual %d %s", i, fault)
		}
	}
	return nil
}

// drawPublished draws what the published programs drew, in their order from their one generator: the first decision, the
// population, four axes to plot (polarized), then every trial of every algorithm.
func (p *Problem) drawPublished() error {
	s, dim := p.Spec, p.Spec.Dims()
	if s.Seed > math.MaxUint32 {
		return s.errorf("seed", "seed is %d, the generator numpy wants at most %d", s.Seed, uint32(math.MaxUint32))
	}
	g := stream.NewNumPy(uint32(s.Seed))
	p.fillStart(g)
	traits := make([]float64, s.Population.Size*dim.Trait)
	err := s.publishedPopulation(traits, dim.Trait, g)
	if err != nil {
		return err
	}
	p.Traits = kedge.Block{Data: traits, Width: dim.Trait}
	if s.Population.Storage == population.Float32 {
		if p.Traits, err = p.shorten("population", p.Traits); err != nil {
			return err
		}
	}
	p.States = p.Traits
	for i := range s.Algorithms {
		p.numpy = append(p.numpy, s.publishedTrials(&s.Algorithms[i], dim.Decision, g))
	}
	return nil
}

func (s *Spec) publishedPopulation(traits []float64, dim int, g *stream.NumPy) error {
	if s.Population.States != nil {
		return s.errorf("population.states", "the generator numpy starts everybody at the trait; want same")
	}
	draw := kind.Publish(s.Population.Law, s.Population.Size, dim)
	if draw == nil {
		return s.errorf("population.law", "the generator numpy draws what the published runs drew: a cap of 90 degrees without axis in 4 or more dimensions, or proportions of size 1")
	}
	return s.wrap("population", draw(traits, g))
}

// publishedTrials returns where the draws of every trial begin and moves the generator behind them. How much a trial draws
// does not depend on what happens in it, so trials can run side by side.
func (s *Spec) publishedTrials(a *kind.Algorithm, n int, g *stream.NumPy) []*stream.NumPy {
	var begins []*stream.NumPy
	for range a.Trials {
		at := *g
		begins = append(begins, &at)
		for range s.Iterations {
			if a.Facts().Draws {
				for range n {
					g.Normal()
				}
			}
			for range a.Batch {
				g.Intn(s.Population.Size)
			}
		}
	}
	return begins
}

// drawStart draws the first decision by itself.
func (p *Problem) drawStart() error {
	if p.Spec.Generator == "numpy" {
		p.fillStart(stream.NewNumPy(uint32(p.Spec.Seed)))
	} else {
		p.fillStart(p.Spec.stream("start"))
	}
	return nil
}

func (p *Problem) fillStart(r kind.Numbers) {
	total, _ := kind.Divides(p.set)
	p.Start = make([]float64, p.Spec.Dims().Decision)
	p.Spec.Start.Fill(p.Start, r, total)
}
